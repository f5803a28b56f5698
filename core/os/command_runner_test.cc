#include "core/os/command_runner.h"

#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "core/base/testing/status_matchers.h"
#include "core/os/asio_event_loop.h"
#include "core/os/testing/fake_command_runner.h"
#include "core/os/testing/run_until.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class CommandRunnerTest : public testing::Test {
 protected:
  absl::StatusOr<CommandResult> Run(Command command) {
    std::optional<absl::StatusOr<CommandResult>> result;
    runner_->Run(std::move(command),
                 [&](absl::StatusOr<CommandResult> answer) { result = std::move(answer); });
    EXPECT_FALSE(result.has_value()) << "called inline";
    EXPECT_TRUE(RunUntil(loop_, [&] { return result.has_value(); }));
    return *std::move(result);
  }
  static Command Shell(const std::string& script) {
    Command command;
    command.argv = {"sh", "-c", script};
    return command;
  }

  AsioEventLoop loop_;
  std::unique_ptr<PosixCommandRunner> runner_ = std::make_unique<PosixCommandRunner>(loop_, 2);
};

TEST_F(CommandRunnerTest, HandsBackOutputAndExitCode) {
  PODFERRY_ASSERT_OK_AND_ASSIGN(CommandResult result,
                                Run(Shell("echo said; echo complained >&2; exit 3")));
  EXPECT_EQ(result.out, "said\n");
  EXPECT_EQ(result.err, "complained\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_FALSE(result.ok());
}

TEST_F(CommandRunnerTest, FeedsInputAndKeepsArgumentsAsTheyAre) {
  Command command;
  command.argv = {"sh", "-c", "cat; printf '%s|' \"$@\"; pwd; echo $A", "sh", "a b", "$(id)", ""};
  command.stdin_data = std::string(1 << 20, 'i');
  command.env = {{"A", "env"}, {"PATH", "/usr/bin:/bin"}};
  command.cwd = "/usr";
  PODFERRY_ASSERT_OK_AND_ASSIGN(CommandResult result, Run(command));
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.out.substr(1 << 20), "a b|$(id)||/usr\nenv\n");
}

TEST_F(CommandRunnerTest, AProgramThatDoesNotReadItsInputIsNoError) {
  Command command = Shell("exec <&-; echo done");
  command.stdin_data = std::string(1 << 20, 'i');
  PODFERRY_ASSERT_OK_AND_ASSIGN(CommandResult result, Run(command));
  EXPECT_EQ(result.out, "done\n");
}

TEST_F(CommandRunnerTest, KillsTheWholeGroupWhenTimeIsUp) {
  Command command = Shell("echo begun; sleep 1000 & sleep 1000");
  command.timeout = absl::Milliseconds(100);
  PODFERRY_ASSERT_OK_AND_ASSIGN(CommandResult result, Run(command));
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
  EXPECT_EQ(result.out, "begun\n");
  EXPECT_LT(result.duration, absl::Seconds(20));
}

TEST_F(CommandRunnerTest, TimeIsUpForAProgramThatSaysNothingAnyMore) {
  Command command = Shell("exec >&- 2>&-; sleep 1000");
  command.timeout = absl::Milliseconds(50);
  PODFERRY_ASSERT_OK_AND_ASSIGN(CommandResult result, Run(command));
  EXPECT_TRUE(result.timed_out);
}

TEST_F(CommandRunnerTest, DoesNotWaitForWhatAProgramLeavesBehind) {
  PODFERRY_ASSERT_OK_AND_ASSIGN(CommandResult result, Run(Shell("sleep 2 & echo ready")));
  EXPECT_EQ(result.out, "ready\n");
  EXPECT_LT(result.duration, absl::Seconds(2));
}

TEST_F(CommandRunnerTest, BoundsTheOutputItKeeps) {
  Command command = Shell("head -c 3000000 /dev/zero; echo end >&2");
  command.max_output = 1000;
  PODFERRY_ASSERT_OK_AND_ASSIGN(CommandResult result, Run(command));
  EXPECT_TRUE(result.truncated);
  EXPECT_EQ(result.out.size(), 1000u);
  EXPECT_EQ(result.err, "end\n");
  EXPECT_EQ(result.exit_code, 0);
}

TEST_F(CommandRunnerTest, TellsASignalFromAnExitCode) {
  PODFERRY_ASSERT_OK_AND_ASSIGN(CommandResult result, Run(Shell("kill -TERM $$")));
  EXPECT_EQ(result.signal, SIGTERM);
  EXPECT_EQ(result.exit_code, -1);
}

TEST_F(CommandRunnerTest, AProgramThatIsNotThereIsNotFound) {
  Command command;
  command.argv = {"no-such-program-of-ours"};
  EXPECT_THAT(Run(command), StatusIs(absl::StatusCode::kNotFound));
  command.argv = {"/etc/passwd"};
  EXPECT_THAT(Run(command), StatusIs(absl::StatusCode::kPermissionDenied));
  command.argv = {};
  EXPECT_THAT(Run(command), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(CommandRunnerTest, ClosingKillsWhatRuns) {
  const absl::Time start = absl::Now();
  for (int i = 0; i < 4; ++i) {
    runner_->Run(Shell("sleep 1000"), [](absl::StatusOr<CommandResult>) { FAIL() << "called"; });
  }
  runner_.reset();
  loop_.RunReady();
  EXPECT_LT(absl::Now() - start, absl::Seconds(30));
}

TEST(FakeCommandRunnerTest, AnswersByPrefixNewestFirstAndRecords) {
  AsioEventLoop loop;
  FakeCommandRunner runner(loop);
  runner.OnCommand({"squeue"}, CommandResult{.out = "any"});
  runner.OnCommand({"squeue", "-j"}, CommandResult{.out = "one"});
  std::vector<std::string> said;
  const auto note = [&](absl::StatusOr<CommandResult> result) {
    said.push_back(result.ok() ? result->out : std::string(result.status().message()));
  };
  runner.Run({.argv = {"squeue", "-j", "1"}}, note);
  runner.Run({.argv = {"squeue"}}, note);
  runner.Run({.argv = {"sbatch"}}, note);
  EXPECT_TRUE(said.empty());
  loop.RunReady();
  EXPECT_THAT(said, ElementsAre("one", "any", "no answer scripted for: sbatch"));
  ASSERT_THAT(runner.calls(), SizeIs(3));
  EXPECT_THAT(runner.calls()[0].argv, ElementsAre("squeue", "-j", "1"));
}

}  // namespace
}  // namespace podferry
