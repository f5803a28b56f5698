#include "submitter/job_ender.h"

#include <glog/logging.h>

#include <optional>
#include <utility>
#include <vector>

#include "submitter/pause.h"

namespace podferry {
namespace {

using Write = Records::Write;

// A tombstone is kept for a day, by the thousand: only what names the job stays.
void KeepOnlyTheName(JobRecord& record, absl::Time now) {
  record.gone = true;
  record.script_here = false;
  record.Note(now, "gone");
  record.job.containers.clear();
  record.job.resources.clear();
  record.job.annotations.clear();
  if (!record.state.HasStarted()) return;
  record.status.phase = JobPhase::kDeleted;
  record.status.message.clear();
  record.status.containers.clear();
  record.status.changed_at = now;
}

}  // namespace

JobEnder::JobEnder(Records& records, Backend& backend, StatusFeed& feed, const Clock& clock,
                   EventLoop& loop, absl::AnyInvocable<void(const JobKey&)> gone)
    : records_(records),
      backend_(backend),
      feed_(feed),
      clock_(clock),
      loop_(loop),
      gone_(std::move(gone)) {}

void JobEnder::Resume() {
  std::vector<JobKey> deleted;
  records_.ForEach([&](const JobRecord& record) {
    const bool open = record.state.tombstone && !record.gone;
    if (open && !work_.contains(record.job.key)) deleted.push_back(record.job.key);
  });
  for (const JobKey& key : deleted) End(key);
}

void JobEnder::End(const JobKey& key) {
  const JobRecord* record = records_.Find(key);
  if (record == nullptr || !record->state.tombstone) return;
  auto work = std::make_unique<Work>();
  work->id = ++last_id_;
  work_[key] = std::move(work);
  Try(key, last_id_);
}

JobEnder::Work* JobEnder::Current(const JobKey& key, uint64_t id) {
  const auto work = work_.find(key);
  return work == work_.end() || work->second->id != id ? nullptr : work->second.get();
}

void JobEnder::Try(const JobKey& key, uint64_t id) {
  const JobRecord* record = records_.Find(key);
  if (record == nullptr) {
    work_.erase(key);
  } else if (record->state.HasStarted() || record->gone) {
    Cancel(key, id);
  } else {
    FindThenCancel(key, id);
  }
}

// By our records nothing was started; the backend may know better (a lost journal).
void JobEnder::FindThenCancel(const JobKey& key, uint64_t id) {
  backend_.Find(key,
                lifetime_.Bind([this, key, id](absl::StatusOr<std::optional<ObservedJob>> found) {
                  if (Current(key, id) == nullptr) return;
                  if (!found.ok()) return TryLater(key, id);
                  if (found->has_value()) return Cancel(key, id);
                  Confirm(key, id);
                }));
}

void JobEnder::Cancel(const JobKey& key, uint64_t id) {
  backend_.Cancel(key, records_.Find(key)->delete_grace,
                  lifetime_.Bind([this, key, id](absl::Status status) {
                    if (Current(key, id) == nullptr) return;
                    if (status.ok()) return Confirm(key, id);
                    LOG(WARNING) << key.ToString() << ": cannot be ended yet: " << status;
                    TryLater(key, id);
                  }));
}

void JobEnder::TryLater(const JobKey& key, uint64_t id) {
  Work* work = Current(key, id);
  if (work == nullptr) return;
  work->timer = loop_.RunAfter(PauseAfter(work->attempts++), [this, key, id] {
    const JobKey again = key;  // the work, and this with it, may end meanwhile
    Try(again, id);
  });
}

void JobEnder::Confirm(const JobKey& key, uint64_t id) {
  auto changed = std::make_shared<bool>(false);
  records_.Update(
      key,
      [this, changed](JobRecord& record) -> Write {
        if (record.gone) return {};
        *changed = true;
        KeepOnlyTheName(record, clock_.Now());
        return {.kind = Write::Kind::kKeep, .drop_script = true};
      },
      lifetime_.Bind([this, key, id, changed](absl::Status status) {
        if (!status.ok()) return TryLater(key, id);
        if (Current(key, id) != nullptr) work_.erase(key);
        if (*changed) feed_.Changed(key);
        gone_(key);
      }));
}

}  // namespace podferry
