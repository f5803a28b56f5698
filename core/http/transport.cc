#include "core/http/transport.h"

#include <openssl/ssl.h>

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <string>
#include <type_traits>

namespace podferry::http_internal {
namespace {

namespace asio = boost::asio;

template <class Stream>
class AsioTransport final : public Transport {
 public:
  static constexpr bool kTls = std::is_same_v<Stream, TlsStream>;

  template <class... Args>
  explicit AsioTransport(asio::ssl::stream_base::handshake_type side, Args&&... args)
      : side_(side), stream_(std::forward<Args>(args)...) {
    ErrorCode ignored;
    socket().non_blocking(true, ignored);
  }

  Stream& stream() { return stream_; }

  void Handshake(std::shared_ptr<Listener> listener) override {
    if constexpr (kTls) {
      stream_.async_handshake(side_, [listener](ErrorCode error) { listener->OnHandshake(error); });
    } else {
      listener->OnHandshake({});
    }
  }

  void ReadSome(asio::mutable_buffer buffer, std::shared_ptr<Listener> listener) override {
    stream_.async_read_some(buffer, [listener](ErrorCode error, size_t bytes) {
      // A peer that ends a TLS stream without saying so has ended it all the same; HTTP's own
      // framing tells whether a message is whole.
      if (error == asio::ssl::error::stream_truncated) error = asio::error::eof;
      listener->OnRead(error, bytes);
    });
  }

  void WriteSome(const ConstBuffers& buffers, std::shared_ptr<Listener> listener) override {
    stream_.async_write_some(
        buffers, [listener](ErrorCode error, size_t bytes) { listener->OnWritten(error, bytes); });
  }

  size_t TryWrite(const ConstBuffers& buffers, ErrorCode* error) override {
    *error = {};
    if constexpr (kTls) {
      return 0;
    } else {
      const size_t written = stream_.write_some(buffers, *error);
      if (*error == asio::error::would_block || *error == asio::error::try_again) *error = {};
      return written;
    }
  }

  void Shutdown(std::shared_ptr<Listener> listener) override {
    if constexpr (kTls) {
      // Completes when the peer has answered, or (as most do) closed; the caller has a deadline.
      stream_.async_shutdown([this, listener](ErrorCode) {
        ShutdownSocket();
        listener->OnShutdown();
      });
    } else {
      ShutdownSocket();
      listener->OnShutdown();
    }
  }

  void Close() override {
    ErrorCode ignored;
    socket().close(ignored);
  }

  bool Quiet() override {
    char byte;
    ErrorCode error;
    socket().receive(asio::buffer(&byte, 1), StreamSocket::message_peek, error);
    return error == asio::error::would_block;
  }

 private:
  StreamSocket& socket() {
    if constexpr (kTls) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  void ShutdownSocket() {
    ErrorCode ignored;
    socket().shutdown(StreamSocket::shutdown_send, ignored);
  }

  asio::ssl::stream_base::handshake_type side_;
  Stream stream_;
};

}  // namespace

std::unique_ptr<Transport> MakePlainTransport(StreamSocket socket) {
  return std::make_unique<AsioTransport<StreamSocket>>(asio::ssl::stream_base::client,
                                                       std::move(socket));
}

std::unique_ptr<Transport> MakeTlsServerTransport(StreamSocket socket,
                                                  asio::ssl::context& context) {
  return std::make_unique<AsioTransport<TlsStream>>(asio::ssl::stream_base::server,
                                                    std::move(socket), context);
}

std::unique_ptr<Transport> MakeTlsClientTransport(StreamSocket socket, asio::ssl::context& context,
                                                  absl::string_view host) {
  auto transport = std::make_unique<AsioTransport<TlsStream>>(asio::ssl::stream_base::client,
                                                              std::move(socket), context);
  const std::string name(host);
  Transport::ErrorCode ignored;
  transport->stream().set_verify_callback(asio::ssl::host_name_verification(name), ignored);
  // The name the server chooses its certificate by.
  SSL_set_tlsext_host_name(transport->stream().native_handle(), name.c_str());
  return transport;
}

}  // namespace podferry::http_internal
