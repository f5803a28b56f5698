// Reads a segment from its beginning to its end, batch by batch, and finds the way back to valid
// records after damage. Knows no files but the one it reads. One thread.

#ifndef PODFERRY_CORE_JOURNAL_SEGMENT_SCANNER_H_
#define PODFERRY_CORE_JOURNAL_SEGMENT_SCANNER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/journal/format.h"
#include "core/os/file_system.h"

namespace podferry::journal_internal {

// A part of a file in memory, which moves on with the reader. Sectors that the disk cannot read are
// seen as zeros, which no checksum takes for data.
class FileWindow {
 public:
  FileWindow(const RandomAccessFile& file, uint64_t size) : file_(file), size_(size) {}

  uint64_t size() const { return size_; }

  // The bytes from `offset`, which must lie within the file. Earlier views are invalid afterwards,
  // unless everything from KeepFrom() on was in the window already.
  absl::StatusOr<absl::string_view> View(uint64_t offset, size_t length);

  // Bytes before `offset` will not be asked for again, those after it stay in the window.
  void KeepFrom(uint64_t offset) { keep_ = offset; }

 private:
  absl::Status Fill(char* to, uint64_t offset, size_t length);

  const RandomAccessFile& file_;
  const uint64_t size_;
  uint64_t keep_ = 0;
  uint64_t base_ = 0;  // Where buffer_ begins in the file.
  size_t filled_ = 0;  // How much of buffer_ is valid.
  std::string buffer_;
};

struct ScannedRecord {
  uint64_t offset = 0;
  RecordHeader header;
};

struct ScanStep {
  enum class Kind { kBatch, kDamage, kEnd };
  Kind kind = Kind::kEnd;

  // kBatch, kDamage: the bytes of the file that this is about.
  uint64_t offset = 0;
  uint64_t bytes = 0;

  std::vector<ScannedRecord> records;  // kBatch: all of a batch.

  std::string reason;  // kDamage.
  // kDamage: where the write began whose record was found next; nothing: there is none up to the
  // end of the file. Damage at or after this place was not durable when it happened.
  std::optional<uint64_t> next_group_start;
};

class SegmentScanner {
 public:
  // Begins behind the segment's header. Records must have sequence numbers above `last_sequence`.
  SegmentScanner(const RandomAccessFile& file, uint64_t size, uint64_t salt, uint64_t offset,
                 uint64_t last_sequence);

  // The next batch or piece of damage. Errors are those of the file, other than bad sectors.
  absl::StatusOr<ScanStep> Next();

  // The payload of a record of the last batch; valid until the next call of Next().
  absl::StatusOr<absl::string_view> Payload(const ScannedRecord& record);

 private:
  struct Found {
    std::optional<RecordHeader> header;
    const char* problem = nullptr;
  };

  absl::StatusOr<Found> RecordAt(uint64_t offset);
  // The damage from `start` on, of which offset_ is the first byte known to be bad.
  absl::StatusOr<ScanStep> SkipDamage(uint64_t start, std::string reason);
  // The next place from `offset` on that holds this segment's mark.
  absl::StatusOr<std::optional<uint64_t>> FindMark(uint64_t offset);

  FileWindow window_;
  const uint64_t salt_;
  uint64_t offset_;
  uint64_t last_sequence_;
};

}  // namespace podferry::journal_internal

#endif  // PODFERRY_CORE_JOURNAL_SEGMENT_SCANNER_H_
