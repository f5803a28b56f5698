#include "core/translate/sandbox.h"

#include "absl/time/time.h"
#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using testing::HasSubstr;

TEST(SandboxTest, PathsAreThoseOfTheContract) {
  EXPECT_EQ(SandboxPaths::Started("/s"), "/s/started");
  EXPECT_EQ(SandboxPaths::ScriptPid("/s"), "/s/script.pid");
  EXPECT_EQ(SandboxPaths::Finished("/s"), "/s/finished");
  EXPECT_EQ(SandboxPaths::Status("/s", 3, "main"), "/s/status/03.main");
  EXPECT_EQ(SandboxPaths::Status("/s", 123, "main"), "/s/status/123.main");
  EXPECT_EQ(SandboxPaths::Log("/s", 0, "main", 2), "/s/logs/00.main/2.log");
  EXPECT_EQ(SandboxPaths::Marks("/s", 0, "main", 2), "/s/logs/00.main/2.marks");
}

TEST(SandboxTest, ReadsARestartedContainer) {
  const auto status = ParseContainerFile(
      "state=running\nstarted=1700000000.25\nrestarts=2\nready=1\nimage_id=sha256:ab\n"
      "last_reason=Error\nlast_message=100%25%0Abad\nlast_started=1699999990.10\n"
      "last_finished=1699999991.99\nlast_exit=137\nlast_signal=9\nsomething=new\n");
  ASSERT_TRUE(status.ok()) << status.status();
  EXPECT_EQ(status->state.kind, ContainerState::Kind::kRunning);
  EXPECT_EQ(status->state.started_at, absl::FromUnixMillis(1700000000250));
  EXPECT_EQ(status->state.finished_at, absl::InfinitePast());
  EXPECT_EQ(status->restart_count, 2);
  EXPECT_TRUE(status->ready);
  EXPECT_FALSE(status->starting);
  EXPECT_EQ(status->image_id, "sha256:ab");
  ASSERT_TRUE(status->last_state.has_value());
  EXPECT_EQ(status->last_state->kind, ContainerState::Kind::kTerminated);
  EXPECT_EQ(status->last_state->message, "100%\nbad");
  EXPECT_EQ(status->last_state->finished_at, absl::FromUnixMillis(1699999991990));
  EXPECT_EQ(status->last_state->exit_code, 137);
  EXPECT_EQ(status->last_state->signal, 9);
}

TEST(SandboxTest, ReadsThatAContainerHasNotStartedYet) {
  const auto status = ParseContainerFile("state=running\nstarting=1\nready=0\n");
  ASSERT_TRUE(status.ok()) << status.status();
  EXPECT_TRUE(status->starting);
  EXPECT_FALSE(status->ready);
}

TEST(SandboxTest, NamesTheLineThatCannotBeRead) {
  for (const char* bad : {"state=dancing", "state=running\nexit=one", "state=running\nstarted=nan",
                          "state=running\nmessage=50%", "state=running\nno equals sign"}) {
    const auto status = ParseContainerFile(bad);
    EXPECT_EQ(status.status().code(), absl::StatusCode::kInvalidArgument) << bad;
  }
  EXPECT_THAT(ParseContainerFile("state=running\nexit=one\n").status().message(),
              HasSubstr("exit=one"));
  EXPECT_EQ(ParseContainerFile("").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(SandboxTest, ReadsHowTheJobEnded) {
  const auto done = ParseFinishedFile("exit=0\nreason=Completed\n");
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->exit_code, 0);
  EXPECT_EQ(done->failure, FailureReason::kUnspecified);

  const auto late = ParseFinishedFile("exit=143\nreason=DeadlineExceeded\nmessage=after 5 s\n");
  ASSERT_TRUE(late.ok());
  EXPECT_EQ(late->exit_code, 143);
  EXPECT_EQ(late->failure, FailureReason::kDeadlineExceeded);
  EXPECT_EQ(late->message, "after 5 s");

  EXPECT_FALSE(ParseFinishedFile("reason=Completed\n").ok());
}

}  // namespace
}  // namespace podferry
