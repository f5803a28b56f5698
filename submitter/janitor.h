// Forgets what need not be remembered any more: tombstones and refusals after a day, by when no
// late message of theirs is under way, and ends jobs that finished a month ago and that nobody
// deleted.
//
// Owned by the daemon; loop thread only.

#ifndef PODFERRY_SUBMITTER_JANITOR_H_
#define PODFERRY_SUBMITTER_JANITOR_H_

#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/os/event_loop.h"
#include "submitter/job_ender.h"
#include "submitter/lifetime.h"
#include "submitter/records.h"

namespace podferry {

inline constexpr absl::Duration kKeepRefusals = absl::Hours(24);
inline constexpr absl::Duration kKeepFinished = absl::Hours(30 * 24);

class Janitor {
 public:
  Janitor(Records& records, JobEnder& ender, const Clock& clock, EventLoop& loop);

  // Cleans up now, and every ten minutes from now on.
  void Start();

 private:
  void Forget(const JobKey& key);
  void Bury(const JobKey& key);

  Records& records_;
  JobEnder& ender_;
  const Clock& clock_;
  EventLoop& loop_;
  Timer timer_;
  Lifetime lifetime_;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_JANITOR_H_
