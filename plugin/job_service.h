// What the plugin does, without any HTTP: takes pods, deletes them, answers for them. interLink's
// API, the command line's and the embedded virtual node are three faces of it.
//
// Owned by the daemon; event loop's thread only. Callbacks come on the loop, possibly within the
// call.

#ifndef PODFERRY_PLUGIN_JOB_SERVICE_H_
#define PODFERRY_PLUGIN_JOB_SERVICE_H_

#include <optional>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/base/issues.h"
#include "core/pod/retrieved_pod.h"
#include "plugin/dispatcher.h"
#include "plugin/janitor.h"
#include "plugin/job_record.h"
#include "plugin/job_table.h"

namespace podferry {

struct CreateResult {
  enum class Kind {
    kCreated,      // durable
    kExists,       // it was there before: nothing was started anew
    kDeleted,      // it has a tombstone: nothing will be started
    kRefused,      // it can never work: issues say why
    kUnavailable,  // not now: message says why
  };
  Kind kind = Kind::kRefused;
  std::string uid;
  Issues issues;
  std::string message;  // of what cannot be read at all, or why not now
};

class JobService {
 public:
  using CreateDone = absl::AnyInvocable<void(CreateResult)>;

  JobService(const Clock& clock, JobTable& table, Dispatcher& dispatcher, Janitor& janitor,
             std::string origin);

  // interLink's RetrievedPodData.
  void Create(std::string body, CreateDone done);
  // The command line's (pod_body.h), for the pool. A pod without a UID gets a new one.
  void Submit(std::string body, absl::string_view pool, CreateDone done);

  struct DeleteRequest {
    std::string uid;
    std::string pod_namespace;  // these three: for a job that is not known here
    std::string pod_name;
    std::string pool;
    std::optional<absl::Duration> grace;  // none: the pod's own
  };
  // `done` gets OK once the delete is durable, unknown jobs included: a create that comes after it
  // starts nothing. INVALID_ARGUMENT: no usable UID; UNAVAILABLE: the store does not take it.
  void Delete(DeleteRequest request, absl::AnyInvocable<void(absl::Status)> done);

  // One element of GET /status's answer, valid until the next call; empty for an unknown job. A
  // poll: the pod exists.
  absl::string_view Poll(absl::string_view uid);
  // An unknown pod that has a JobID: true once it is lost.
  bool PollUnknown(absl::string_view uid) { return janitor_.OnUnknownPoll(uid); }

  // By UID, "origin/uid", "namespace/name" (the newest of that name), or null.
  Job* Lookup(absl::string_view name);

  // Why a queued job waits.
  PoolDirectory::WaitReason Waiting(const Job& job) const { return dispatcher_.Waiting(job); }

  // Told of every create's result, for metrics.
  void WatchCreates(absl::AnyInvocable<void(CreateResult::Kind)> watcher) {
    watcher_ = std::move(watcher);
  }

  size_t queued(absl::string_view pool) const { return dispatcher_.queued(pool); }

  JobTable& table() { return table_; }

 private:
  void Answer(CreateDone& done, CreateResult result);
  void Admit(RetrievedPod pod, std::string body, JobSource source, CreateDone done);
  void OnExisting(Job& job, CreateDone done);

  const Clock& clock_;
  JobTable& table_;
  Dispatcher& dispatcher_;
  Janitor& janitor_;
  const std::string origin_;
  absl::AnyInvocable<void(CreateResult::Kind)> watcher_;
};

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_JOB_SERVICE_H_
