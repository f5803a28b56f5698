// Time as an interface, so that a test decides what time it is. Given to constructors by main();
// every method may be called from any thread.

#ifndef PODFERRY_CORE_BASE_CLOCK_H_
#define PODFERRY_CORE_BASE_CLOCK_H_

#include "absl/time/time.h"

namespace podferry {

class Clock {
 public:
  virtual ~Clock() = default;

  // The time of day, for what people and other machines read. It may jump, in both directions.
  virtual absl::Time Now() const = 0;

  // Time since some fixed point, the same for the life of the process. It never goes back, whatever
  // happens to the time of day; use it for timeouts, grace periods and backoff.
  virtual absl::Duration Monotonic() const = 0;
};

// The clock of this machine. Monotonic() counts the time that the machine was suspended
// (CLOCK_BOOTTIME): a lease must not outlive a laptop's closed lid.
class RealClock : public Clock {
 public:
  absl::Time Now() const override;
  absl::Duration Monotonic() const override;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_BASE_CLOCK_H_
