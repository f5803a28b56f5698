// Waits for pongs on a thread of its own, so that nobody else has to. Shared by that thread and a
// NatsLink's connecting thread.

#ifndef PODFERRY_CORE_NATS_NATS_PINGER_H_
#define PODFERRY_CORE_NATS_NATS_PINGER_H_

#include <nats/nats.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/time/time.h"
#include "core/nats/inbound_queue.h"

namespace podferry {

class NatsPinger {
 public:
  explicit NatsPinger(std::shared_ptr<InboundQueue> inbound) : inbound_(std::move(inbound)) {}

  // The thread: returns after Stop.
  void Run();
  void Stop();

  // Pings go over this connection until Detach.
  void Attach(natsConnection* connection);
  // None begins any more; those that wait are forgotten.
  void Detach();
  // Returns when the one under way has ended, which closing its connection brings about.
  void WaitUntilIdle();

  // Pushes a kPong when it is answered, or was not in time.
  void Ping(uint64_t id, absl::Duration timeout);

 private:
  struct Request {
    uint64_t id;
    absl::Duration timeout;
  };

  const std::shared_ptr<InboundQueue> inbound_;
  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable idle_;
  bool stopping_ = false;
  bool busy_ = false;
  natsConnection* connection_ = nullptr;
  std::deque<Request> requests_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_NATS_NATS_PINGER_H_
