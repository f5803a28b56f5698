// What submitters report by themselves, deltas and snapshots, and what they are asked for when it
// is not known who has a job.

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/wire/codec.h"
#include "glog/logging.h"
#include "plugin/dispatcher.h"

namespace podferry {

void Dispatcher::OnStatus(absl::string_view, const SubmitterStamp& by, uint64_t number,
                          const JobStatus& status) {
  table_.Post(status.key.uid, [this, by, number, status](Job* job) {
    if (job == nullptr) return;
    Apply(*job, podferry::OnStatus(job->record, by, number, status, clock_.Now()));
    // The end of something that is to be deleted: its confirmation can be had now.
    if (IsFinal(status.phase) && job->step == Step::kDelete) RetryNow(*job);
  });
}

void Dispatcher::OnSnapshotJob(absl::string_view pool, const SubmitterStamp& by, uint64_t number,
                               const JobDescription& job, const JobStatus& status) {
  if (status.key.origin != stamp_.origin) return;
  const SubmitterInfo* const submitter = directory_.FindSubmitter(pool, by.id);
  const std::string backend_id = submitter == nullptr ? "" : submitter->backend_id;
  if (table_.Find(status.key.uid) == nullptr) {
    Recover(job, by, backend_id, number, status);
    return;
  }
  table_.Post(
      status.key.uid, [this, by, number, status, backend_id, pool = std::string(pool)](Job* job) {
        if (job == nullptr) return;
        const SubmitterInfo* const owner = directory_.FindSubmitter(pool, job->record.owner);
        const bool silent = owner == nullptr || owner->silent();
        Outcome outcome = OnFound(job->record, by, backend_id, silent, clock_.Now());
        if (outcome.persist != Outcome::Persist::kNothing) Apply(*job, std::move(outcome));
        OnStatus(pool, by, number, status);
      });
}

// A job of ours that we know nothing of: our journal was lost. What is needed to answer for it, and
// to delete it, is in the snapshot.
void Dispatcher::Recover(const JobDescription& description, const SubmitterStamp& by,
                         absl::string_view backend_id, uint64_t number, const JobStatus& status) {
  if (description.key != status.key || status.phase == JobPhase::kDeleted) return;
  JobRecord record;
  record.job = description;
  const auto source = description.annotations.find(kSourceAnnotation);
  record.source = source != description.annotations.end() && source->second == "cli"
                      ? JobSource::kCli
                      : JobSource::kRecovered;
  record.created_at = clock_.Now();
  record.round = 1;
  record.owner = by.id;
  record.owner_epoch = by.epoch;
  record.owner_backend = std::string(backend_id);
  record.started = true;
  record.status = status;
  record.status_epoch = by.epoch;
  record.status_number = number;
  record.Note(clock_.Now(), absl::StrCat("learned of from ", by.id));
  LOG(WARNING) << "job " << description.key.ToString() << " of submitter " << by.id
               << " was not known here: taken up again";
  table_.Create(std::move(record), {}, [](absl::Status) {});
}

void Dispatcher::OnSnapshotDone(absl::string_view pool, const SubmitterStamp& by,
                                const absl::flat_hash_set<std::string>& uids) {
  table_.ForEach([&](Job& job) {
    const JobRecord& record = job.record;
    if (job.busy || record.owner != by.id || record.job.pool != pool || !record.started) return;
    if (IsFinal(record.status.phase) || uids.contains(job.uid())) return;
    CheckMissing(job, by);
  });
}

// The owner's snapshot is without the job; it may just be older. If the owner says so when it is
// asked, too, the job is lost.
void Dispatcher::CheckMissing(Job& job, const SubmitterStamp& by) {
  const JobDescription& description = job.record.job;
  bus_.Request(
      subjects_.Job(description.pool, by.id, "status", description.SubjectName()),
      wire::Encode(StatusRequest{stamp_, description.key}), options_.start_timeout,
      [this, uid = job.uid(), by,
       alive = std::weak_ptr<bool>(alive_)](absl::StatusOr<std::string> answer) {
        if (alive.expired() || !answer.ok()) return;
        absl::StatusOr<StatusReply> reply = wire::Decode<StatusReply>(*answer);
        if (!reply.ok() || reply->by.id != by.id) return;
        table_.Post(uid, [this, reply = *std::move(reply)](Job* job) {
          if (job == nullptr || job->record.owner != reply.by.id) return;
          Apply(*job, reply.known
                          ? podferry::OnStatus(job->record, reply.by, 0, reply.status, clock_.Now())
                          : OnOwnerLost(job->record,
                                        absl::StrCat("submitter ", reply.by.id,
                                                     " does not know this job any more"),
                                        clock_.Now()));
        });
      });
}

void Dispatcher::FindEverywhere(const JobDescription& job, bool forget,
                                absl::AnyInvocable<void(const FindReply&)> each,
                                absl::AnyInvocable<void()> done) {
  const uint64_t id = next_id_++;
  finds_[id] = nullptr;
  std::unique_ptr<Bus::Handle> handle = bus_.RequestMany(
      subjects_.Find(job.pool, job.SubjectName()), wire::Encode(Find{stamp_, job.key, forget}),
      options_.find_timeout,
      [each = std::move(each)](std::string payload) mutable {
        absl::StatusOr<FindReply> reply = wire::Decode<FindReply>(payload);
        if (reply.ok()) each(*reply);
      },
      [this, id, done = std::move(done)]() mutable {
        auto ended = finds_.extract(id);  // with it goes this very function, at the end
        done();
      });
  finds_[id] = std::move(handle);
}

void Dispatcher::SendForget(Job& job) {
  const uint32_t generation = ++job.generation;
  FindEverywhere(
      job.record.job, /*forget=*/true,
      [this, uid = job.uid()](const FindReply& reply) {
        table_.Post(uid, [this, reply](Job* job) {
          if (job != nullptr) Apply(*job, OnForgetReply(job->record, reply, clock_.Now()));
        });
      },
      [this, uid = job.uid(), generation] {
        retries_.Done();
        table_.Post(uid, [this, generation](Job* job) {
          if (job != nullptr) Settle(*job, generation, /*answered=*/false);
        });
      });
}

void Dispatcher::Seek(Job& job) {
  job.sought_at = clock_.Monotonic();
  FindEverywhere(
      job.record.job, /*forget=*/false,
      [this, uid = job.uid(), pool = job.record.job.pool](const FindReply& reply) {
        if (!reply.known) return;
        table_.Post(uid, [this, reply, pool](Job* job) {
          if (job == nullptr) return;
          const SubmitterInfo* const owner = directory_.FindSubmitter(pool, job->record.owner);
          const bool silent = owner == nullptr || owner->silent();
          Outcome outcome = OnFound(job->record, reply.by, reply.backend_id, silent, clock_.Now());
          if (outcome.persist == Outcome::Persist::kNothing) return;
          Apply(*job, std::move(outcome));
          table_.Post(job->uid(), [this, reply](Job* job) {
            if (job == nullptr) return;
            Apply(*job, podferry::OnStatus(job->record, reply.by, 0, reply.status, clock_.Now()));
          });
        });
      },
      [] {});
}

}  // namespace podferry
