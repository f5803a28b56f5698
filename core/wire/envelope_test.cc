#include "core/wire/envelope.h"

#include <zstd.h>

#include <string>

#include "core/base/testing/status_matchers.h"
#include "core/wire/versions.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/envelope.pb.h"

namespace podferry::wire {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int kKind = v1::MESSAGE_KIND_START;
constexpr uint64_t kLimit = 1 << 20;

v1::Envelope Sealed(const std::string& body) {
  v1::Envelope envelope;
  EXPECT_TRUE(envelope.ParseFromString(SealEnvelope(kKind, body)));
  return envelope;
}

absl::Status Open(const v1::Envelope& envelope) {
  return OpenEnvelope(kKind, kLimit, envelope.SerializeAsString()).status();
}

TEST(EnvelopeTest, GivesBackWhatWasSealed) {
  std::string noise;
  for (int i = 0; i < 5000; ++i) noise.push_back(static_cast<char>((i * 2654435761u) >> 13));
  for (const std::string& body : {std::string(), std::string("small"), std::string(5000, 'x'),
                                  std::string(kLimit, '\0'), noise}) {
    const auto opened = OpenEnvelope(kKind, kLimit, SealEnvelope(kKind, body));
    ASSERT_THAT(opened, IsOk());
    EXPECT_TRUE(opened->view() == body) << body.size();
  }
}

TEST(EnvelopeTest, CompressesLargeBodiesOnlyWhereItHelps) {
  EXPECT_EQ(Sealed(std::string(kCompressFrom - 1, 'x')).compression(), v1::COMPRESSION_NONE);
  EXPECT_EQ(Sealed(std::string(kCompressFrom, 'x')).compression(), v1::COMPRESSION_ZSTD);
  std::string noise;
  uint64_t state = 1;
  for (int i = 0; i < 5000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    noise.push_back(static_cast<char>(state >> 56));
  }
  EXPECT_EQ(Sealed(noise).compression(), v1::COMPRESSION_NONE);
}

TEST(EnvelopeTest, BeginsWithItsMagicAndSaysWhatTheSenderSpeaks) {
  EXPECT_EQ(SealEnvelope(kKind, "x").substr(0, 5), "\x0dPFRY");
  EXPECT_EQ(Sealed("x").version(), kVersion);
  EXPECT_EQ(Sealed("x").speaks_from(), kMinVersion);
  EXPECT_EQ(Sealed("x").speaks_to(), kVersion);
}

TEST(EnvelopeTest, AnotherVersionIsRefusedWithBothRanges) {
  for (const uint32_t version : {0u, kVersion + 1}) {
    v1::Envelope envelope = Sealed("x");
    envelope.set_version(version);
    envelope.set_kind(static_cast<v1::MessageKind>(1000));  // of that version, for all we know
    envelope.set_speaks_from(2);
    envelope.set_speaks_to(5);
    EXPECT_THAT(Open(envelope), StatusIs(absl::StatusCode::kFailedPrecondition,
                                         AllOf(HasSubstr("a peer that speaks 2 to 5"),
                                               HasSubstr("this build speaks 1 to 1"))));
  }
}

TEST(EnvelopeTest, FieldsOfLaterVersionsAreSkipped) {
  std::string bytes = SealEnvelope(kKind, "x");
  bytes += "\xfa\x7f\x03new";  // field 2047, three bytes
  const auto opened = OpenEnvelope(kKind, kLimit, bytes);
  ASSERT_THAT(opened, IsOk());
  EXPECT_EQ(opened->view(), "x");
}

TEST(EnvelopeTest, ClaimsOfSizeAreNotBelieved) {
  v1::Envelope plain = Sealed("12345");
  plain.set_body_size(4);
  EXPECT_THAT(Open(plain), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("claims 4")));

  v1::Envelope huge = Sealed(std::string(5000, 'x'));
  huge.set_body_size(kLimit + 1);
  EXPECT_THAT(Open(huge), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("over 1048576")));

  for (const uint64_t claim : {uint64_t{0}, uint64_t{4999}, uint64_t{5001}, kLimit}) {
    v1::Envelope wrong = Sealed(std::string(5000, 'x'));
    wrong.set_body_size(claim);
    EXPECT_THAT(Open(wrong), StatusIs(absl::StatusCode::kInvalidArgument,
                                      HasSubstr("does not decompress to its")));
  }
}

TEST(EnvelopeTest, ABombIsCutOffAtItsClaim) {
  const std::string zeros(64 << 20, '\0');
  std::string bomb(ZSTD_compressBound(zeros.size()), '\0');
  bomb.resize(ZSTD_compress(bomb.data(), bomb.size(), zeros.data(), zeros.size(), 1));
  ASSERT_LT(bomb.size(), 10000u);
  v1::Envelope envelope = Sealed(std::string(5000, 'x'));
  envelope.set_body(bomb);
  envelope.set_body_size(kLimit);
  EXPECT_THAT(Open(envelope), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(EnvelopeTest, DamagedOrUnknownCompressionIsRefused) {
  v1::Envelope damaged = Sealed(std::string(5000, 'x'));
  damaged.set_body("no zstd frame");
  EXPECT_THAT(Open(damaged), StatusIs(absl::StatusCode::kInvalidArgument));
  v1::Envelope unknown = Sealed("x");
  unknown.set_compression(static_cast<v1::Compression>(9));
  EXPECT_THAT(Open(unknown), StatusIs(absl::StatusCode::kInvalidArgument, "unknown compression 9"));
  unknown.clear_compression();
  EXPECT_THAT(Open(unknown), StatusIs(absl::StatusCode::kInvalidArgument, "unknown compression 0"));
}

}  // namespace
}  // namespace podferry::wire
