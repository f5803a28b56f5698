#include "core/journal/format.h"

#include <cstring>
#include <optional>
#include <random>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "core/base/crc32c.h"

namespace podferry::journal_internal {
namespace {

constexpr absl::string_view kSegmentMagic = "pfjournl";  // 8 bytes, without a terminator.
constexpr uint8_t kHasBodyFile = 1;

template <typename T>
void Put(char* to, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) to[i] = static_cast<char>(value >> (8 * i));
}

template <typename T>
T Get(const char* from) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<T>(static_cast<T>(static_cast<unsigned char>(from[i])) << (8 * i));
  }
  return value;
}

// The checksum of `data`, seeded with the salt.
uint32_t SaltedCrc(uint64_t salt, absl::string_view data) {
  char seed[sizeof(salt)];
  Put(seed, salt);
  return ExtendCrc32c(Crc32c(absl::string_view(seed, sizeof(seed))), data);
}

std::optional<uint64_t> ParseHex(absl::string_view text) {
  uint64_t value;
  if (text.size() != 16 || !absl::SimpleHexAtoi(text, &value)) return std::nullopt;
  return value;
}

}  // namespace

uint64_t RandomId() {
  std::random_device random;  // The kernel's.
  uint64_t id = 0;
  while (id >> 32 == 0) id = (static_cast<uint64_t>(random()) << 32) | random();
  return id;
}

SegmentName SegmentName::New(uint64_t id) { return {id, RandomId()}; }

std::optional<SegmentName> SegmentName::Parse(absl::string_view name) {
  if (name.size() != 45 || !absl::ConsumePrefix(&name, "journal-") ||
      !absl::ConsumeSuffix(&name, ".log") || name[16] != '-') {
    return std::nullopt;
  }
  const std::optional<uint64_t> id = ParseHex(name.substr(0, 16)), salt = ParseHex(name.substr(17));
  if (!id.has_value() || !salt.has_value()) return std::nullopt;
  return SegmentName{*id, *salt};
}

std::string SegmentName::ToString() const {
  return absl::StrFormat("journal-%016x-%016x.log", id, salt);
}

std::string BodyFileName(uint64_t id) { return absl::StrFormat("body-%016x.bin", id); }

std::optional<uint64_t> ParseBodyFileName(absl::string_view name) {
  if (!absl::ConsumePrefix(&name, "body-") || !absl::ConsumeSuffix(&name, ".bin")) {
    return std::nullopt;
  }
  return ParseHex(name);
}

std::array<char, kSegmentHeaderBytes> EncodeSegmentHeader(const SegmentHeader& header,
                                                          uint64_t salt) {
  std::array<char, kSegmentHeaderBytes> bytes;
  std::memcpy(bytes.data(), kSegmentMagic.data(), 8);
  Put<uint32_t>(&bytes[12], header.version);
  Put<uint64_t>(&bytes[16], header.id);
  Put<uint64_t>(&bytes[24], header.first_sequence);
  Put<uint32_t>(&bytes[8], SaltedCrc(salt, absl::string_view(&bytes[12], 20)));
  return bytes;
}

std::optional<SegmentHeader> DecodeSegmentHeader(absl::string_view bytes, uint64_t salt) {
  if (bytes.size() < kSegmentHeaderBytes || bytes.substr(0, 8) != kSegmentMagic ||
      Get<uint32_t>(&bytes[8]) != SaltedCrc(salt, bytes.substr(12, 20))) {
    return std::nullopt;
  }
  return SegmentHeader{Get<uint32_t>(&bytes[12]), Get<uint64_t>(&bytes[16]),
                       Get<uint64_t>(&bytes[24])};
}

std::array<char, kRecordHeaderBytes> EncodeRecordHeader(const RecordHeader& header, uint64_t salt,
                                                        absl::string_view head,
                                                        absl::string_view rest) {
  std::array<char, kRecordHeaderBytes> bytes;
  Put<uint32_t>(&bytes[0], static_cast<uint32_t>(salt >> 32));
  Put<uint32_t>(&bytes[8], header.payload_bytes);
  Put<uint16_t>(&bytes[12], header.index);
  Put<uint16_t>(&bytes[14], header.count);
  Put<uint64_t>(&bytes[16], header.sequence);
  Put<uint8_t>(&bytes[24], header.type);
  Put<uint8_t>(&bytes[25], header.has_body_file ? kHasBodyFile : 0);
  Put<uint16_t>(&bytes[26], header.head_bytes);
  Put<uint32_t>(&bytes[28], header.group_offset);
  uint32_t crc = SaltedCrc(salt, absl::string_view(&bytes[8], 24));
  crc = ExtendCrc32c(ExtendCrc32c(crc, head), rest);
  Put<uint32_t>(&bytes[4], crc);
  return bytes;
}

std::optional<RecordHeader> DecodeRecordHeader(absl::string_view bytes, uint64_t salt) {
  if (bytes.size() < kRecordHeaderBytes ||
      Get<uint32_t>(&bytes[0]) != static_cast<uint32_t>(salt >> 32)) {
    return std::nullopt;
  }
  RecordHeader header;
  header.payload_bytes = Get<uint32_t>(&bytes[8]);
  header.index = Get<uint16_t>(&bytes[12]);
  header.count = Get<uint16_t>(&bytes[14]);
  header.sequence = Get<uint64_t>(&bytes[16]);
  header.type = Get<uint8_t>(&bytes[24]);
  const uint8_t flags = Get<uint8_t>(&bytes[25]);
  header.has_body_file = (flags & kHasBodyFile) != 0;
  header.head_bytes = Get<uint16_t>(&bytes[26]);
  header.group_offset = Get<uint32_t>(&bytes[28]);
  const bool in_bounds =
      (flags & ~kHasBodyFile) == 0 && header.index < header.count &&
      header.head_bytes <= kMaxHeadBytes && header.head_bytes <= header.payload_bytes &&
      header.payload_bytes - header.head_bytes <= kMaxInlineBytes &&
      (!header.has_body_file || header.payload_bytes == header.head_bytes + kBodyReferenceBytes);
  if (!in_bounds) return std::nullopt;
  return header;
}

bool RecordIsIntact(absl::string_view record, uint64_t salt) {
  return Get<uint32_t>(&record[4]) == SaltedCrc(salt, record.substr(8));
}

std::array<char, kBodyReferenceBytes> EncodeBodyReference(const BodyReference& reference) {
  std::array<char, kBodyReferenceBytes> bytes{};
  Put<uint64_t>(&bytes[0], reference.file);
  Put<uint64_t>(&bytes[8], reference.bytes);
  Put<uint32_t>(&bytes[16], reference.crc);
  return bytes;
}

std::optional<BodyReference> DecodeBodyReference(absl::string_view bytes) {
  if (bytes.size() != kBodyReferenceBytes) return std::nullopt;
  return BodyReference{Get<uint64_t>(&bytes[0]), Get<uint64_t>(&bytes[8]),
                       Get<uint32_t>(&bytes[16])};
}

}  // namespace podferry::journal_internal
