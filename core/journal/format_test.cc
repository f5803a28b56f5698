#include "core/journal/format.h"

#include <optional>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace podferry::journal_internal {
namespace {

constexpr uint64_t kSalt = 0x0123456789abcdef;

template <typename Bytes>
std::string Text(const Bytes& bytes) {
  return std::string(bytes.data(), bytes.size());
}

TEST(JournalFormatTest, NamesAreReadBackAndOthersRefused) {
  const SegmentName name = {18, kSalt};
  EXPECT_EQ(name.ToString(), "journal-0000000000000012-0123456789abcdef.log");
  const std::optional<SegmentName> parsed = SegmentName::Parse(name.ToString());
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->id, name.id);
  EXPECT_EQ(parsed->salt, name.salt);
  EXPECT_EQ(ParseBodyFileName(BodyFileName(kSalt)), kSalt);
  for (const char* bad :
       {"", "journal-0000000000000012-0123456789abcdef.log.damaged", "journal-12-34.log",
        "journal-000000000000001g-0123456789abcdef.log", "body-12.bin", "body-.bin",
        "journal-0000000000000012.0123456789abcdef.log"}) {
    EXPECT_FALSE(SegmentName::Parse(bad).has_value()) << bad;
    EXPECT_FALSE(ParseBodyFileName(bad).has_value()) << bad;
  }
}

TEST(JournalFormatTest, SaltsAreRandomAndMarkTheirRecords) {
  const SegmentName one = SegmentName::New(1), two = SegmentName::New(1);
  EXPECT_NE(one.salt, two.salt);
  EXPECT_NE(one.mark(), 0u);
}

// Journals out there have these bytes: a change of them is a new version.
TEST(JournalFormatTest, TheBytesAreFrozen) {
  EXPECT_EQ(absl::BytesToHexString(Text(EncodeSegmentHeader({1, 18, 77}, kSalt))),
            "70666a6f75726e6ccff996380100000012000000000000004d00000000000000");
  RecordHeader header;
  header.payload_bytes = 7;
  header.index = 1;
  header.count = 3;
  header.sequence = 78;
  header.type = 9;
  header.head_bytes = 3;
  header.group_offset = 512;
  EXPECT_EQ(absl::BytesToHexString(Text(EncodeRecordHeader(header, kSalt, "key", "body"))),
            "67452301e4fcbd7e07000000010003004e000000000000000900030000020000");
  EXPECT_EQ(absl::BytesToHexString(Text(EncodeBodyReference({kSalt, 70000, 0xCAFEF00D}))),
            "efcdab89674523017011010000000000"
            "0df0feca00000000");
}

TEST(JournalFormatTest, EveryFlippedBitOfARecordIsNoticed) {
  RecordHeader header;
  header.payload_bytes = 7;
  header.sequence = 5;
  header.head_bytes = 3;
  const std::string record = Text(EncodeRecordHeader(header, kSalt, "key", "body")) + "keybody";
  ASSERT_TRUE(DecodeRecordHeader(record, kSalt).has_value());
  ASSERT_TRUE(RecordIsIntact(record, kSalt));
  EXPECT_FALSE(RecordIsIntact(record, kSalt + 1));
  for (size_t bit = 0; bit < record.size() * 8; ++bit) {
    std::string flipped = record;
    flipped[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    const std::optional<RecordHeader> decoded = DecodeRecordHeader(flipped, kSalt);
    EXPECT_FALSE(decoded.has_value() && decoded->record_bytes() == record.size() &&
                 RecordIsIntact(flipped, kSalt))
        << bit;
  }
}

TEST(JournalFormatTest, AHeaderOutOfBoundsIsNone) {
  const auto encode = [](auto change) {
    RecordHeader header;
    header.payload_bytes = 100;
    change(header);
    return DecodeRecordHeader(Text(EncodeRecordHeader(header, kSalt, "", "")), kSalt).has_value();
  };
  EXPECT_TRUE(encode([](RecordHeader&) {}));
  EXPECT_FALSE(encode([](RecordHeader& h) { h.index = 1; }));
  EXPECT_FALSE(encode([](RecordHeader& h) { h.count = 0; }));
  EXPECT_FALSE(encode([](RecordHeader& h) { h.head_bytes = 101; }));
  EXPECT_FALSE(encode([](RecordHeader& h) { h.payload_bytes = 2 << 20; }));
  EXPECT_FALSE(encode([](RecordHeader& h) { h.has_body_file = true; }));
}

}  // namespace
}  // namespace podferry::journal_internal
