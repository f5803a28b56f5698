// What a job's status becomes when its backend has been looked at. Pure; any thread.

#ifndef PODFERRY_SUBMITTER_STATUS_MERGE_H_
#define PODFERRY_SUBMITTER_STATUS_MERGE_H_

#include "absl/time/time.h"
#include "core/job/job_request.h"
#include "core/job/job_status.h"

namespace podferry {

// `known` brought up to what was `seen`. A phase never goes back, and nothing follows a final one.
// Every container of the job is in the result, in its order, however little the backend told: one
// that nobody has seen ends with its job, with the job's reason. `changed_at` is `now` if anything
// changed, else the result equals `known`.
JobStatus MergeStatus(const JobDescription& job, const JobStatus& known, const JobStatus& seen,
                      absl::Time now);

// The end of a job that was decided here, such as NodeLost: all its containers end with it.
JobStatus FailedStatus(const JobDescription& job, const JobStatus& known, FailureReason reason,
                       absl::string_view message, absl::Time now);

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_STATUS_MERGE_H_
