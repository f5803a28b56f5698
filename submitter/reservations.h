// When places that were promised lapse: after a minute by the monotonic clock, unless a start came.
// Whether one is still only reserved the job's record decides, not this.
//
// Owned by the job server; loop thread only.

#ifndef PODFERRY_SUBMITTER_RESERVATIONS_H_
#define PODFERRY_SUBMITTER_RESERVATIONS_H_

#include <cstdint>
#include <deque>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/job/job_key.h"
#include "core/os/event_loop.h"

namespace podferry {

inline constexpr absl::Duration kReservationTime = absl::Seconds(60);

class Reservations {
 public:
  using Lapse = absl::AnyInvocable<void(const JobKey& key, uint32_t round)>;

  Reservations(const Clock& clock, EventLoop& loop, Lapse lapse);

  // `lapse` is called for it once kReservationTime has passed.
  void Add(const JobKey& key, uint32_t round);

 private:
  struct Entry {
    absl::Duration due;
    JobKey key;
    uint32_t round;
  };

  void Arm();
  void RunDue();

  const Clock& clock_;
  EventLoop& loop_;
  Lapse lapse_;
  std::deque<Entry> entries_;  // the time is the same for all, so they are in order
  Timer timer_;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_RESERVATIONS_H_
