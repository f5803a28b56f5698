#include "core/journal/segment_scanner.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "core/base/status_macros.h"

namespace podferry::journal_internal {
namespace {

constexpr size_t kWindowBytes = 1 << 20;
constexpr size_t kSectorBytes = 4096;

}  // namespace

absl::StatusOr<absl::string_view> FileWindow::View(uint64_t offset, size_t length) {
  if (offset < base_ || offset + length > base_ + filled_) {
    const uint64_t base = std::min(keep_, offset);
    size_t kept = 0;
    if (base >= base_ && base < base_ + filled_) {
      kept = base_ + filled_ - base;
      std::memmove(buffer_.data(), buffer_.data() + (base - base_), kept);
    }
    const size_t wanted = std::max<size_t>(offset + length - base, kWindowBytes);
    if (buffer_.size() < wanted) buffer_.resize(wanted);
    base_ = base;
    filled_ = std::min<uint64_t>(buffer_.size(), size_ - base);
    PODFERRY_RETURN_IF_ERROR(Fill(buffer_.data() + kept, base + kept, filled_ - kept));
  }
  return absl::string_view(buffer_).substr(offset - base_, length);
}

absl::Status FileWindow::Fill(char* to, uint64_t offset, size_t length) {
  absl::StatusOr<size_t> got = file_.Read(offset, length, to);
  if (got.ok()) {
    std::memset(to + *got, 0, length - *got);  // The file became shorter under our eyes.
    return absl::OkStatus();
  }
  if (!absl::IsDataLoss(got.status())) return got.status();
  if (length <= kSectorBytes) {
    std::memset(to, 0, length);
    return absl::OkStatus();
  }
  while (length > 0) {
    const size_t step = std::min<size_t>(length, kSectorBytes - offset % kSectorBytes);
    PODFERRY_RETURN_IF_ERROR(Fill(to, offset, step));
    to += step, offset += step, length -= step;
  }
  return absl::OkStatus();
}

SegmentScanner::SegmentScanner(const RandomAccessFile& file, uint64_t size, uint64_t salt,
                               uint64_t offset, uint64_t last_sequence)
    : window_(file, size),
      salt_(salt),
      offset_(std::min(offset, size)),
      last_sequence_(last_sequence) {}

absl::StatusOr<ScanStep> SegmentScanner::Next() {
  ScanStep step;
  step.offset = offset_;
  window_.KeepFrom(offset_);
  while (offset_ < window_.size()) {
    PODFERRY_ASSIGN_OR_RETURN(Found found, RecordAt(offset_));
    if (!found.header.has_value()) return SkipDamage(step.offset, found.problem);
    const RecordHeader& header = *found.header;
    const bool fits = header.index == step.records.size() &&
                      (header.index == 0 || (header.count == step.records[0].header.count &&
                                             header.sequence == last_sequence_ + 1));
    if (!fits) return SkipDamage(step.offset, "part of a batch is missing");
    step.records.push_back({offset_, header});
    last_sequence_ = header.sequence;
    offset_ += header.record_bytes();
    if (step.records.size() == header.count) {
      step.kind = ScanStep::Kind::kBatch;
      step.bytes = offset_ - step.offset;
      return step;
    }
  }
  if (!step.records.empty()) return SkipDamage(step.offset, "the end of a batch is missing");
  return step;
}

absl::StatusOr<absl::string_view> SegmentScanner::Payload(const ScannedRecord& record) {
  return window_.View(record.offset + kRecordHeaderBytes, record.header.payload_bytes);
}

absl::StatusOr<SegmentScanner::Found> SegmentScanner::RecordAt(uint64_t offset) {
  const uint64_t left = window_.size() - offset;
  if (left < kRecordHeaderBytes) return Found{std::nullopt, "a record is cut short"};
  PODFERRY_ASSIGN_OR_RETURN(absl::string_view bytes, window_.View(offset, kRecordHeaderBytes));
  const std::optional<RecordHeader> header = DecodeRecordHeader(bytes, salt_);
  if (!header.has_value()) return Found{std::nullopt, "not a record"};
  if (left < header->record_bytes()) return Found{std::nullopt, "a record is cut short"};
  PODFERRY_ASSIGN_OR_RETURN(bytes, window_.View(offset, header->record_bytes()));
  if (!RecordIsIntact(bytes, salt_)) return Found{std::nullopt, "wrong checksum"};
  if (header->sequence <= last_sequence_) return Found{std::nullopt, "an old record"};
  return Found{header, nullptr};
}

absl::StatusOr<ScanStep> SegmentScanner::SkipDamage(uint64_t start, std::string reason) {
  ScanStep step;
  step.kind = ScanStep::Kind::kDamage;
  step.offset = start;
  step.reason = std::move(reason);
  // What is at offset_ may be a valid record that begins a batch (the one before it had no end).
  std::optional<uint64_t> candidate = offset_;
  while (candidate.has_value() && *candidate < window_.size()) {
    window_.KeepFrom(*candidate);
    PODFERRY_ASSIGN_OR_RETURN(Found found, RecordAt(*candidate));
    if (found.header.has_value() && found.header->index == 0) {
      offset_ = *candidate;
      step.bytes = offset_ - start;
      const uint64_t back = std::min<uint64_t>(found.header->group_offset, offset_);
      step.next_group_start = offset_ - back;
      return step;
    }
    const uint64_t skip = found.header.has_value() ? found.header->record_bytes() : 1;
    PODFERRY_ASSIGN_OR_RETURN(candidate, FindMark(*candidate + skip));
  }
  offset_ = window_.size();
  step.bytes = offset_ - start;
  return step;
}

absl::StatusOr<std::optional<uint64_t>> SegmentScanner::FindMark(uint64_t offset) {
  // The mark is the first four bytes of an encoded header.
  const auto bytes = EncodeRecordHeader(RecordHeader(), salt_, "", "");
  const absl::string_view mark(bytes.data(), sizeof(uint32_t));
  while (offset + mark.size() <= window_.size()) {
    window_.KeepFrom(offset);
    const size_t length = std::min<uint64_t>(kWindowBytes / 2, window_.size() - offset);
    PODFERRY_ASSIGN_OR_RETURN(absl::string_view view, window_.View(offset, length));
    if (const size_t at = view.find(mark); at != absl::string_view::npos) return offset + at;
    offset += length - (mark.size() - 1);  // A mark may lie across the border.
  }
  return std::nullopt;
}

}  // namespace podferry::journal_internal
