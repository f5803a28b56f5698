#include "core/http/http_server.h"

#include <glog/logging.h>

#include <utility>
#include <vector>

#include "core/http/listener.h"
#include "core/http/server_session.h"
#include "core/http/tls_context.h"
//
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/socket_base.hpp>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/os/asio_event_loop.h"

namespace podferry {
namespace {

namespace asio = boost::asio;
using http_internal::LazyDeadline;
using http_internal::Listener;
using http_internal::ServerSession;
using http_internal::ServerShared;
using http_internal::StreamSocket;
using http_internal::TlsContext;

// When descriptors or memory are short, accepting again at once would only spin.
constexpr absl::Duration kAcceptBackoff = absl::Milliseconds(100);
// Connections beyond the limit that are being told so; those beyond this are just closed.
constexpr size_t kMaxRefusing = 64;

// Peers that vanish without a word (a laptop asleep, a cut network) are found by TCP's probes.
void SetTcpOptions(StreamSocket& socket) {
  boost::system::error_code ignored;
  socket.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  using KeepIdle = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPIDLE>;
  using KeepInterval = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPINTVL>;
  socket.set_option(KeepIdle(60), ignored);
  socket.set_option(KeepInterval(15), ignored);
}

// Accepts connections; kept alive by the server and by the accept that runs.
class Acceptance : public std::enable_shared_from_this<Acceptance> {
 public:
  Acceptance(std::shared_ptr<ServerShared> shared, std::unique_ptr<Listener> listener,
             std::unique_ptr<TlsContext> tls)
      : shared_(std::move(shared)),
        listener_(std::move(listener)),
        tls_(std::move(tls)),
        retry_(shared_->context, [this] { AcceptNext(); }) {}

  void AcceptNext() {
    listener_->acceptor().async_accept(
        [self = shared_from_this()](boost::system::error_code error, StreamSocket socket) {
          self->OnAccepted(error, std::move(socket));
        });
  }

  void Close() {
    retry_.Clear();
    listener_->Close();
  }

  const ListenAddress& address() const { return listener_->address(); }
  bool tls() const { return tls_ != nullptr; }

 private:
  void OnAccepted(boost::system::error_code error, StreamSocket socket) {
    if (!listener_->acceptor().is_open()) return;
    switch (error.value()) {
      case 0:
        StartSession(std::move(socket));
        break;
      case EMFILE:
      case ENFILE:
      case ENOBUFS:
      case ENOMEM:
        LOG_EVERY_N(ERROR, 100) << "cannot accept a connection on " << address().ToString() << ": "
                                << error.message();
        return retry_.SetAfter(kAcceptBackoff);
      default:
        break;  // that client has gone again
    }
    AcceptNext();
  }

  void StartSession(StreamSocket socket) {
    const size_t open = shared_->sessions.size();
    const size_t limit = shared_->options.max_connections;
    if (open >= limit) {
      LOG_EVERY_N(WARNING, 100) << "refusing connections: " << open << " are open";
      if (open >= limit + kMaxRefusing) return;
    }
    if (address().kind == ListenAddress::Kind::kTcp) SetTcpOptions(socket);
    auto session = std::make_shared<ServerSession>(
        shared_,
        tls_ ? http_internal::MakeTlsServerTransport(std::move(socket), *tls_)
             : http_internal::MakePlainTransport(std::move(socket)),
        /*refuse=*/open >= limit);
    shared_->sessions.emplace(session.get(), session);
    session->Start();
  }

  const std::shared_ptr<ServerShared> shared_;
  const std::unique_ptr<Listener> listener_;
  const std::unique_ptr<TlsContext> tls_;
  LazyDeadline retry_;
};

class HttpServerImpl final : public HttpServer {
 public:
  HttpServerImpl(std::shared_ptr<ServerShared> shared, std::shared_ptr<Acceptance> acceptance)
      : shared_(std::move(shared)),
        acceptance_(std::move(acceptance)),
        address_(acceptance_->address()),
        grace_(shared_->context, [this] { CloseAll(ServerSession::Notice::kTellHandler); }) {
    acceptance_->AcceptNext();
  }

  ~HttpServerImpl() override {
    shared_->destroyed = true;
    shared_->on_closed = nullptr;
    acceptance_->Close();
    CloseAll(ServerSession::Notice::kSilent);
  }

  const ListenAddress& address() const override { return address_; }

  std::string url() const override {
    if (address_.kind == ListenAddress::Kind::kUnix) return address_.ToString();
    return absl::StrCat(acceptance_->tls() ? "https://" : "http://", address_.ToString());
  }

  size_t connections() const override { return shared_->sessions.size(); }

  void Stop(absl::Duration grace, absl::AnyInvocable<void()> done) override {
    done_ = std::move(done);
    shared_->stopping = true;
    acceptance_->Close();
    shared_->on_closed = [this] { TellIfDone(); };
    for (const auto& session : Sessions()) session->StopWhenIdle();
    grace_.SetAfter(grace);
    TellIfDone();
  }

 private:
  std::vector<std::shared_ptr<ServerSession>> Sessions() const {
    std::vector<std::shared_ptr<ServerSession>> sessions;
    sessions.reserve(shared_->sessions.size());
    for (const auto& [key, session] : shared_->sessions) sessions.push_back(session);
    return sessions;
  }

  // Closing removes them from the map, hence the copy.
  void CloseAll(ServerSession::Notice notice) {
    for (const auto& session : Sessions()) session->Close(notice);
  }

  // Later, as `done` may destroy this server.
  void TellIfDone() {
    if (!shared_->sessions.empty() || !done_) return;
    grace_.Clear();
    asio::post(shared_->context, [shared = shared_, done = std::move(done_)]() mutable {
      if (!shared->destroyed) done();
    });
    done_ = nullptr;
  }

  const std::shared_ptr<ServerShared> shared_;
  const std::shared_ptr<Acceptance> acceptance_;
  const ListenAddress address_;
  absl::AnyInvocable<void()> done_;
  LazyDeadline grace_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(AsioEventLoop& loop,
                                                              HttpServerOptions options,
                                                              HttpHandler handler) {
  std::unique_ptr<TlsContext> tls;
  if (options.tls) {
    if (options.address.kind != ListenAddress::Kind::kTcp) {
      return absl::InvalidArgumentError("TLS is for TCP addresses, not for unix sockets");
    }
    PODFERRY_ASSIGN_OR_RETURN(tls, http_internal::MakeServerTlsContext(*options.tls));
  }
  PODFERRY_ASSIGN_OR_RETURN(
      std::unique_ptr<Listener> listener,
      Listener::Open(loop.context(), options.address, options.unix_socket_mode));
  std::shared_ptr<ServerShared> shared(
      new ServerShared{.context = loop.context(), .options = std::move(options)});
  shared->handler = std::move(handler);
  auto acceptance = std::make_shared<Acceptance>(shared, std::move(listener), std::move(tls));
  return std::make_unique<HttpServerImpl>(std::move(shared), std::move(acceptance));
}

}  // namespace podferry
