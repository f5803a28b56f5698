#include "core/nats/tls_tunnel.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

// Boost 1.74's awaitable.hpp forgets <utility>.
#include <utility>
//
#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/nats/nats_greeting.h"
#include "core/nats/socket_owner.h"

namespace podferry {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

constexpr size_t kBuffer = 64 * 1024;

absl::Status FileError(absl::string_view what, const std::string& file, const ErrorCode& error) {
  return absl::FailedPreconditionError(
      absl::StrCat("cannot use the ", what, " in ", file, ": ", error.message()));
}

absl::Status SetFiles(asio::ssl::context& tls, const NatsOptions& options) {
  ErrorCode error;
  SSL_CTX_set_min_proto_version(tls.native_handle(), TLS1_2_VERSION);
  tls.set_verify_mode(asio::ssl::verify_peer, error);
  if (options.ca_file.empty()) {
    tls.set_default_verify_paths(error);
  } else {
    tls.load_verify_file(options.ca_file, error);
  }
  if (error) return FileError("authorities", options.ca_file, error);
  if (options.cert_file.empty()) return absl::OkStatus();
  tls.use_certificate_chain_file(options.cert_file, error);
  if (error) return FileError("certificate", options.cert_file, error);
  tls.use_private_key_file(options.key_file, asio::ssl::context::pem, error);
  if (error) return FileError("key", options.key_file, error);
  return absl::OkStatus();
}

}  // namespace

struct TlsTunnel::State {
  State(const NatsAddress& address, asio::ssl::context tls)
      : address(address), tls(std::move(tls)) {}

  // On the caller's thread.
  asio::awaitable<absl::Status> Handshake();
  absl::Status Listen();
  // On the tunnel's.
  asio::awaitable<void> Accept();
  template <typename From, typename To>
  asio::awaitable<void> Pump(From& from, To& to);
  void Close();

  const NatsAddress address;
  asio::io_context io{1};
  asio::ssl::context tls;
  std::string greeting;  // the server's, for nats.c
  std::optional<asio::ssl::stream<tcp::socket>> far;
  tcp::acceptor acceptor{io};
  int port = 0;
  tcp::socket near{io};
  std::thread thread;
};

asio::awaitable<absl::Status> TlsTunnel::State::Handshake() {
  const auto failed = [this](absl::string_view why) {
    return absl::FailedPreconditionError(absl::StrCat("TLS with ", address.ToString(), ": ", why));
  };
  SSL* const ssl = far->native_handle();
  if (SSL_set1_host(ssl, address.host.c_str()) != 1) co_return failed("no name to check");
  SSL_set_tlsext_host_name(ssl, address.host.c_str());
  ErrorCode error;
  co_await far->async_handshake(asio::ssl::stream_base::client,
                                asio::redirect_error(asio::use_awaitable, error));
  if (!error) co_return absl::OkStatus();
  const long verified = SSL_get_verify_result(ssl);
  co_return failed(verified != X509_V_OK ? X509_verify_cert_error_string(verified)
                                         : error.message());
}

absl::Status TlsTunnel::State::Listen() {
  ErrorCode error;
  const tcp::endpoint loopback(asio::ip::address_v4::loopback(), 0);
  acceptor.open(loopback.protocol(), error);
  if (!error) acceptor.bind(loopback, error);
  if (!error) acceptor.listen(1, error);
  if (!error) port = acceptor.local_endpoint(error).port();
  if (!error) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("a loopback port: ", error.message()));
}

asio::awaitable<void> TlsTunnel::State::Accept() {
  ErrorCode error;
  const auto token = [&error] { return asio::redirect_error(asio::use_awaitable, error); };
  bool ours = false;
  while (!ours) {
    near = co_await acceptor.async_accept(token());
    if (error) co_return Close();
    const auto peer = near.remote_endpoint(error);
    ours = !error && LoopbackSocketIsOurs(peer.port(), near.local_endpoint(error).port());
  }
  acceptor.close(error);
  near.set_option(tcp::no_delay(true), error);
  co_await asio::async_write(near, asio::buffer(greeting), token());
  if (error) co_return Close();
  asio::co_spawn(io, Pump(near, *far), asio::detached);
  co_await Pump(*far, near);
}

template <typename From, typename To>
asio::awaitable<void> TlsTunnel::State::Pump(From& from, To& to) {
  ErrorCode error;
  const auto token = [&error] { return asio::redirect_error(asio::use_awaitable, error); };
  const auto buffer = std::make_unique<std::array<char, kBuffer>>();
  while (!error) {
    const size_t size = co_await from.async_read_some(asio::buffer(*buffer), token());
    if (!error) co_await asio::async_write(to, asio::buffer(buffer->data(), size), token());
  }
  Close();
}

void TlsTunnel::State::Close() {
  ErrorCode ignored;
  acceptor.close(ignored);
  near.close(ignored);
  far->next_layer().close(ignored);
}

absl::StatusOr<bool> TlsTunnel::IsAskedFor(const NatsOptions& options, const NatsAddress& address) {
  asio::io_context io{1};
  PODFERRY_ASSIGN_OR_RETURN(const NatsGreeting greeting,
                            GreetNatsServer(io, address, options.connect_timeout));
  return greeting.requires_tls();
}

absl::StatusOr<std::unique_ptr<TlsTunnel>> TlsTunnel::Open(const NatsOptions& options,
                                                           const NatsAddress& address) {
  asio::ssl::context tls(asio::ssl::context::tls_client);
  PODFERRY_RETURN_IF_ERROR(SetFiles(tls, options));
  auto state = std::make_unique<State>(address, std::move(tls));
  PODFERRY_ASSIGN_OR_RETURN(NatsGreeting greeting,
                            GreetNatsServer(state->io, address, options.connect_timeout));
  if (!greeting.offers_tls()) {
    return absl::FailedPreconditionError(
        absl::StrCat("TLS with ", address.ToString(), ": the server does not offer it"));
  }
  state->greeting = greeting.without_tls();  // nats.c must not begin TLS itself
  state->far.emplace(std::move(greeting.socket), state->tls);
  PODFERRY_RETURN_IF_ERROR(RunWithin(state->io, options.connect_timeout,
                                     absl::StrCat("TLS with ", address.ToString()),
                                     state->Handshake(), [&state] { state->Close(); }));
  PODFERRY_RETURN_IF_ERROR(state->Listen());
  return std::unique_ptr<TlsTunnel>(new TlsTunnel(std::move(state)));
}

TlsTunnel::TlsTunnel(std::unique_ptr<State> state) : state_(std::move(state)) {
  asio::co_spawn(state_->io, state_->Accept(), asio::detached);
  state_->thread = std::thread([state = state_.get()] { state->io.run(); });
}

TlsTunnel::~TlsTunnel() {
  asio::post(state_->io, [this] { state_->Close(); });
  state_->thread.join();
}

int TlsTunnel::port() const { return state_->port; }

}  // namespace podferry
