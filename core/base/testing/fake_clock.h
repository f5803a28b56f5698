// A clock that stands still until a test moves it. Safe to use from several threads.

#ifndef PODFERRY_CORE_BASE_TESTING_FAKE_CLOCK_H_
#define PODFERRY_CORE_BASE_TESTING_FAKE_CLOCK_H_

#include <mutex>

#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "core/base/clock.h"

namespace podferry {

class FakeClock : public Clock {
 public:
  // Starts at 2026-01-01T00:00:00Z, and at one hour of monotonic time: zero would hide code that
  // takes "no time yet" for "long ago".
  FakeClock() : FakeClock(absl::FromCivil(absl::CivilDay(2026, 1, 1), absl::UTCTimeZone())) {}
  explicit FakeClock(absl::Time now) : now_(now) {}

  absl::Time Now() const override {
    std::lock_guard<std::mutex> lock(mutex_);
    return now_;
  }
  absl::Duration Monotonic() const override {
    std::lock_guard<std::mutex> lock(mutex_);
    return monotonic_;
  }

  // Moves both clocks.
  void Advance(absl::Duration duration) {
    std::lock_guard<std::mutex> lock(mutex_);
    now_ += duration;
    monotonic_ += duration;
  }

  // The time of day jumps, as when an administrator or NTP sets it.
  void SetNow(absl::Time now) {
    std::lock_guard<std::mutex> lock(mutex_);
    now_ = now;
  }

 private:
  mutable std::mutex mutex_;
  absl::Time now_;
  absl::Duration monotonic_ = absl::Hours(1);
};

}  // namespace podferry

#endif  // PODFERRY_CORE_BASE_TESTING_FAKE_CLOCK_H_
