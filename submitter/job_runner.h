// Carries out what the records say: fetches scripts, hands them to the backend, looks up what is in
// doubt, takes what the backend reports into the records. It decides nothing about who may run what
// (job_state.h), answers nobody (job_server.h) and ends nothing (job_ender.h).
//
// All of it can be taken up again from the records alone: Resume() after a crash does.
// Owned by the daemon; loop thread only.

#ifndef PODFERRY_SUBMITTER_JOB_RUNNER_H_
#define PODFERRY_SUBMITTER_JOB_RUNNER_H_

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/job/job_key.h"
#include "core/os/event_loop.h"
#include "submitter/backend/backend.h"
#include "submitter/bundle_fetcher.h"
#include "submitter/lifetime.h"
#include "submitter/records.h"
#include "submitter/status_keeper.h"

namespace podferry {

class JobRunner {
 public:
  struct Events {
    // A job runs although it was deleted, and had been gone: end it again.
    absl::AnyInvocable<void(const JobKey&)> revived;
    // A job was handed over, or the backend offers something else.
    absl::AnyInvocable<void()> load_changed;
  };

  JobRunner(Records& records, Backend& backend, BackendCapabilities capabilities,
            absl::Duration poll_interval, BundleFetcher& fetcher, StatusKeeper& statuses,
            const Clock& clock, EventLoop& loop, Events events);

  // Takes up everything that the records say is to be run and nobody does, and observes the
  // backend.
  void Resume();
  // The same, but not at once: the disk was full, say.
  void ResumeLater();

  // The start of this job is durable. The script, if it is at hand; else it is read or fetched.
  void Run(const JobKey& key, std::optional<std::string> script);

  // The job was deleted: nothing is done for it any more.
  void Forget(const JobKey& key);

  // As the backend last told it.
  const std::map<std::string, std::string>& resources() const { return resources_; }

  size_t live_jobs() const;

 private:
  // What is under way for one job; never two things at a time.
  struct Work {
    enum class Kind { kFetching, kSubmitting, kLookingUp };
    Kind kind;
    uint64_t id;
    int attempts = 0;
    Timer timer;
  };

  Work& Begin(const JobKey& key, Work::Kind kind);
  bool Current(const JobKey& key, uint64_t id) const;
  void Finish(const JobKey& key) { work_.erase(key); }

  void FetchScript(const JobKey& key);
  void ReadScriptAndSubmit(const JobKey& key);
  void QueueSubmission(const JobKey& key, std::string script);
  void SubmitQueued();
  void OnSubmitted(SubmitResult result);
  void SubmitLater(const JobKey& key, const std::string& why);
  void SubmitAgain(JobKey key, int attempts);

  void LookUp(const JobKey& key);
  void AskBackend(const JobKey& key, uint64_t id);
  void OnLookedUp(const JobKey& key, uint64_t id, absl::StatusOr<std::optional<ObservedJob>> found);
  void OnNowhere(const JobKey& key);

  void ObserveBackend();
  void OnObservation(absl::StatusOr<Observation> observation);
  void OnSeen(ObservedJob job);
  void LookUpMissing(const std::vector<JobKey>& seen);

  void Fail(const JobKey& key, FailureReason reason, absl::string_view message);

  Records& records_;
  Backend& backend_;
  const BackendCapabilities capabilities_;
  const absl::Duration poll_interval_;
  BundleFetcher& fetcher_;
  StatusKeeper& statuses_;
  const Clock& clock_;
  EventLoop& loop_;
  Events events_;

  absl::flat_hash_map<JobKey, std::unique_ptr<Work>> work_;
  uint64_t last_work_ = 0;
  std::vector<Submission> queued_;
  std::map<std::string, std::string> resources_;
  Timer observe_timer_;
  bool backend_silent_ = false;
  Lifetime lifetime_;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_JOB_RUNNER_H_
