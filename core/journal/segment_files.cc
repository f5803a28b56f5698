#include "core/journal/segment_files.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "core/base/crc32c.h"
#include "core/base/status_macros.h"

namespace podferry::journal_internal {

SegmentFiles::SegmentFiles(std::string folder, FileSystem& file_system,
                           std::vector<SegmentState> segments)
    : folder_(std::move(folder)), files_(file_system) {
  for (SegmentState& state : segments) {
    const uint64_t id = state.name.id;
    segments_[id].state = std::move(state);
  }
}

std::string SegmentFiles::PathOf(const SegmentName& name) const {
  return absl::StrCat(folder_, "/", name.ToString());
}

std::string SegmentFiles::BodyPath(uint64_t file) const {
  return absl::StrCat(folder_, "/", BodyFileName(file));
}

void SegmentFiles::Add(const SegmentName& name) {
  std::lock_guard<std::mutex> lock(mutex_);
  segments_[name.id].state = {name, kSegmentHeaderBytes, {}};
}

void SegmentFiles::Grow(uint64_t bytes, const std::vector<uint64_t>& body_files) {
  std::lock_guard<std::mutex> lock(mutex_);
  SegmentState& newest = segments_.rbegin()->second.state;
  newest.bytes += bytes;
  newest.body_files.insert(newest.body_files.end(), body_files.begin(), body_files.end());
}

std::vector<Journal::Segment> SegmentFiles::List() const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Journal::Segment> list;
  list.reserve(segments_.size());
  for (const auto& [id, segment] : segments_) list.push_back({id, segment.state.bytes});
  return list;
}

absl::StatusOr<SegmentFiles::Handle> SegmentFiles::Open(uint64_t id) const {
  std::lock_guard<std::mutex> lock(mutex_);
  auto it = segments_.find(id);
  if (it == segments_.end()) return absl::NotFoundError(absl::StrCat("no segment ", id));
  Segment& segment = it->second;
  if (segment.reader == nullptr) {
    PODFERRY_ASSIGN_OR_RETURN(segment.reader, files_.OpenRead(PathOf(segment.state.name)));
  }
  return Handle{segment.state.name, segment.reader};
}

absl::StatusOr<StoredRecord> SegmentFiles::ReadStored(const JournalPosition& position) const {
  PODFERRY_ASSIGN_OR_RETURN(Handle segment, Open(position.segment));
  std::string bytes(position.length, '\0');
  PODFERRY_ASSIGN_OR_RETURN(size_t got,
                            segment.reader->Read(position.offset, bytes.size(), bytes.data()));
  const std::optional<RecordHeader> header = DecodeRecordHeader(bytes, segment.name.salt);
  if (got < bytes.size() || !header.has_value() || header->record_bytes() != bytes.size() ||
      !RecordIsIntact(bytes, segment.name.salt)) {
    return absl::DataLossError(absl::StrCat("the record at ", position.offset, " of ",
                                            segment.name.ToString(), " is damaged"));
  }
  StoredRecord record;
  record.type = header->type;
  record.has_body_file = header->has_body_file;
  record.head = bytes.substr(kRecordHeaderBytes, header->head_bytes);
  record.rest = std::move(bytes);
  record.rest.erase(0, kRecordHeaderBytes + header->head_bytes);
  return record;
}

absl::StatusOr<JournalEntry> SegmentFiles::Read(const JournalPosition& position) const {
  PODFERRY_ASSIGN_OR_RETURN(StoredRecord record, ReadStored(position));
  JournalEntry entry = {record.type, std::move(record.head), std::move(record.rest)};
  if (record.has_body_file) {
    PODFERRY_ASSIGN_OR_RETURN(entry.body, ReadBody(*DecodeBodyReference(entry.body)));
  }
  return entry;
}

absl::StatusOr<std::string> SegmentFiles::ReadBody(const BodyReference& reference) const {
  PODFERRY_ASSIGN_OR_RETURN(std::string body, files_.ReadFile(BodyPath(reference.file)));
  if (body.size() != reference.bytes || Crc32c(body) != reference.crc) {
    return absl::DataLossError(absl::StrCat(BodyFileName(reference.file), " is damaged"));
  }
  return body;
}

absl::Status SegmentFiles::RemoveBefore(uint64_t id) {
  while (true) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (segments_.size() <= 1 || segments_.begin()->first >= id) return absl::OkStatus();
    }
    PODFERRY_RETURN_IF_ERROR(RemoveOldest());
  }
}

absl::Status SegmentFiles::RemoveOldest() {
  SegmentState oldest;
  std::vector<uint64_t> unnamed;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    oldest = segments_.begin()->second.state;
    absl::flat_hash_set<uint64_t> named;
    for (auto it = std::next(segments_.begin()); it != segments_.end(); ++it) {
      const std::vector<uint64_t>& files = it->second.state.body_files;
      named.insert(files.begin(), files.end());
    }
    for (uint64_t file : oldest.body_files) {
      if (!named.contains(file)) unnamed.push_back(file);
    }
  }
  // One by one and each durably: should a power loss bring an older segment back without the newer
  // one that deletes its records, they would live again.
  PODFERRY_RETURN_IF_ERROR(files_.Remove(PathOf(oldest.name)));
  PODFERRY_RETURN_IF_ERROR(files_.SyncDir(folder_));
  for (uint64_t file : unnamed) (void)files_.Remove(BodyPath(file));
  std::lock_guard<std::mutex> lock(mutex_);
  segments_.erase(oldest.name.id);
  return absl::OkStatus();
}

void SegmentFiles::RemoveBody(uint64_t file) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto& [id, segment] : segments_) std::erase(segment.state.body_files, file);
  }
  (void)files_.Remove(BodyPath(file));  // If it stays, the next start removes it.
}

}  // namespace podferry::journal_internal
