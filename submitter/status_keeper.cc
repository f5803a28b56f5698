#include "submitter/status_keeper.h"

#include <glog/logging.h>

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "submitter/status_merge.h"

namespace podferry {

using Write = Records::Write;

StatusKeeper::StatusKeeper(Records& records, StatusFeed& feed, const Clock& clock)
    : records_(records), feed_(feed), clock_(clock) {}

void TakeStatus(JobRecord& record, JobStatus status, absl::Time now) {
  if (status.phase != record.status.phase) {
    std::string event(ToString(status.phase));
    if (status.phase == JobPhase::kFailed) absl::StrAppend(&event, ", ", ToString(status.failure));
    if (!status.message.empty()) absl::StrAppend(&event, ": ", status.message);
    record.Note(now, std::move(event));
  } else if (status.message != record.status.message && !status.message.empty()) {
    record.Note(now, status.message);
  }
  record.status = std::move(status);
}

void StatusKeeper::Update(const JobKey& key, Records::Change change) {
  struct Result {
    bool changed = false;
    bool came_or_went = false;
  };
  auto result = std::make_shared<Result>();
  records_.Update(
      key,
      [result, change = std::move(change)](JobRecord& record) mutable -> Write {
        if (record.state.tombstone) return {};
        const bool was_live = IsLive(record);
        Write write = change(record);
        result->changed = write.kind == Write::Kind::kKeep;
        result->came_or_went = was_live != IsLive(record);
        return write;
      },
      lifetime_.Bind([this, key, result](absl::Status status) {
        if (!status.ok()) {
          LOG(ERROR) << key.ToString() << ": its state cannot be journalled: " << status;
          return events_.not_kept();
        }
        if (!result->changed) return;
        feed_.Changed(key);
        if (result->came_or_went) events_.load_changed();
      }));
}

void StatusKeeper::Fail(const JobKey& key, FailureReason reason, absl::string_view message) {
  LOG(WARNING) << key.ToString() << ": failed, " << ToString(reason) << ": " << message;
  Update(key, [this, reason, message = std::string(message)](JobRecord& record) -> Write {
    if (IsFinal(record.status.phase)) return {};
    const absl::Time now = clock_.Now();
    TakeStatus(record, FailedStatus(record.job, record.status, reason, message, now), now);
    record.script_here = false;
    return {.kind = Write::Kind::kKeep, .drop_script = true};
  });
}

}  // namespace podferry
