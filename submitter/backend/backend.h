// What runs the scripts at a pool: a batch system, a container engine, or plain processes. All of
// them are this interface; how they differ is said by capability flags, never by their names, and
// every one passes backend/contract_test_suite.h.
//
// Made by main() (factory.h), used by the daemon on the event loop's thread only. No method blocks;
// every callback comes later on the loop, exactly once unless said otherwise, and none after the
// backend's destruction. The jobs themselves live on when a backend, or the whole submitter, ends.

#ifndef PODFERRY_SUBMITTER_BACKEND_BACKEND_H_
#define PODFERRY_SUBMITTER_BACKEND_BACKEND_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/job/job_key.h"
#include "core/job/job_request.h"
#include "core/job/job_status.h"
#include "submitter/backend/log_source.h"

namespace podferry {

struct BackendCapabilities {
  std::string name;  // "host", "slurm"...
  // Names the very thing that runs the jobs. Two submitters with the same id see the same jobs, so
  // one may answer for what the other has submitted.
  std::string id;
  // Observe() goes on telling what changes. Otherwise it is asked again every poll interval.
  bool pushes = false;
  // A submission that took effect shows in Find() after this time at the latest. Two lookups so far
  // apart must both find nothing before anybody believes that there is nothing.
  absl::Duration lookup_interval = absl::Seconds(10);
  // A restart of this machine ends the jobs, and may undo what is known of those just submitted:
  // one whose submission was under way then is lost, even if nothing of it is found.
  bool forgets_at_boot = false;
};

struct Submission {
  JobDescription job;
  std::string script;
};

enum class SubmitOutcome {
  kUnspecified = 0,
  kAccepted,   // the backend has it
  kRejected,   // it did nothing, and never will: the message says why
  kNotNow,     // it did nothing; a later attempt may do
  kUncertain,  // nobody knows: look the key up
};

struct SubmitResult {
  JobKey key;
  SubmitOutcome outcome = SubmitOutcome::kUnspecified;
  std::string backend_job_id;
  std::string message;
};

// A job as the backend sees it. `status.containers` may be empty where only the job as a whole is
// known; otherwise it has all of them in the order of the pod, the names filled in.
struct ObservedJob {
  JobStatus status;
  std::optional<JobDescription> job;  // where the backend kept it
};

struct Observation {
  bool complete = false;  // all jobs that the backend has; else only those that changed
  std::vector<ObservedJob> jobs;
  // What the pool offers by the backend's own account ("cpu" -> "64"), less what others use where
  // it tells. Only in complete ones; empty when it cannot tell.
  std::map<std::string, std::string> resources;
};

struct BackendReport {
  bool usable = false;
  BackendCapabilities capabilities;   // meaningful when usable
  std::vector<std::string> findings;  // in plain words, for --check and the log
};

struct LogQuery {
  JobKey key;
  int container_index = 0;  // in the order of the pod's containers, init containers first
  std::string container;
  int attempt = -1;  // from 0; -1: the newest; -2: the one before it
};

class Backend {
 public:
  // An error says that nothing is known now; it is never the end of a job.
  using Observer = absl::AnyInvocable<void(absl::StatusOr<Observation>)>;

  virtual ~Backend() = default;

  // What it can do, and whether it can do it now. Called before anything else, and again at will.
  virtual void Check(absl::AnyInvocable<void(BackendReport)> done) = 0;

  // Hands the batch over; `each` is called once per submission, in any order. A key that the
  // backend has already is kAccepted and not submitted again. The key goes with the job, so that
  // Find() and Observe() know it again whatever happens to us.
  virtual void Submit(std::vector<Submission> batch,
                      absl::AnyInvocable<void(SubmitResult)> each) = 0;

  // All jobs of ours and the resources, in one query. `observer` gets one complete observation or
  // an error; with `pushes`, whatever changes later follows, until another Observe() replaces it.
  virtual void Observe(Observer observer) = 0;

  // Ends the job, gracefully for `grace`, then by force, and removes all of it: processes, sandbox,
  // logs; only what keeps a late start from running stays behind. OK: nothing of it runs and
  // nothing ever will, which is also the answer for a key never seen. Repeated calls join; the
  // shortest grace counts. UNAVAILABLE: not now, call again.
  virtual void Cancel(const JobKey& key, absl::Duration grace,
                      absl::AnyInvocable<void(absl::Status)> done) = 0;

  // The job of that key, ended ones included until they are cancelled; nothing when the backend has
  // none. UNAVAILABLE: it cannot tell now.
  virtual void Find(const JobKey& key,
                    absl::AnyInvocable<void(absl::StatusOr<std::optional<ObservedJob>>)> done) = 0;

  // The log of one container. NOT_FOUND: the backend has nothing of this job, or no such attempt.
  virtual void OpenLog(
      const LogQuery& query,
      absl::AnyInvocable<void(absl::StatusOr<std::unique_ptr<LogSource>>)> done) = 0;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_BACKEND_BACKEND_H_
