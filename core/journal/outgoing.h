// Records on their way to the disk.

#ifndef PODFERRY_CORE_JOURNAL_OUTGOING_H_
#define PODFERRY_CORE_JOURNAL_OUTGOING_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/journal/format.h"
#include "core/journal/journal.h"
#include "core/journal/segment_files.h"

namespace podferry::journal_internal {

struct Outgoing {
  RecordHeader header;  // Its sequence and group offset are set when it is written.
  std::string head;
  std::string rest;  // What follows the head: the body, or the reference to its file.
  std::string body;  // A body that gets a file of its own. Such a record has no `rest` before.
  uint64_t body_file = 0;  // The file that `rest` refers to.
};

// A batch as records; bodies of more than `max_inline` bytes get files. INVALID_ARGUMENT: it is
// more than the format can hold.
absl::StatusOr<std::vector<Outgoing>> MakeBatch(std::vector<JournalEntry> entries,
                                                size_t max_inline);

// Copies of records that are in the journal, each a batch of its own. Errors: see Journal::Copy().
absl::StatusOr<std::vector<Outgoing>> MakeCopies(const std::vector<JournalPosition>& positions,
                                                 const SegmentFiles& files);

// How much of a segment they take.
uint64_t RecordBytes(const std::vector<Outgoing>& records);

}  // namespace podferry::journal_internal

#endif  // PODFERRY_CORE_JOURNAL_OUTGOING_H_
