#include "core/journal/appender.h"

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/base/crc32c.h"
#include "core/base/failpoint.h"
#include "core/base/status_macros.h"

namespace podferry::journal_internal {
namespace {

constexpr size_t kProbeBytes = 64 << 10;

bool MayBeTriedAgain(const absl::Status& status) {
  return absl::IsResourceExhausted(status) || absl::IsUnavailable(status);
}

}  // namespace

Appender::Appender(const JournalOptions& options, FileSystem& file_system, SegmentFiles& files,
                   SegmentName newest, uint64_t last_sequence)
    : options_(options),
      file_system_(file_system),
      files_(files),
      segment_(newest),
      last_sequence_(last_sequence) {}

absl::Status Appender::Start() {
  if (segment_.id == 0) return Rotate();
  PODFERRY_ASSIGN_OR_RETURN(file_, file_system_.OpenAppend(files_.PathOf(segment_), 0600));
  durable_bytes_ = file_->Size();
  return absl::OkStatus();
}

absl::StatusOr<std::vector<JournalPosition>> Appender::Write(const Group& group) {
  if (group.empty()) return std::vector<JournalPosition>();
  uint64_t bytes = 0;
  for (const Outgoing* record : group) bytes += record->header.record_bytes();
  const absl::Status status = TryWrite(group, bytes);
  if (status.ok()) return Accept(group);
  if (!MayBeTriedAgain(status)) return status;
  // Durably: a record that was reported as failed must not come back after a power loss.
  if (const absl::Status undone = Undo(group); !undone.ok()) {
    return absl::DataLossError(absl::StrCat(status.message(), "; then ", undone.message()));
  }
  return status;
}

absl::Status Appender::TryWrite(const Group& group, uint64_t bytes) {
  PODFERRY_RETURN_IF_ERROR(WriteBodies(group));
  if (durable_bytes_ > kSegmentHeaderBytes && durable_bytes_ + bytes > options_.segment_bytes) {
    PODFERRY_RETURN_IF_ERROR(Rotate());
  }
  for (uint64_t offset = 0, sequence = last_sequence_; Outgoing * record : group) {
    record->header.sequence = ++sequence;
    record->header.group_offset = static_cast<uint32_t>(offset);
    offset += record->header.record_bytes();
  }
  const auto headers = EncodeHeaders(group);
  std::vector<absl::string_view> pieces;
  pieces.reserve(group.size() * 3);
  for (size_t i = 0; i < group.size(); ++i) {
    pieces.emplace_back(headers[i].data(), headers[i].size());
    pieces.emplace_back(group[i]->head);
    pieces.emplace_back(group[i]->rest);
  }
  PODFERRY_RETURN_IF_ERROR(file_->Append(pieces));
  Failpoint("journal.written");
  PODFERRY_RETURN_IF_ERROR(Sync());
  Failpoint("journal.synced");
  return absl::OkStatus();
}

absl::Status Appender::WriteBodies(const Group& group) {
  bool wrote = false;
  for (Outgoing* record : group) {
    if (record->body.empty()) continue;
    record->body_file = RandomId();
    wrote = true;
    PODFERRY_ASSIGN_OR_RETURN(std::unique_ptr<AppendFile> file,
                              file_system_.OpenAppend(files_.BodyPath(record->body_file), 0600));
    PODFERRY_RETURN_IF_ERROR(file->Append(record->body));
    PODFERRY_RETURN_IF_ERROR(file->Sync());
    const auto reference =
        EncodeBodyReference({record->body_file, record->body.size(), Crc32c(record->body)});
    record->rest.assign(reference.data(), reference.size());
  }
  return wrote ? file_system_.SyncDir(options_.folder) : absl::OkStatus();
}

absl::Status Appender::Rotate() {
  const SegmentName next = SegmentName::New(segment_.id + 1);
  const std::string path = files_.PathOf(next);
  PODFERRY_ASSIGN_OR_RETURN(std::unique_ptr<AppendFile> file, file_system_.OpenAppend(path, 0600));
  const auto header = EncodeSegmentHeader({kVersion, next.id, last_sequence_ + 1}, next.salt);
  absl::Status status = file->Append(absl::string_view(header.data(), header.size()));
  if (status.ok()) status = file->Sync();
  if (status.ok()) status = file_system_.SyncDir(options_.folder);
  if (!status.ok()) {
    (void)file_system_.Remove(path);
    return status;
  }
  file_ = std::move(file);
  segment_ = next;
  durable_bytes_ = header.size();
  files_.Add(next);
  return absl::OkStatus();
}

absl::Status Appender::Sync() {
  const auto start = std::chrono::steady_clock::now();
  const absl::Status status = file_->Sync();
  last_sync_ = absl::FromChrono(std::chrono::steady_clock::now() - start);
  if (status.ok() || absl::IsResourceExhausted(status)) return status;
  // The kernel may have marked the pages clean that it could not write: a second sync would say OK.
  return absl::DataLossError(status.message());
}

absl::Status Appender::Undo(const Group& group) {
  for (Outgoing* record : group) {
    if (record->body.empty() || record->body_file == 0) continue;
    (void)file_system_.Remove(files_.BodyPath(record->body_file));
    record->body_file = 0;
  }
  if (file_ == nullptr) return absl::OkStatus();
  PODFERRY_RETURN_IF_ERROR(file_->Truncate(durable_bytes_));
  return file_->Sync();
}

std::vector<std::array<char, kRecordHeaderBytes>> Appender::EncodeHeaders(
    const Group& group) const {
  std::vector<std::array<char, kRecordHeaderBytes>> headers;
  headers.reserve(group.size());
  for (const Outgoing* record : group) {
    headers.push_back(
        EncodeRecordHeader(record->header, segment_.salt, record->head, record->rest));
  }
  return headers;
}

std::vector<JournalPosition> Appender::Accept(const Group& group) {
  std::vector<JournalPosition> positions;
  std::vector<uint64_t> body_files;
  uint64_t end = durable_bytes_;
  for (const Outgoing* record : group) {
    const auto length = static_cast<uint32_t>(record->header.record_bytes());
    positions.push_back({segment_.id, static_cast<uint32_t>(end), length, record->body_file});
    end += length;
    if (record->body_file != 0) body_files.push_back(record->body_file);
  }
  files_.Grow(end - durable_bytes_, body_files);
  durable_bytes_ = end;
  last_sequence_ += group.size();
  return positions;
}

absl::Status Appender::Probe() {
  const std::string path = absl::StrCat(options_.folder, "/journal-probe.tmp");
  absl::StatusOr<std::unique_ptr<AppendFile>> file = file_system_.OpenAppend(path, 0600);
  absl::Status status = file.status();
  if (status.ok()) status = (*file)->Append(std::string(kProbeBytes, 'x'));
  if (status.ok()) status = (*file)->Sync();
  (void)file_system_.Remove(path);
  return status;
}

}  // namespace podferry::journal_internal
