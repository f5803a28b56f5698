// The bytes of a journal: see FORMAT.md. Pure functions, any thread.

#ifndef PODFERRY_CORE_JOURNAL_FORMAT_H_
#define PODFERRY_CORE_JOURNAL_FORMAT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace podferry::journal_internal {

inline constexpr size_t kSegmentHeaderBytes = 32;
inline constexpr size_t kRecordHeaderBytes = 32;
inline constexpr size_t kBodyReferenceBytes = 24;
inline constexpr uint32_t kVersion = 1;

inline constexpr size_t kMaxHeadBytes = 4096;
inline constexpr size_t kMaxInlineBytes = 1 << 20;
inline constexpr size_t kMaxBatch = 65535;

// The name of a segment's file. The salt is random: checksums are seeded with it and records are
// marked by it, so that bytes which only look like a record (a journal inside of a job's ConfigMap)
// are never taken for one. It stands in the name because a damaged file still has its name.
struct SegmentName {
  uint64_t id = 0;
  uint64_t salt = 0;

  static SegmentName New(uint64_t id);
  static std::optional<SegmentName> Parse(absl::string_view name);
  std::string ToString() const;
  uint32_t mark() const { return static_cast<uint32_t>(salt >> 32); }
};

std::string BodyFileName(uint64_t id);
std::optional<uint64_t> ParseBodyFileName(absl::string_view name);

// A number that no other file has: 64 random bits, never zero.
uint64_t RandomId();

struct SegmentHeader {
  uint32_t version = kVersion;
  uint64_t id = 0;
  uint64_t first_sequence =
      1;  // Of the first record in the segment, whether it is there yet or not.
};

std::array<char, kSegmentHeaderBytes> EncodeSegmentHeader(const SegmentHeader& header,
                                                          uint64_t salt);
std::optional<SegmentHeader> DecodeSegmentHeader(absl::string_view bytes, uint64_t salt);

struct RecordHeader {
  uint32_t payload_bytes = 0;  // Head, and body or reference to a body.
  uint16_t index = 0;          // In its batch of `count` records.
  uint16_t count = 1;
  uint64_t sequence = 0;
  uint8_t type = 0;
  bool has_body_file = false;
  uint16_t head_bytes = 0;
  // From the beginning of the write that put it there, all of which was made durable at once. What
  // lies before that was durable, what lies after may be torn.
  uint32_t group_offset = 0;

  size_t record_bytes() const { return kRecordHeaderBytes + payload_bytes; }
};

// The header with its mark and the checksum of itself and the payload, which is head ++ rest.
std::array<char, kRecordHeaderBytes> EncodeRecordHeader(const RecordHeader& header, uint64_t salt,
                                                        absl::string_view head,
                                                        absl::string_view rest);

// Nothing if the mark is missing or a field is out of bounds. Does not look at the checksum.
std::optional<RecordHeader> DecodeRecordHeader(absl::string_view bytes, uint64_t salt);

// Whether the checksum of a whole record (header and payload) is right.
bool RecordIsIntact(absl::string_view record, uint64_t salt);

// What a record holds instead of a body with a file of its own.
struct BodyReference {
  uint64_t file = 0;
  uint64_t bytes = 0;
  uint32_t crc = 0;
};

std::array<char, kBodyReferenceBytes> EncodeBodyReference(const BodyReference& reference);
std::optional<BodyReference> DecodeBodyReference(absl::string_view bytes);

}  // namespace podferry::journal_internal

#endif  // PODFERRY_CORE_JOURNAL_FORMAT_H_
