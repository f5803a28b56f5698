// One connection attempt with nats.c: options in, a connection or the reason out. Blocks, so never
// on the loop.

#ifndef PODFERRY_CORE_NATS_NATS_DIAL_H_
#define PODFERRY_CORE_NATS_NATS_DIAL_H_

#include <nats/nats.h>

#include <memory>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/nats/nats_options.h"
#include "core/nats/tls_tunnel.h"

namespace podferry {

// A connection of nats.c, and the tunnel it goes through, if any. Closed when destroyed.
class NatsConnection {
 public:
  NatsConnection(std::unique_ptr<TlsTunnel> tunnel, natsConnection* connection)
      : tunnel_(std::move(tunnel)), connection_(connection) {}

  natsConnection* get() const { return connection_.get(); }

 private:
  struct Destroy {
    void operator()(natsConnection* connection) const { natsConnection_Destroy(connection); }
  };
  std::unique_ptr<TlsTunnel> tunnel_;
  std::unique_ptr<natsConnection, Destroy> connection_;  // ends first
};

// What happens to a connection later; called on a thread of nats.c, `closed` once and last.
struct NatsEvents {
  absl::AnyInvocable<void()> closed;
  absl::AnyInvocable<void(absl::Status)> error;  // it goes on: a permission, a slow consumer
};

// The connection does not reconnect by itself: nats.c would buffer for later meanwhile, and give up
// for good when credentials are refused twice. TLS is a TlsTunnel's. Files are read here, each
// time. Unauthenticated when the server refuses the credentials; Unavailable when it is not reached
// or hangs; otherwise what is wrong with a file or TLS. Errors hold no secrets.
absl::StatusOr<NatsConnection> DialNats(const NatsOptions& options, const NatsAddress& address,
                                        NatsEvents events);

// What nats.c says of an error on this thread.
absl::Status NatsError(natsStatus status, absl::string_view doing);

}  // namespace podferry

#endif  // PODFERRY_CORE_NATS_NATS_DIAL_H_
