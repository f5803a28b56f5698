#ifndef PODFERRY_E2E_HARNESS_WAIT_H_
#define PODFERRY_E2E_HARNESS_WAIT_H_

#include <functional>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace podferry::e2e {

// How long a whole-system test waits for what must come. Long, since machines are slow at times; a
// test that passes never waits it out.
inline constexpr absl::Duration kDeadline = absl::Seconds(60);

// Asks until the condition holds: true; false at the deadline.
inline bool WaitFor(const std::function<bool()>& condition, absl::Duration deadline = kDeadline) {
  absl::Time end = absl::Now() + deadline;
  while (!condition()) {
    if (absl::Now() >= end) return false;
    absl::SleepFor(absl::Milliseconds(10));
  }
  return true;
}

}  // namespace podferry::e2e

#endif  // PODFERRY_E2E_HARNESS_WAIT_H_
