// The files of an open journal: which segments there are, which body files they name, and how to
// read them back. Any thread.

#ifndef PODFERRY_CORE_JOURNAL_SEGMENT_FILES_H_
#define PODFERRY_CORE_JOURNAL_SEGMENT_FILES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/journal/format.h"
#include "core/journal/journal.h"
#include "core/journal/recovery.h"
#include "core/os/file_system.h"

namespace podferry::journal_internal {

// A record as it is on the disk: `rest` is the body, or the reference to a body file.
struct StoredRecord {
  uint8_t type = 0;
  bool has_body_file = false;
  std::string head;
  std::string rest;
};

class SegmentFiles final : public JournalReader {
 public:
  SegmentFiles(std::string folder, FileSystem& file_system, std::vector<SegmentState> segments);

  std::string PathOf(const SegmentName& name) const;
  std::string BodyPath(uint64_t file) const;

  void Add(const SegmentName& name);
  // Notes that the newest segment has grown, and which body files its new records name.
  void Grow(uint64_t bytes, const std::vector<uint64_t>& body_files);

  std::vector<Journal::Segment> List() const;

  absl::StatusOr<StoredRecord> ReadStored(const JournalPosition& position) const;
  absl::StatusOr<JournalEntry> Read(const JournalPosition& position) const override;

  // Removes the segments older than `id` but never the newest, one after the other, durably.
  absl::Status RemoveBefore(uint64_t id);
  void RemoveBody(uint64_t file);

 private:
  struct Segment {
    SegmentState state;
    std::shared_ptr<const RandomAccessFile> reader;  // Opened when first needed.
  };

  struct Handle {
    SegmentName name;
    std::shared_ptr<const RandomAccessFile> reader;
  };
  absl::StatusOr<Handle> Open(uint64_t id) const;
  absl::StatusOr<std::string> ReadBody(const BodyReference& reference) const;
  absl::Status RemoveOldest();

  const std::string folder_;
  FileSystem& files_;
  mutable std::mutex mutex_;
  mutable std::map<uint64_t, Segment> segments_;  // Guarded by mutex_.
};

}  // namespace podferry::journal_internal

#endif  // PODFERRY_CORE_JOURNAL_SEGMENT_FILES_H_
