// The jobs of one pool that wait to be offered, in order of arrival, and how many may be under way
// at once: many while the pool takes them, a few while it does not, with growing pauses. Ten
// thousand queued jobs so cost a pool that is down a few messages a minute.
//
// A plain value of the dispatcher; times are monotonic.

#ifndef PODFERRY_PLUGIN_OFFER_QUEUE_H_
#define PODFERRY_PLUGIN_OFFER_QUEUE_H_

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "absl/time/time.h"

namespace podferry {

class OfferQueue {
 public:
  static constexpr size_t kWindow = 128;
  static constexpr size_t kProbes = 4;  // while the last answer was no
  static constexpr absl::Duration kFirstPause = absl::Milliseconds(500);
  static constexpr absl::Duration kLongestPause = absl::Seconds(30);

  void Push(std::string uid) { waiting_.push_back(std::move(uid)); }

  // The next job that may be offered now; it is under way until Succeeded or Failed.
  std::optional<std::string> Pop(absl::Duration now) {
    if (waiting_.empty() || now < not_before_) return std::nullopt;
    if (under_way_ >= (failures_ == 0 ? kWindow : kProbes)) return std::nullopt;
    std::string uid = std::move(waiting_.front());
    waiting_.pop_front();
    ++under_way_;
    return uid;
  }

  // It turned out that there is nothing to offer: no answer either way.
  void Dropped() { --under_way_; }
  void Succeeded() {
    --under_way_;
    failures_ = 0;
    not_before_ = absl::ZeroDuration();
  }
  // Offers that were under way together fail together: that counts once.
  void Failed(absl::Duration now) {
    --under_way_;
    if (now < not_before_) return;
    const absl::Duration pause = kFirstPause * (int64_t{1} << std::min(failures_, 10));
    not_before_ = now + std::min(pause, kLongestPause);
    ++failures_;
  }
  // Something has changed for the better: try at once.
  void Encourage() {
    not_before_ = absl::ZeroDuration();
    failures_ = std::min(failures_, 1);
  }

  // When Pop should be tried again; infinite while nothing waits.
  absl::Duration next_try() const {
    return waiting_.empty() ? absl::InfiniteDuration() : not_before_;
  }
  size_t waiting() const { return waiting_.size(); }
  size_t under_way() const { return under_way_; }

 private:
  std::deque<std::string> waiting_;
  size_t under_way_ = 0;
  int failures_ = 0;
  absl::Duration not_before_ = absl::ZeroDuration();
};

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_OFFER_QUEUE_H_
