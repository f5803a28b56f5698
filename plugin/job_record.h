// What the plugin journals of one job, and its JSON form: small, whole, rewritten on every change.
// The pod's body and the script are not in here (store_keys.h says where they lie). Plain values:
// the job table owns them, on the event loop's thread.

#ifndef PODFERRY_PLUGIN_JOB_RECORD_H_
#define PODFERRY_PLUGIN_JOB_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/job/job_request.h"
#include "core/job/job_status.h"
#include "core/wire/messages.h"

namespace podferry {

enum class JobSource {
  kInterLink = 0,
  kCli,        // `podferry submit`: no cluster polls it, so it is never swept as an orphan
  kRecovered,  // found in a submitter's snapshot: this plugin has neither pod nor script of it
};

// A delete that was asked for. It is sent until it is confirmed, and kept for a while after that.
struct Tombstone {
  absl::Time requested_at;
  absl::Time confirmed_at = absl::InfiniteFuture();  // InfiniteFuture: not confirmed yet
  absl::Duration grace = absl::Seconds(30);
  std::string why;  // "deleted", "its pool fell silent"

  bool confirmed() const { return confirmed_at != absl::InfiniteFuture(); }
  friend bool operator==(const Tombstone&, const Tombstone&) = default;
};

// Longest history that is kept; the first entry and the newest ones stay.
inline constexpr size_t kMaxTimeline = 24;

struct JobRecord {
  JobDescription job;
  JobSource source = JobSource::kInterLink;
  absl::Time created_at;

  uint32_t round = 0;                 // of offering; 0: nothing is frozen yet
  std::vector<std::string> warnings;  // what the frozen script leaves out, with field paths
  std::string digest;                 // of the frozen script
  uint64_t script_size = 0;           // bytes

  std::string owner;  // a submitter's id; empty: nobody's
  uint64_t owner_epoch = 0;
  std::string owner_backend;  // its backend id, for adoption by another submitter of the backend
  bool started = false;       // the owner has confirmed the start

  JobStatus status;  // its key is not written: it is the job's
  // Of the newest delta seen: a late one does not undo it.
  uint64_t status_epoch = 0;
  uint64_t status_number = 0;

  std::optional<Tombstone> tombstone;
  std::vector<TimelineEntry> timeline;

  bool deleting() const { return tombstone.has_value() && !tombstone->confirmed(); }
  void Note(absl::Time time, std::string event);

  friend bool operator==(const JobRecord&, const JobRecord&) = default;
};

std::string ToJson(const JobRecord& record);

// DATA_LOSS, saying which field, for what ToJson never wrote.
absl::StatusOr<JobRecord> ParseJobRecord(absl::string_view json);

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_JOB_RECORD_H_
