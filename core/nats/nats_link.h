// The threads behind a NatsBus: one connects (again and again, for ever) and sends, another waits
// for pongs. What nats.c delivers goes into an InboundQueue. Owned by a NatsBus; its methods are
// called on the loop and never block, except for the destructor.

#ifndef PODFERRY_CORE_NATS_NATS_LINK_H_
#define PODFERRY_CORE_NATS_NATS_LINK_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/nats/bus_stats.h"
#include "core/nats/inbound_queue.h"
#include "core/nats/nats_options.h"

namespace podferry {

class NatsLink {
 public:
  // Answers to requests come to `inbox_prefix` and the request's id.
  NatsLink(NatsOptions options, std::vector<NatsAddress> addresses, std::string inbox_prefix,
           std::shared_ptr<InboundQueue> inbound);
  // Waits for its threads, which a server that hangs may hold for a few seconds.
  ~NatsLink();
  NatsLink(const NatsLink&) = delete;
  NatsLink& operator=(const NatsLink&) = delete;

  // Unavailable without a connection, ResourceExhausted when the queue is full. OK says nothing
  // about the message's arrival: what is queued when the connection is lost is lost with it.
  absl::Status Send(std::string subject, std::string reply_to, std::string payload);

  // For this connection, if there is one, and all later ones.
  void Subscribe(uint64_t id, std::string subject, std::string group);
  void Unsubscribe(uint64_t id);

  // Pushes a kPong once the server has handled all that was sent before; none when the connection
  // is lost meanwhile.
  void Ping(uint64_t id, absl::Duration timeout);

  BusStats stats() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_NATS_NATS_LINK_H_
