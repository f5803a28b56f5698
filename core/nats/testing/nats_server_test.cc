#include "core/nats/testing/nats_server.h"

#include <signal.h>

#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::HasSubstr;

TEST(NatsServerTest, StartsOnAFreePortAndRestartsOnTheSame) {
  auto server = NatsServer::Start();
  ASSERT_THAT(server, IsOk());
  const int port = (*server)->port();
  const pid_t pid = (*server)->pid();
  EXPECT_THAT((*server)->log(), HasSubstr("Server is ready"));
  EXPECT_THAT((*server)->Restart("max_payload: 4MB"), IsOk());
  EXPECT_EQ((*server)->port(), port);
  EXPECT_NE((*server)->pid(), pid);
  EXPECT_EQ(kill(pid, 0), -1);
}

TEST(NatsServerTest, SaysWhyItDoesNotComeUp) {
  EXPECT_THAT(NatsServer::Start("no_such_option: 1"),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("no_such_option")));
}

TEST(NatsServerTest, TwoRunSideBySideAndEndWhenDestroyed) {
  auto a = NatsServer::Start();
  auto b = NatsServer::Start();
  ASSERT_THAT(a, IsOk());
  ASSERT_THAT(b, IsOk());
  EXPECT_NE((*a)->port(), (*b)->port());
  const pid_t pid = (*a)->pid();
  a->reset();
  EXPECT_EQ(kill(pid, 0), -1);
  EXPECT_EQ(kill((*b)->pid(), 0), 0);
}

}  // namespace
}  // namespace podferry
