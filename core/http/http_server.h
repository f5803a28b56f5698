// An HTTP/1.1 server on the daemon's event loop: TCP, unix sockets, TLS.
//
// The owner keeps it alive while it should serve. Start, Stop and the destructor are called on the
// loop's thread (or while the loop does not run), and the handler is called there. The loop
// outlives the server. Requests of one connection are handled one after the other, so pipelining is
// safe.
//
// What goes wrong is answered here, in JSON, before a handler sees it: malformed requests 400,
// stalled ones 408, bodies over the limit 413, an unknown Expect 417, headers over the limit 431,
// unknown transfer codings 501, too many connections 503.

#ifndef PODFERRY_CORE_HTTP_HTTP_SERVER_H_
#define PODFERRY_CORE_HTTP_HTTP_SERVER_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/http/http_server_options.h"
#include "core/http/listen_address.h"
#include "core/http/response_writer.h"

namespace podferry {

class AsioEventLoop;

class HttpServer {
 public:
  // Opens the socket and starts to accept. A unix socket's file that nobody listens on any more is
  // replaced. Errors: InvalidArgument (options, TLS files), AlreadyExists (address in use),
  // PermissionDenied, Unavailable (the address cannot be bound).
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(AsioEventLoop& loop,
                                                           HttpServerOptions options,
                                                           HttpHandler handler);

  // Closes everything at once, without calling back any handler's OnClientGone.
  virtual ~HttpServer() = default;

  // As listened on: port 0 has become the port chosen.
  virtual const ListenAddress& address() const = 0;

  // "http://127.0.0.1:4000", "https://...", "unix:/path": what HttpClient takes.
  virtual std::string url() const = 0;

  // Connections open now.
  virtual size_t connections() const = 0;

  // Stops accepting, closes idle connections, lets requests in flight be answered for at most
  // `grace`, then cuts the rest (their OnClientGone is called). `done` is called once, when no
  // connection is left.
  virtual void Stop(absl::Duration grace, absl::AnyInvocable<void()> done) = 0;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_HTTP_HTTP_SERVER_H_
