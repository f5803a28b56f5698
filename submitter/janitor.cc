#include "submitter/janitor.h"

#include <vector>

#include "submitter/job_state.h"

namespace podferry {
namespace {

using Write = Records::Write;

constexpr absl::Duration kEvery = absl::Minutes(10);

bool MayForget(const JobRecord& record, absl::Time now) {
  return IsOnlyRefusal(record) && record.touched < now - kKeepRefusals;
}

bool IsAbandoned(const JobRecord& record, absl::Time now) {
  return !record.state.tombstone && IsFinal(record.status.phase) &&
         record.touched < now - kKeepFinished;
}

}  // namespace

Janitor::Janitor(Records& records, JobEnder& ender, const Clock& clock, EventLoop& loop)
    : records_(records), ender_(ender), clock_(clock), loop_(loop) {}

void Janitor::Start() {
  const absl::Time now = clock_.Now();
  std::vector<JobKey> old, abandoned;
  records_.ForEach([&](const JobRecord& record) {
    if (MayForget(record, now)) old.push_back(record.job.key);
    if (IsAbandoned(record, now)) abandoned.push_back(record.job.key);
  });
  for (const JobKey& key : old) Forget(key);
  for (const JobKey& key : abandoned) Bury(key);
  timer_ = loop_.RunAfter(kEvery, [this] { Start(); });
}

void Janitor::Forget(const JobKey& key) {
  records_.Update(
      key,
      [this](JobRecord& record) -> Write {
        if (!MayForget(record, clock_.Now())) return {};
        return {.kind = Write::Kind::kRemove};
      },
      [](const absl::Status&) {});
}

void Janitor::Bury(const JobKey& key) {
  records_.Update(
      key,
      [this](JobRecord& record) -> Write {
        if (!IsAbandoned(record, clock_.Now())) return {};
        OnDelete(record.state);
        record.Note(clock_.Now(), "removed: it ended a month ago and nobody deleted it");
        return {.kind = Write::Kind::kKeep};
      },
      lifetime_.Bind([this, key](const absl::Status& status) {
        if (status.ok()) ender_.End(key);
      }));
}

}  // namespace podferry
