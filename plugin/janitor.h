// Clears away what nobody wants any more: jobs whose pods are gone from the cluster, jobs that have
// been over for a week, tombstones that have done their work. Keeps watch over the polls that tell.
//
// Owned by the daemon; event loop's thread only.

#ifndef PODFERRY_PLUGIN_JANITOR_H_
#define PODFERRY_PLUGIN_JANITOR_H_

#include <cstddef>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/os/event_loop.h"
#include "plugin/dispatcher.h"
#include "plugin/job_table.h"

namespace podferry {

struct JanitorOptions {
  absl::Duration orphan_after = absl::Minutes(10);  // without a poll while others are polled
  absl::Duration keep_finished = absl::Hours(7 * 24);
  absl::Duration keep_tombstones = absl::Hours(24);
  // How long an unknown pod with a JobID may be asked for until it is said to be lost; zero: for
  // ever.
  absl::Duration lost_after = absl::Minutes(15);
};

class Janitor {
 public:
  // `connected` says whether our round trip to NATS works: without it nobody is given up.
  Janitor(EventLoop& loop, const Clock& clock, JobTable& table, Dispatcher& dispatcher,
          absl::AnyInvocable<bool()> connected, JanitorOptions options);

  void Start() { Tick(); }

  // The job has just been created, or asked for: its pod exists.
  void OnWanted(Job& job);
  // The same, by GET /status: polls flow.
  void OnPoll(Job& job);

  // A pod with a JobID is asked for that nobody knows. True when it is lost.
  bool OnUnknownPoll(absl::string_view uid);

 private:
  struct UnknownPod {
    absl::Duration first_asked;  // on connected_for_'s scale
    absl::Duration last_asked;   // monotonic
  };

  void Tick();
  void Sweep(Job& job);

  EventLoop& loop_;
  const Clock& clock_;
  JobTable& table_;
  Dispatcher& dispatcher_;
  absl::AnyInvocable<bool()> connected_;
  const JanitorOptions options_;

  // How long polls have been flowing, and when the last one came.
  absl::Duration polls_flowed_ = absl::ZeroDuration();
  absl::Duration last_poll_ = -absl::InfiniteDuration();
  absl::Duration connected_for_ = absl::ZeroDuration();
  absl::Duration last_tick_;
  absl::flat_hash_map<std::string, UnknownPod> unknown_;
  Timer timer_;
};

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_JANITOR_H_
