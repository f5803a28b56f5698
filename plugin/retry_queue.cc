#include "plugin/retry_queue.h"

#include <algorithm>

namespace podferry {

RetryQueue::RetryQueue(EventLoop& loop, const Clock& clock, size_t limit,
                       absl::AnyInvocable<void(const std::string&)> run)
    : loop_(loop), clock_(clock), limit_(limit), run_(std::move(run)) {}

void RetryQueue::Set(absl::string_view key, absl::Duration delay) {
  Remove(key);
  const absl::Duration time = clock_.Monotonic() + delay;
  times_.emplace(key, time);
  in_order_.emplace(time, std::string(key));
  Arm();
}

void RetryQueue::Remove(absl::string_view key) {
  auto it = times_.find(key);
  if (it == times_.end()) return;
  in_order_.erase({it->second, it->first});
  times_.erase(it);
}

void RetryQueue::Done() {
  --under_way_;
  Arm();
}

void RetryQueue::Arm() {
  if (in_order_.empty() || under_way_ >= limit_) return;
  const absl::Duration next = in_order_.begin()->first;
  if (next >= armed_for_) return;
  armed_for_ = next;
  timer_ = loop_.RunAfter(next - clock_.Monotonic(), [this] {
    armed_for_ = absl::InfiniteDuration();
    RunDue();
  });
}

void RetryQueue::RunDue() {
  const absl::Duration now = clock_.Monotonic();
  while (!in_order_.empty() && under_way_ < limit_ && in_order_.begin()->first <= now) {
    const std::string key = in_order_.begin()->second;
    Remove(key);
    ++under_way_;
    run_(key);
  }
  Arm();
}

}  // namespace podferry
