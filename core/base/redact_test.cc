#include "core/base/redact.h"

#include <vector>

#include "gtest/gtest.h"

namespace podferry {
namespace {

TEST(RedactTest, HidesWhatStandsBeforeTheHost) {
  struct Case {
    const char* text;
    const char* redacted;
  };
  const std::vector<Case> cases = {
      {"", ""},
      {"no url, me@example.org", "no url, me@example.org"},
      {"nats://host:4222", "nats://host:4222"},
      {"nats://me:secret@host:4222", "nats://***@host:4222"},
      {"nats://token@host", "nats://***@host"},
      {"wss://me:p@ss@host/path", "wss://***@host/path"},
      {"wss://me:p/s?s#@host/path", "wss://***@host/path"},
      {"nats://a:b@h1,nats://c:d@h2", "nats://***@h1,nats://***@h2"},
      {"nats://h1,nats://c:d@h2", "nats://h1,nats://***@h2"},
      {"nats://a:b,c@h1,h2:4222", "nats://***@h1,h2:4222"},
      {"redis+unix://:pw@/run/redis.sock", "redis+unix://***@/run/redis.sock"},
      {"cannot reach \"tls://a:b@h\": ask ops@example.org",
       "cannot reach \"tls://***@h\": ask ops@example.org"},
      {"://", "://"},
      {"nats://a:x://y@h", "nats://***@h"},
  };
  for (const Case& test : cases) EXPECT_EQ(RedactUrls(test.text), test.redacted) << test.text;
}

}  // namespace
}  // namespace podferry
