#include "core/store/redis_url.h"

#include <string>

#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(RedisUrlTest, ReadsUnixSockets) {
  for (const char* text : {"redis+unix:/run/redis.sock", "redis+unix:///run/redis.sock"}) {
    PODFERRY_ASSERT_OK_AND_ASSIGN(RedisUrl url, ParseRedisUrl(text));
    EXPECT_EQ(url.unix_path, "/run/redis.sock");
    EXPECT_EQ(url.db, 0);
    EXPECT_EQ(url.ToString(), "redis+unix:/run/redis.sock");
  }
  PODFERRY_ASSERT_OK_AND_ASSIGN(RedisUrl url, ParseRedisUrl("redis+unix:/run/redis.sock?db=3"));
  EXPECT_EQ(url.db, 3);
}

TEST(RedisUrlTest, ReadsHostsPortsAndCredentials) {
  PODFERRY_ASSERT_OK_AND_ASSIGN(RedisUrl url, ParseRedisUrl("redis://cache.example"));
  EXPECT_EQ(url.host, "cache.example");
  EXPECT_EQ(url.port, 6379);
  PODFERRY_ASSERT_OK_AND_ASSIGN(url, ParseRedisUrl("redis://me:p%40ss@w@[::1]:7000/?db=2"));
  EXPECT_EQ(url.host, "::1");
  EXPECT_EQ(url.port, 7000);
  EXPECT_EQ(url.user, "me");
  EXPECT_EQ(url.password, "p@ss@w");
  EXPECT_EQ(url.db, 2);
  EXPECT_THAT(url.ToString(), Not(HasSubstr("ss")));
  PODFERRY_ASSERT_OK_AND_ASSIGN(url, ParseRedisUrl("redis://:secret@localhost:1"));
  EXPECT_EQ(url.user, "");
  EXPECT_EQ(url.password, "secret");
}

TEST(RedisUrlTest, SaysWhatIsWrongWithoutShowingSecrets) {
  const struct {
    const char* text;
    const char* message;
  } kCases[] = {
      {"rediss://secret@host", "TLS"},
      {"redis:host", "begins with"},
      {"/var/lib", "begins with"},
      {"redis+unix:relative", "absolute path"},
      {"redis://", "no proper host"},
      {"redis://secret@host", "user without a password"},
      {"redis://u:secret%4@host", "hex digits"},
      {"redis://u:secret@host:0", "port"},
      {"redis://u:secret@host:x", "port"},
      {"redis://u:secret@host/path", "no proper host"},
      {"redis://u:secret@[::1", "without a ']'"},
      {"redis://u:secret@host?timeout=3", "?db=N"},
      {"redis://u:secret@host?db=-1", "db"},
  };
  for (const auto& test : kCases) {
    const absl::Status status = ParseRedisUrl(test.text).status();
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(test.message)))
        << test.text;
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("secret")));
  }
}

}  // namespace
}  // namespace podferry
