// The subscriptions of one connection with nats.c, whose messages go into an InboundQueue. Used by
// a NatsLink's connecting thread only.

#ifndef PODFERRY_CORE_NATS_NATS_SUBSCRIPTIONS_H_
#define PODFERRY_CORE_NATS_NATS_SUBSCRIPTIONS_H_

#include <nats/nats.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/nats/inbound_queue.h"

namespace podferry {

class NatsSubscriptions {
 public:
  // The subscription that hears the answers to all requests: their ids end its subjects.
  static constexpr uint64_t kInbox = 0;

  NatsSubscriptions(std::shared_ptr<InboundQueue> inbound, size_t inbox_prefix_size);
  ~NatsSubscriptions();

  // Without a group, a plain subscription. An error means that the connection is of no use.
  absl::Status Add(natsConnection* connection, uint64_t id, const std::string& subject,
                   const std::string& group);
  void Remove(uint64_t id);
  // All of them, once their connection is closed.
  void Clear();

  // Any thread.
  uint64_t received_messages() const;
  uint64_t received_bytes() const;

 private:
  // What nats.c hands to callbacks, which may come after the end of this object.
  struct Closure;
  struct Received {
    std::atomic<uint64_t> messages = 0;
    std::atomic<uint64_t> bytes = 0;
  };
  struct Destroy {
    void operator()(natsSubscription* subscription) const {
      natsSubscription_Destroy(subscription);
    }
  };

  static void OnMessage(natsConnection*, natsSubscription*, natsMsg* raw, void* closure);
  static void OnComplete(void* closure);

  const std::shared_ptr<InboundQueue> inbound_;
  const size_t inbox_prefix_size_;
  const std::shared_ptr<Received> received_ = std::make_shared<Received>();
  std::map<uint64_t, std::unique_ptr<natsSubscription, Destroy>> subscriptions_;
  std::vector<std::unique_ptr<Closure>> parked_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_NATS_NATS_SUBSCRIPTIONS_H_
