// The way from the event loop to the thread that talks to nats.c: publications, subscriptions and
// pings in the order of the calls. Bounded, and only for the present connection: what waits when it
// is lost is lost with it; subscriptions are remembered for the next.

#ifndef PODFERRY_CORE_NATS_OUTBOUND_QUEUE_H_
#define PODFERRY_CORE_NATS_OUTBOUND_QUEUE_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace podferry {

struct Outbound {
  enum class Kind { kPublish, kSubscribe, kUnsubscribe, kPing };
  Kind kind = Kind::kPublish;
  uint64_t id = 0;       // of the subscription or ping
  std::string subject;   // to publish or subscribe to
  std::string reply_to;  // may be empty
  std::string group;     // of a subscription; may be empty
  std::string payload;
  absl::Duration timeout;  // of a ping
};

class OutboundQueue {
 public:
  OutboundQueue(size_t max_messages, size_t max_bytes)
      : max_messages_(max_messages), max_bytes_(max_bytes) {}

  // From the loop; none of them blocks. Unavailable when shut, ResourceExhausted when full.
  absl::Status Publish(std::string subject, std::string reply_to, std::string payload);
  void Subscribe(uint64_t id, std::string subject, std::string group);
  void Unsubscribe(uint64_t id);
  void Ping(uint64_t id, absl::Duration timeout);

  // From the sending thread. Open returns the subscriptions there are; later ones come as
  // commands. Take waits for commands, and is false when the queue has been interrupted meanwhile;
  // what it gives counts as queued until Done. Shut forgets all that waits and returns how many
  // publications that were.
  std::map<uint64_t, Outbound> Open();
  bool Take(std::deque<Outbound>& batch);
  void Done(const std::deque<Outbound>& batch);
  uint64_t Shut();

  // Any thread. The present connection has ended, or all is to end: Take is false until the
  // interrupt is cleared for another connection.
  void Interrupt();
  void ClearInterrupt();

  uint64_t queued() const;
  uint64_t refused() const;

 private:
  void Add(Outbound command);  // with mutex_ held

  const size_t max_messages_;
  const size_t max_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool open_ = false;
  bool interrupted_ = false;
  std::map<uint64_t, Outbound> subscriptions_;
  std::deque<Outbound> commands_;
  size_t messages_ = 0;  // publications in commands_ and in what was taken
  size_t bytes_ = 0;
  uint64_t refused_ = 0;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_NATS_OUTBOUND_QUEUE_H_
