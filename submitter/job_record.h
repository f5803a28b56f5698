// What a submitter journals of one job, and its JSON form: small, whole, rewritten on every change.
// The script lies beside it under a key of its own until the backend has it. Plain values, owned by
// Records.

#ifndef PODFERRY_SUBMITTER_JOB_RECORD_H_
#define PODFERRY_SUBMITTER_JOB_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/job/job_request.h"
#include "core/job/job_status.h"
#include "core/wire/messages.h"
#include "submitter/job_state.h"

namespace podferry {

// Longest history that is kept; the first entry and the newest ones stay.
inline constexpr size_t kMaxTimeline = 24;

struct JobRecord {
  JobDescription job;  // only the key is sure: a tombstone of a job never seen has no more
  JobState state;

  std::string digest;        // of the script, SHA-256 in hex
  uint64_t size = 0;         // of the script, bytes
  bool script_here = false;  // the store has it; not any more once submitted
  bool submitted = false;    // the backend has said that it has the job

  // What is known of it; the phase is Unspecified until something was started.
  JobStatus status;

  absl::Duration delete_grace = absl::Seconds(30);  // with a tombstone
  bool gone = false;  // with a tombstone: nothing of it runs and nothing ever will

  absl::Time touched = absl::InfinitePast();  // last change: tombstones and refusals expire by it
  uint64_t epoch = 0;                         // of the submitter that wrote it last
  std::vector<TimelineEntry> timeline;

  void Note(absl::Time time, std::string event);

  friend bool operator==(const JobRecord&, const JobRecord&) = default;
};

// Whether it is to be run, and its end has not been seen.
bool IsLive(const JobRecord& record);
// Whether only "never again" is left of it, which is forgotten after a day.
bool IsOnlyRefusal(const JobRecord& record);

// A job that has just been started, as far as anybody knows: every container waits.
JobStatus FreshStatus(const JobDescription& job, absl::Time now);

std::string RecordToJson(const JobRecord& record);
// INVALID_ARGUMENT names what is wrong with the text.
absl::StatusOr<JobRecord> ParseRecord(absl::string_view text);

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_JOB_RECORD_H_
