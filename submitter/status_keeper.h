// Changes what the records say of a started job's state, and sees to it that whoever must know
// does: plugins through the status feed, the announcer where a job came or went.
//
// Owned by the daemon; loop thread only.

#ifndef PODFERRY_SUBMITTER_STATUS_KEEPER_H_
#define PODFERRY_SUBMITTER_STATUS_KEEPER_H_

#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "core/base/clock.h"
#include "core/job/job_key.h"
#include "core/job/job_status.h"
#include "submitter/job_record.h"
#include "submitter/lifetime.h"
#include "submitter/records.h"
#include "submitter/status_feed.h"

namespace podferry {

class StatusKeeper {
 public:
  struct Events {
    // A job has been found, or has come to its end.
    absl::AnyInvocable<void()> load_changed;
    // A state could not be journalled: what was seen has to be looked for again.
    absl::AnyInvocable<void()> not_kept;
  };

  StatusKeeper(Records& records, StatusFeed& feed, const Clock& clock);
  // Before anything else; whom it calls may be made after it.
  void SetEvents(Events events) { events_ = std::move(events); }

  // `change` gets the record, unless the job was deleted; what it keeps is told to the plugins.
  void Update(const JobKey& key, Records::Change change);

  // The job ends here and now, unless it has ended before.
  void Fail(const JobKey& key, FailureReason reason, absl::string_view message);

 private:
  Records& records_;
  StatusFeed& feed_;
  const Clock& clock_;
  Events events_;
  Lifetime lifetime_;
};

// The new status, with a line of the timeline whenever the phase, or why the job waits, is new.
void TakeStatus(JobRecord& record, JobStatus status, absl::Time now);

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_STATUS_KEEPER_H_
