// What is to be done again, and when: at most one time per key, one timer for all, and no more than
// `limit` under way at once, so that ten thousand deletes to a pool that has just come back do not
// flood it.
//
// Owned by the dispatcher; event loop's thread only.

#ifndef PODFERRY_PLUGIN_RETRY_QUEUE_H_
#define PODFERRY_PLUGIN_RETRY_QUEUE_H_

#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/os/event_loop.h"

namespace podferry {

class RetryQueue {
 public:
  // `run` is called with each key when its time has come, never inside a call to this; what it
  // begins, it ends with Done() sooner or later.
  RetryQueue(EventLoop& loop, const Clock& clock, size_t limit,
             absl::AnyInvocable<void(const std::string& key)> run);

  // Replaces the time that the key had.
  void Set(absl::string_view key, absl::Duration delay);
  void Remove(absl::string_view key);
  // One of those that were run has ended.
  void Done();

  size_t waiting() const { return times_.size(); }
  size_t under_way() const { return under_way_; }

 private:
  void Arm();
  void RunDue();

  EventLoop& loop_;
  const Clock& clock_;
  const size_t limit_;
  absl::AnyInvocable<void(const std::string&)> run_;
  absl::flat_hash_map<std::string, absl::Duration> times_;     // by the monotonic clock
  std::set<std::pair<absl::Duration, std::string>> in_order_;  // the same
  size_t under_way_ = 0;
  Timer timer_;
  absl::Duration armed_for_ = absl::InfiniteDuration();
};

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_RETRY_QUEUE_H_
