// What a journal holds, and what may have happened to it. Plain values.

#ifndef PODFERRY_CORE_JOURNAL_RECORD_H_
#define PODFERRY_CORE_JOURNAL_RECORD_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace podferry {

// Where a record lies. Valid until its segment is dropped.
struct JournalPosition {
  uint64_t segment = 0;
  uint32_t offset = 0;     // Of the record in the segment.
  uint32_t length = 0;     // Of the record there, with its header.
  uint64_t body_file = 0;  // The file that holds its body; 0: the body is in the record.

  friend bool operator==(const JournalPosition&, const JournalPosition&) = default;
};

// What the user writes; the journal does not look at it. The head is small (up to 4096 bytes: a
// key) and always replayed, the body may be large and is replayed only if it lies in the record.
struct JournalEntry {
  uint8_t type = 0;
  std::string head;
  std::string body;
};

// A record as it is replayed. The views are gone when the callback returns.
struct JournalRecord {
  uint64_t sequence = 0;  // From 1, rising; gaps only where damage was.
  uint8_t type = 0;
  absl::string_view head;
  absl::string_view body;  // Empty if position.body_file is set; Read() fetches it.
  JournalPosition position;
};

// A part of the journal that could not be read.
struct JournalDamage {
  enum class Kind {
    kTornTail,  // The end of the last segment, never acknowledged: expected after a power loss.
    kCorrupt,   // Acknowledged records are lost: a broken disk, or somebody wrote into our files.
  };
  Kind kind = Kind::kCorrupt;
  std::string file;
  uint64_t offset = 0;
  uint64_t bytes = 0;  // That were skipped or cut off.
  std::string reason;

  std::string ToString() const;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_JOURNAL_RECORD_H_
