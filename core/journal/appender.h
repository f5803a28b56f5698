// Puts groups of records at the end of the newest segment, all or nothing. Belongs to the writer
// and is used by its thread only.

#ifndef PODFERRY_CORE_JOURNAL_APPENDER_H_
#define PODFERRY_CORE_JOURNAL_APPENDER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/journal/format.h"
#include "core/journal/journal.h"
#include "core/journal/outgoing.h"
#include "core/journal/segment_files.h"
#include "core/os/file_system.h"

namespace podferry::journal_internal {

class Appender {
 public:
  using Group = std::vector<Outgoing*>;

  // `newest` is the segment to go on with; id 0: there is none yet. Its records end with sequence
  // number `last_sequence`.
  Appender(const JournalOptions& options, FileSystem& file_system, SegmentFiles& files,
           SegmentName newest, uint64_t last_sequence);

  // Opens the newest segment, or creates the first.
  absl::Status Start();

  // Writes the group, makes it durable, and returns where its records are. RESOURCE_EXHAUSTED or
  // UNAVAILABLE: nothing of the group is in the journal, and a later attempt may succeed. Any other
  // error: what is on the disk is in doubt; give up.
  absl::StatusOr<std::vector<JournalPosition>> Write(const Group& group);

  // Whether there is space again: writes a little beside the segments, and removes it.
  absl::Status Probe();

  absl::Duration last_sync() const { return last_sync_; }

 private:
  absl::Status TryWrite(const Group& group, uint64_t bytes);
  absl::Status WriteBodies(const Group& group);
  absl::Status Rotate();
  absl::Status Sync();
  absl::Status Undo(const Group& group);
  std::vector<std::array<char, kRecordHeaderBytes>> EncodeHeaders(const Group& group) const;
  std::vector<JournalPosition> Accept(const Group& group);

  const JournalOptions options_;
  FileSystem& file_system_;
  SegmentFiles& files_;
  SegmentName segment_;
  std::unique_ptr<AppendFile> file_;
  uint64_t durable_bytes_ = 0;  // Of the segment: where the next group goes.
  uint64_t last_sequence_ = 0;
  absl::Duration last_sync_;
};

}  // namespace podferry::journal_internal

#endif  // PODFERRY_CORE_JOURNAL_APPENDER_H_
