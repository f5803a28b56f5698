// The bytes of every released wire version stay readable, and today's version is written as it was.
// After a deliberate change of an unreleased version, rewrite the files with
// PODFERRY_UPDATE_GOLDEN=1 bazel run //core/wire:frozen_test; those of a released one never change.

#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/base/testing/golden.h"
#include "core/base/testing/status_matchers.h"
#include "core/wire/codec.h"
#include "core/wire/testing/sample_messages.h"
#include "gtest/gtest.h"
#include "proto/envelope.pb.h"
#include "proto/job.pb.h"
#include "proto/log.pb.h"
#include "proto/pool.pb.h"

namespace podferry::wire {
namespace {

std::string Path(absl::string_view name) { return absl::StrCat("proto/frozen/v1/", name); }

// The body as text, for people.
std::string Readable(const std::string& name, const std::string& bytes) {
  v1::Envelope envelope;
  EXPECT_TRUE(envelope.ParseFromString(bytes));
  EXPECT_EQ(envelope.compression(), v1::COMPRESSION_NONE);
  const auto* descriptor = v1::Offer::descriptor()->file()->pool()->FindMessageTypeByName(
      absl::StrCat("podferry.v1.", name));
  if (descriptor == nullptr) return absl::StrCat("no message podferry.v1.", name);
  const std::unique_ptr<google::protobuf::Message> body(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(descriptor)->New());
  EXPECT_TRUE(body->ParseFromString(envelope.body()));
  std::string text;
  EXPECT_TRUE(google::protobuf::TextFormat::PrintToString(*body, &text));
  return absl::StrCat("# proto-file: proto/", descriptor->file()->name().substr(6),
                      "\n# proto-message: podferry.v1.", name, "\n\n", text);
}

TEST(FrozenTest, TodaysCodeWritesTheBytesOfItsVersion) {
  ForEachSample([](const std::string& name, const auto& message) {
    const std::string bytes = Encode(message);
    EXPECT_TRUE(MatchesGolden(bytes, Path(name + ".bin"))) << name;
    EXPECT_TRUE(MatchesGolden(Readable(name, bytes), Path(name + ".txtpb"))) << name;
  });
}

TEST(FrozenTest, TodaysCodeReadsTheBytesOfVersion1) {
  ForEachSample([](const std::string& name, const auto& message) {
    using Message = std::decay_t<decltype(message)>;
    const absl::StatusOr<Message> read = Decode<Message>(ReadTestData(Path(name + ".bin")));
    ASSERT_THAT(read, IsOk()) << name;
    EXPECT_TRUE(*read == message) << name;
  });
}

// Compressed bytes depend on the version of zstd: they are read, never compared.
TEST(FrozenTest, TodaysCodeReadsCompressedBytesOfVersion1) {
  Offer offer = Sample<Offer>();
  for (int i = 0; i < 100; ++i) absl::StrAppend(&offer.script, "echo step ", i, "\n");
  offer.size = offer.script.size();
  offer.digest = Sha256Hex(offer.script);
  if (std::getenv("PODFERRY_UPDATE_GOLDEN") != nullptr) {
    EXPECT_TRUE(MatchesGolden(Encode(offer), Path("Offer.zstd.bin")));
    return;
  }
  const auto read = Decode<Offer>(ReadTestData(Path("Offer.zstd.bin")));
  ASSERT_THAT(read, IsOk());
  EXPECT_TRUE(*read == offer);
}

}  // namespace
}  // namespace podferry::wire
