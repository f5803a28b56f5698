// TLS for nats.c: a connection to a NATS server over TLS, offered to nats.c as a plain one on a
// loopback port.
//
// nats.c 3.4.1 has TLS of its own and must not be let near it: it reads and writes one SSL object
// from two threads, which OpenSSL forbids (ThreadSanitizer shows the race), and a server that stops
// in the middle of a handshake holds it for ever. Here one thread does all of it, with deadlines.
//
// The port takes one connection, and only from a process of our own user (by the kernel's list of
// sockets): with a client certificate, the tunnel itself is a credential. Owned by a
// NatsConnection, outlives nats.c's connection. Any thread, one at a time.

#ifndef PODFERRY_CORE_NATS_TLS_TUNNEL_H_
#define PODFERRY_CORE_NATS_TLS_TUNNEL_H_

#include <memory>

#include "absl/status/statusor.h"
#include "core/nats/nats_options.h"

namespace podferry {

class TlsTunnel {
 public:
  // Connects, and verifies the server's certificate and name; blocks for as long as
  // options.connect_timeout allows, and for name resolution. Unavailable when the server is not
  // reached or does not answer in time; FailedPrecondition, with the reason, for files that cannot
  // be used, a server without TLS, and one that is not trusted or does not trust us.
  static absl::StatusOr<std::unique_ptr<TlsTunnel>> Open(const NatsOptions& options,
                                                         const NatsAddress& address);
  // Ends the connection.
  ~TlsTunnel();
  TlsTunnel(const TlsTunnel&) = delete;
  TlsTunnel& operator=(const TlsTunnel&) = delete;

  // Whether the server does not want to be talked to without TLS. Unavailable when it is not
  // reached.
  static absl::StatusOr<bool> IsAskedFor(const NatsOptions& options, const NatsAddress& address);

  // Of 127.0.0.1, for nats.c to connect to.
  int port() const;

 private:
  struct State;
  explicit TlsTunnel(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_NATS_TLS_TUNNEL_H_
