#include "core/nats/nats_options.h"

#include <string>
#include <vector>

#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ParseNatsUrlTest, ReadsAllItsParts) {
  struct Case {
    const char* url;
    bool tls;
    const char* address;
    const char* user;
    const char* password;
    const char* token;
  };
  const Case cases[] = {
      {"nats://127.0.0.1:4222", false, "127.0.0.1:4222", "", "", ""},
      {"nats://nats.example", false, "nats.example:4222", "", "", ""},
      {"nats.example", false, "nats.example:4222", "", "", ""},
      {"NATS://h:1/", false, "h:1", "", "", ""},
      {"tls://h:65535", true, "h:65535", "", "", ""},
      {"nats://[::1]:4223", false, "[::1]:4223", "", "", ""},
      {"nats://[::1]", false, "[::1]:4222", "", "", ""},
      {"nats://me:secret@h", false, "h:4222", "me", "secret", ""},
      {"nats://me:a%3Ab%40c%2C%25@h", false, "h:4222", "me", "a:b@c,%", ""},
      {"nats://me:p@ss:word@h", false, "h:4222", "me", "p@ss:word", ""},
      {"nats://me:@h", false, "h:4222", "me", "", ""},
      {"nats://t0ken@h", false, "h:4222", "", "", "t0ken"},
  };
  for (const Case& c : cases) {
    PODFERRY_ASSERT_OK_AND_ASSIGN(const std::vector<NatsAddress> parsed, ParseNatsUrl(c.url));
    ASSERT_EQ(parsed.size(), 1u) << c.url;
    EXPECT_EQ(parsed[0].tls, c.tls) << c.url;
    EXPECT_EQ(parsed[0].ToString(), c.address) << c.url;
    EXPECT_EQ(parsed[0].user, c.user) << c.url;
    EXPECT_EQ(parsed[0].password, c.password) << c.url;
    EXPECT_EQ(parsed[0].token, c.token) << c.url;
  }
}

TEST(ParseNatsUrlTest, ReadsSeveralServers) {
  PODFERRY_ASSERT_OK_AND_ASSIGN(const std::vector<NatsAddress> parsed,
                                ParseNatsUrl("nats://a:1, tls://b:2,c"));
  ASSERT_EQ(parsed.size(), 3u);
  EXPECT_EQ(parsed[0].ToString(), "a:1");
  EXPECT_TRUE(parsed[1].tls);
  EXPECT_EQ(parsed[2].ToString(), "c:4222");
}

TEST(ParseNatsUrlTest, SaysWhatIsWrongWithoutRepeatingTheUrl) {
  struct Case {
    const char* url;
    const char* message;
  };
  const Case cases[] = {
      {"", "empty"},
      {"nats://a,,nats://b", "empty"},
      {"http://me:hunter2@h", "want nats:// or tls://"},
      {"nats://me:hunter2@", "the host is empty"},
      {"nats://me:hunter2@h:", "the port is empty"},
      {"nats://me:hunter2@h:99999", "want a port from 1 to 65535"},
      {"nats://me:hunter2@h:abc", "want a port from 1 to 65535"},
      {"nats://me:hunter2@a b", "no host has"},
      {"nats://me:hunter2@h/path", "no host has"},
      {"nats://me:hunter2@[::1", "'[' without ']'"},
      {"nats://me:hunter2@[::1]x", "want a port after ']'"},
      {"nats://me:hunter2%zz@h", "two hex digits"},
      {"nats://:hunter2@h", "the user before '@' is empty"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(ParseNatsUrl(c.url),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr(c.message), Not(HasSubstr("hunter2")))))
        << c.url;
  }
}

TEST(ParseNatsUrlTest, WebSocketIsNamedAsNotSupported) {
  for (const char* url : {"ws://h", "wss://me:pw@h:443", "nats://a,wss://b"}) {
    EXPECT_THAT(ParseNatsUrl(url),
                StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("WebSocket")));
  }
}

TEST(CheckNatsOptionsTest, WhatDoesNotGoTogetherIsRefused) {
  EXPECT_THAT(CheckNatsOptions({}), IsOk());
  NatsOptions both;
  both.creds_file = "a";
  both.nkey_file = "b";
  EXPECT_THAT(CheckNatsOptions(both), StatusIs(absl::StatusCode::kInvalidArgument));
  NatsOptions half;
  half.cert_file = "a";
  EXPECT_THAT(CheckNatsOptions(half), StatusIs(absl::StatusCode::kInvalidArgument));
  half.key_file = "b";
  EXPECT_THAT(CheckNatsOptions(half), IsOk());
  NatsOptions inbox;
  inbox.inbox_prefix = "_INBOX.>";
  EXPECT_THAT(CheckNatsOptions(inbox), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace podferry
