// One connected byte stream (TCP, unix socket, or TLS over TCP) as HTTP connections see it.
// Internal to core/http: the only part that knows which kind of stream it is.
//
// At most one read and one write (or shutdown) run at a time, and both may. Everything happens on
// the loop's thread; an operation keeps its listener alive until it has called back. Close ends
// running operations with operation_aborted.

#ifndef PODFERRY_CORE_HTTP_TRANSPORT_H_
#define PODFERRY_CORE_HTTP_TRANSPORT_H_

// Boost 1.74's awaitable.hpp forgets this one.
#include <utility>
//
#include <array>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <memory>

#include "absl/strings/string_view.h"

namespace podferry::http_internal {

// The concrete executor, not any_io_executor: that one's indirections cost more than the parsing.
using StreamSocket = boost::asio::basic_stream_socket<boost::asio::generic::stream_protocol,
                                                      boost::asio::io_context::executor_type>;
using TlsStream = boost::asio::ssl::stream<StreamSocket>;

class Transport {
 public:
  using ErrorCode = boost::system::error_code;
  using ConstBuffers = std::array<boost::asio::const_buffer, 2>;

  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void OnHandshake(ErrorCode error) = 0;
    virtual void OnRead(ErrorCode error, size_t bytes) = 0;
    virtual void OnWritten(ErrorCode error, size_t bytes) = 0;
    virtual void OnShutdown() = 0;
  };

  virtual ~Transport() = default;

  // For TLS, before anything else; a plain stream's succeeds at once, within the call.
  virtual void Handshake(std::shared_ptr<Listener> listener) = 0;
  virtual void ReadSome(boost::asio::mutable_buffer buffer, std::shared_ptr<Listener> listener) = 0;
  virtual void WriteSome(const ConstBuffers& buffers, std::shared_ptr<Listener> listener) = 0;
  // Writes what can be written without waiting, which may be nothing: always so for TLS.
  virtual size_t TryWrite(const ConstBuffers& buffers, ErrorCode* error) = 0;
  // Ends our direction of the stream.
  virtual void Shutdown(std::shared_ptr<Listener> listener) = 0;
  virtual void Close() = 0;
  // Nothing has arrived that was not read, not even the peer's end.
  virtual bool Quiet() = 0;
};

std::unique_ptr<Transport> MakePlainTransport(StreamSocket socket);
std::unique_ptr<Transport> MakeTlsServerTransport(StreamSocket socket,
                                                  boost::asio::ssl::context& context);
// Verifies that the server's certificate is for `host`.
std::unique_ptr<Transport> MakeTlsClientTransport(StreamSocket socket,
                                                  boost::asio::ssl::context& context,
                                                  absl::string_view host);

}  // namespace podferry::http_internal

#endif  // PODFERRY_CORE_HTTP_TRANSPORT_H_
