// Requests that wait for their answers: the part of a Bus that is the same whatever carries the
// messages. Owned by a Bus; loop thread only. Handlers run inside the calls of this class, so those
// calls come from the loop, never from a user's call; a handler may destroy the owner.

#ifndef PODFERRY_CORE_NATS_PENDING_REQUESTS_H_
#define PODFERRY_CORE_NATS_PENDING_REQUESTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/nats/bus.h"
#include "core/os/event_loop.h"

namespace podferry {

class PendingRequests {
 public:
  explicit PendingRequests(EventLoop& loop) : loop_(loop) {}
  PendingRequests(const PendingRequests&) = delete;
  PendingRequests& operator=(const PendingRequests&) = delete;

  // A request that takes one answer, or DeadlineExceeded after `timeout`. Returns its id, which is
  // never used again.
  uint64_t AddOne(absl::Duration timeout, Bus::ReplyHandler handler);

  // A request that takes all answers until `timeout`.
  uint64_t AddMany(absl::Duration timeout, absl::AnyInvocable<void(std::string)> each,
                   absl::AnyInvocable<void()> done);

  // An answer came. False, and nothing else, when nobody waits for it any more.
  bool Answer(uint64_t id, std::string payload);

  // There will be no (further) answer: the handler gets `why`, or `done` is called.
  void Fail(uint64_t id, const absl::Status& why);

  // The same for all that take one answer; those that take many wait for their time.
  void FailOnes(const absl::Status& why);

  // Drops a request without calling anything.
  void Forget(uint64_t id);

  size_t size() const { return waiting_.size(); }

 private:
  struct Many {
    absl::AnyInvocable<void(std::string)> each;
    absl::AnyInvocable<void()> done;
  };
  struct Waiting {
    Bus::ReplyHandler one;       // empty where `many` is set
    std::shared_ptr<Many> many;  // shared: `each` may drop its request
    Timer timeout;
  };

  EventLoop& loop_;
  uint64_t next_id_ = 1;
  absl::flat_hash_map<uint64_t, Waiting> waiting_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_NATS_PENDING_REQUESTS_H_
