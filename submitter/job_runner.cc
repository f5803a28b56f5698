#include "submitter/job_runner.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "submitter/pause.h"
#include "submitter/status_merge.h"

namespace podferry {
namespace {

using Write = Records::Write;

Write Keep() { return {.kind = Write::Kind::kKeep}; }

}  // namespace

JobRunner::JobRunner(Records& records, Backend& backend, BackendCapabilities capabilities,
                     absl::Duration poll_interval, BundleFetcher& fetcher, StatusKeeper& statuses,
                     const Clock& clock, EventLoop& loop, Events events)
    : records_(records),
      backend_(backend),
      capabilities_(std::move(capabilities)),
      poll_interval_(poll_interval),
      fetcher_(fetcher),
      statuses_(statuses),
      clock_(clock),
      loop_(loop),
      events_(std::move(events)) {}

void JobRunner::Resume() {
  std::vector<JobKey> doubtful, unfetched;
  records_.ForEach([&](const JobRecord& record) {
    if (work_.contains(record.job.key) || !IsLive(record) || record.submitted) return;
    (record.script_here ? doubtful : unfetched).push_back(record.job.key);
  });
  // Whether the submission took effect before we ended, only the backend knows.
  for (const JobKey& key : doubtful) LookUp(key);
  for (const JobKey& key : unfetched) FetchScript(key);
  ObserveBackend();
}

void JobRunner::ResumeLater() {
  observe_timer_ = loop_.RunAfter(absl::Seconds(1), [this] { Resume(); });
}

void JobRunner::Forget(const JobKey& key) {
  fetcher_.Forget(key);
  Finish(key);
}

size_t JobRunner::live_jobs() const {
  size_t live = 0;
  records_.ForEach([&](const JobRecord& record) { live += IsLive(record) ? 1 : 0; });
  return live;
}

JobRunner::Work& JobRunner::Begin(const JobKey& key, Work::Kind kind) {
  auto work = std::make_unique<Work>();
  work->kind = kind;
  work->id = ++last_work_;
  return *(work_[key] = std::move(work));
}

bool JobRunner::Current(const JobKey& key, uint64_t id) const {
  const auto work = work_.find(key);
  return work != work_.end() && work->second->id == id;
}

// --- Submitting.

void JobRunner::Run(const JobKey& key, std::optional<std::string> script) {
  const JobRecord* record = records_.Find(key);
  if (record == nullptr || !IsLive(*record) || record->submitted) return;
  if (script.has_value()) {
    Begin(key, Work::Kind::kSubmitting);
    QueueSubmission(key, *std::move(script));
  } else if (record->script_here) {
    ReadScriptAndSubmit(key);
  } else {
    FetchScript(key);
  }
}

void JobRunner::FetchScript(const JobKey& key) {
  const JobRecord* record = records_.Find(key);
  const uint64_t id = Begin(key, Work::Kind::kFetching).id;
  fetcher_.Fetch(record->job, record->digest, record->size,
                 lifetime_.Bind([this, key, id](absl::StatusOr<std::string> script) {
                   if (!Current(key, id)) return;
                   if (!script.ok()) {
                     return Fail(key, FailureReason::kSubmitRejected, script.status().message());
                   }
                   records_.Update(
                       key,
                       [this, script = *script](JobRecord& record) mutable -> Write {
                         if (!IsLive(record)) return {};
                         record.script_here = true;
                         record.Note(clock_.Now(), "script fetched");
                         return {.kind = Write::Kind::kKeep, .script = std::move(script)};
                       },
                       lifetime_.Bind([this, key, id,
                                       script = *std::move(script)](absl::Status status) mutable {
                         if (!Current(key, id)) return;
                         if (!status.ok()) return SubmitLater(key, std::string(status.message()));
                         Begin(key, Work::Kind::kSubmitting);
                         QueueSubmission(key, std::move(script));
                       }));
                 }));
}

void JobRunner::ReadScriptAndSubmit(const JobKey& key) {
  const uint64_t id = Begin(key, Work::Kind::kSubmitting).id;
  records_.ReadScript(key, lifetime_.Bind([this, key, id](absl::StatusOr<std::string> script) {
    if (!Current(key, id)) return;
    if (script.ok()) return QueueSubmission(key, *std::move(script));
    if (absl::IsUnavailable(script.status())) {
      return SubmitLater(key, std::string(script.status().message()));
    }
    // Our copy is damaged or gone: the plugin has the original.
    LOG(WARNING) << key.ToString() << ": " << script.status() << "; fetching it again";
    FetchScript(key);
  }));
}

void JobRunner::QueueSubmission(const JobKey& key, std::string script) {
  const JobRecord* record = records_.Find(key);
  if (record == nullptr || !IsLive(*record)) return Finish(key);
  queued_.push_back({.job = record->job, .script = std::move(script)});
  // What else comes in this turn of the loop goes with it.
  if (queued_.size() == 1) loop_.Post(lifetime_.Bind([this] { SubmitQueued(); }));
}

void JobRunner::SubmitQueued() {
  std::vector<Submission> batch = std::exchange(queued_, {});
  std::erase_if(batch, [this](const Submission& submission) {
    const JobRecord* record = records_.Find(submission.job.key);
    return record == nullptr || !IsLive(*record);
  });
  if (batch.empty()) return;
  backend_.Submit(std::move(batch),
                  lifetime_.Bind([this](SubmitResult result) { OnSubmitted(std::move(result)); }));
}

void JobRunner::OnSubmitted(SubmitResult result) {
  const auto work = work_.find(result.key);
  if (work == work_.end() || work->second->kind != Work::Kind::kSubmitting) return;
  switch (result.outcome) {
    case SubmitOutcome::kAccepted:
      break;
    case SubmitOutcome::kRejected:
      return Fail(result.key, FailureReason::kSubmitRejected, result.message);
    case SubmitOutcome::kNotNow:
      return SubmitLater(result.key, result.message);
    case SubmitOutcome::kUncertain:
    case SubmitOutcome::kUnspecified:
      LOG(WARNING) << result.key.ToString() << ": submission in doubt: " << result.message;
      return LookUp(result.key);
  }
  Finish(result.key);
  statuses_.Update(result.key, [this, result](JobRecord& record) -> Write {
    if (record.submitted) return {};
    record.submitted = true;
    record.script_here = false;
    record.status.backend_job_id = result.backend_job_id;
    record.Note(clock_.Now(), absl::StrCat("submitted as ", result.backend_job_id));
    return {.kind = Write::Kind::kKeep, .drop_script = true};
  });
  events_.load_changed();
}

void JobRunner::SubmitLater(const JobKey& key, const std::string& why) {
  const auto work = work_.find(key);
  const int attempts = work == work_.end() ? 0 : work->second->attempts;
  statuses_.Update(key, [this, why](JobRecord& record) -> Write {
    if (record.status.message == why) return {};
    JobStatus status = record.status;
    status.message = why;
    status.changed_at = clock_.Now();
    TakeStatus(record, std::move(status), clock_.Now());
    return Keep();
  });
  Work& later = Begin(key, Work::Kind::kSubmitting);
  later.attempts = attempts + 1;
  later.timer = loop_.RunAfter(PauseAfter(attempts),
                               [this, key, attempts] { SubmitAgain(key, attempts + 1); });
}

void JobRunner::SubmitAgain(JobKey key, int attempts) {
  Run(key, std::nullopt);
  const auto work = work_.find(key);
  if (work != work_.end()) work->second->attempts = attempts;
}

void JobRunner::Fail(const JobKey& key, FailureReason reason, absl::string_view message) {
  statuses_.Fail(key, reason, message);
  Finish(JobKey(key));
}

// --- Looking up what is in doubt.

void JobRunner::LookUp(const JobKey& key) {
  const Work& work = Begin(key, Work::Kind::kLookingUp);
  AskBackend(key, work.id);
}

void JobRunner::AskBackend(const JobKey& key, uint64_t id) {
  backend_.Find(key,
                lifetime_.Bind([this, key, id](absl::StatusOr<std::optional<ObservedJob>> found) {
                  OnLookedUp(key, id, std::move(found));
                }));
}

void JobRunner::OnLookedUp(const JobKey& key, uint64_t id,
                           absl::StatusOr<std::optional<ObservedJob>> found) {
  if (!Current(key, id)) return;
  if (found.ok() && found->has_value()) {
    Finish(key);
    return OnSeen(**std::move(found));
  }
  Work& work = *work_.at(key);
  work.attempts = found.ok() ? work.attempts + 1 : 0;
  if (work.attempts >= 2) return OnNowhere(key);
  work.timer = loop_.RunAfter(capabilities_.lookup_interval,
                              [this, key, id] { AskBackend(JobKey(key), id); });
}

// Two lookups, an interval apart, found nothing of it.
void JobRunner::OnNowhere(const JobKey& key) {
  Finish(key);
  const JobRecord* record = records_.Find(key);
  if (record == nullptr || !IsLive(*record)) return;
  if (record->submitted) {
    return Fail(key, FailureReason::kNodeLost, "the backend does not know the job any more");
  }
  if (capabilities_.forgets_at_boot && records_.IsFromEarlierBoot(*record)) {
    return Fail(key, FailureReason::kNodeLost,
                "the machine was restarted while the job was being started");
  }
  Run(key, std::nullopt);
}

// --- Observing.

void JobRunner::ObserveBackend() {
  backend_.Observe(lifetime_.Bind(
      [this](absl::StatusOr<Observation> observation) { OnObservation(std::move(observation)); }));
}

void JobRunner::OnObservation(absl::StatusOr<Observation> observation) {
  const bool again = !observation.ok() || !capabilities_.pushes;
  if (again) {
    observe_timer_ = loop_.RunAfter(poll_interval_, [this] { ObserveBackend(); });
  }
  if (!observation.ok()) {
    // Said once: it may last for days.
    if (!std::exchange(backend_silent_, true)) {
      LOG(WARNING) << "the backend does not tell how its jobs are: " << observation.status();
    }
    return;
  }
  if (std::exchange(backend_silent_, false)) LOG(INFO) << "the backend tells of its jobs again";
  std::vector<JobKey> seen;
  for (ObservedJob& job : observation->jobs) {
    seen.push_back(job.status.key);
    OnSeen(std::move(job));
  }
  if (!observation->complete) return;
  LookUpMissing(seen);
  if (resources_ != observation->resources) {
    resources_ = std::move(observation->resources);
    events_.load_changed();
  }
}

void JobRunner::OnSeen(ObservedJob job) {
  const JobKey key = job.status.key;
  const JobRecord* record = records_.Find(key);
  if (record != nullptr && record->state.tombstone) {
    // It came to life after its end: a submission that took effect late.
    if (record->gone && !IsFinal(job.status.phase)) events_.revived(key);
    return;
  }
  const bool known = record != nullptr && record->state.HasStarted();
  if (!known) LOG(INFO) << key.ToString() << ": found in the backend without a record";
  statuses_.Update(key, [this, job = std::move(job)](JobRecord& record) mutable -> Write {
    const JobRecord before = record;
    if (!record.state.HasStarted()) {
      OnFound(record.state);
      if (job.job.has_value()) record.job = *std::move(job.job);
      record.status = FreshStatus(record.job, clock_.Now());
      record.Note(clock_.Now(), "found in the backend");
    }
    const bool adopted = !record.submitted;
    if (adopted) {
      record.Note(clock_.Now(), absl::StrCat("submitted as ", job.status.backend_job_id));
    }
    TakeStatus(record, MergeStatus(record.job, record.status, job.status, clock_.Now()),
               clock_.Now());
    record.submitted = true;
    record.script_here = false;
    if (record == before) return {};
    return {.kind = Write::Kind::kKeep, .drop_script = adopted};
  });
}

void JobRunner::LookUpMissing(const std::vector<JobKey>& seen) {
  const absl::flat_hash_set<JobKey> there(seen.begin(), seen.end());
  std::vector<JobKey> missing;
  records_.ForEach([&](const JobRecord& record) {
    if (IsLive(record) && record.submitted && !there.contains(record.job.key) &&
        !work_.contains(record.job.key)) {
      missing.push_back(record.job.key);
    }
  });
  for (const JobKey& key : missing) LookUp(key);
}

}  // namespace podferry
