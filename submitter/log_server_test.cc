#include "submitter/log_server.h"

#include <optional>
#include <string>

#include "core/base/testing/status_matchers.h"
#include "core/wire/codec.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "submitter/test_site.h"

namespace podferry {
namespace {

using ::testing::HasSubstr;

TEST(LogServerTest, ServesLogsAndWaitsForWhatIsToCome) {
  TestSite site;
  site.RunJob("a");
  LogRequest request{.key = site.Key("a"), .container = "main"};
  std::optional<LogReply> reply = site.AskLog(request);
  ASSERT_TRUE(reply.has_value());
  EXPECT_TRUE(reply->known);
  EXPECT_EQ(reply->bytes, "hello\n");
  EXPECT_FALSE(reply->end);
  // Nothing new, and nobody waits.
  request.offset = reply->next_offset;
  reply = site.AskLog(request);
  EXPECT_EQ(reply->bytes, "");
  EXPECT_FALSE(reply->end);
  // Nothing new, and somebody does.
  request.wait = absl::Seconds(20);
  site.patience = absl::Milliseconds(100);
  std::optional<LogReply> late;
  site.plugin_bus().Request(site.JobSubject("logs", "a"), wire::Encode([&] {
                              request.from = site.plugin;
                              return request;
                            }()),
                            absl::Seconds(25), [&](absl::StatusOr<std::string> answer) {
                              ASSERT_THAT(answer, IsOk());
                              late = *wire::Decode<LogReply>(*answer);
                            });
  site.loop().Advance(absl::Seconds(5));
  EXPECT_FALSE(late.has_value());
  site.backend().Write(site.Key("a"), "world\n");
  site.loop().Advance(absl::Seconds(2));
  ASSERT_TRUE(late.has_value());
  EXPECT_EQ(late->bytes, "world\n");
  EXPECT_EQ(late->offset, 6);
}

TEST(LogServerTest, AWaitForALogEndsAfterTwentySecondsAtMost) {
  TestSite site;
  site.RunJob("a", "#fake exit=never");
  site.patience = absl::Seconds(30);
  const absl::Duration before = site.clock().Monotonic();
  const std::optional<LogReply> reply =
      site.AskLog({.key = site.Key("a"), .container = "main", .wait = absl::Hours(1)});
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->bytes, "");
  EXPECT_LE(site.clock().Monotonic() - before, absl::Seconds(21));
}

TEST(LogServerTest, SaysWhyThereIsNoLog) {
  TestSite site;
  EXPECT_FALSE(site.AskLog({.key = site.Key("none"), .container = "main"})->known);
  site.RunJob("a");
  const std::optional<LogReply> other = site.AskLog({.key = site.Key("a"), .container = "sidecar"});
  EXPECT_FALSE(other->known);
  EXPECT_THAT(other->message, HasSubstr("no container \"sidecar\""));
  const std::optional<LogReply> previous =
      site.AskLog({.key = site.Key("a"), .container = "main", .attempt = -2});
  EXPECT_FALSE(previous->known);
  site.SendDelete("a");
  EXPECT_THAT(site.AskLog({.key = site.Key("a"), .container = "main"})->message,
              HasSubstr("deleted"));
}

}  // namespace
}  // namespace podferry
