#include "core/journal/outgoing.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "core/base/status_macros.h"

namespace podferry::journal_internal {
namespace {

constexpr uint64_t kMaxBatchBytes = 1 << 30;

void SetSizes(Outgoing& record) {
  const size_t rest = record.header.has_body_file ? kBodyReferenceBytes : record.rest.size();
  record.header.head_bytes = static_cast<uint16_t>(record.head.size());
  record.header.payload_bytes = static_cast<uint32_t>(record.head.size() + rest);
}

}  // namespace

absl::StatusOr<std::vector<Outgoing>> MakeBatch(std::vector<JournalEntry> entries,
                                                size_t max_inline) {
  if (entries.size() > kMaxBatch) {
    return absl::InvalidArgumentError("too many records in a batch");
  }
  std::vector<Outgoing> records;
  records.reserve(entries.size());
  uint64_t total = 0;
  for (JournalEntry& entry : entries) {
    if (entry.head.size() > kMaxHeadBytes) {
      return absl::InvalidArgumentError("the head of a record is too long");
    }
    Outgoing record;
    record.header.type = entry.type;
    record.header.index = static_cast<uint16_t>(records.size());
    record.header.count = static_cast<uint16_t>(entries.size());
    record.header.has_body_file = entry.body.size() > max_inline;
    record.head = std::move(entry.head);
    (record.header.has_body_file ? record.body : record.rest) = std::move(entry.body);
    SetSizes(record);
    total += record.header.record_bytes();
    records.push_back(std::move(record));
  }
  if (total > kMaxBatchBytes) return absl::InvalidArgumentError("the batch is too large");
  return records;
}

absl::StatusOr<std::vector<Outgoing>> MakeCopies(const std::vector<JournalPosition>& positions,
                                                 const SegmentFiles& files) {
  std::vector<Outgoing> records;
  records.reserve(positions.size());
  for (const JournalPosition& position : positions) {
    PODFERRY_ASSIGN_OR_RETURN(StoredRecord stored, files.ReadStored(position));
    Outgoing record;
    record.header.type = stored.type;
    record.header.has_body_file = stored.has_body_file;
    record.head = std::move(stored.head);
    record.rest = std::move(stored.rest);
    record.body_file = position.body_file;
    SetSizes(record);
    records.push_back(std::move(record));
  }
  return records;
}

uint64_t RecordBytes(const std::vector<Outgoing>& records) {
  uint64_t bytes = 0;
  for (const Outgoing& record : records) bytes += record.header.record_bytes();
  return bytes;
}

}  // namespace podferry::journal_internal
