#include "core/os/exit_watcher.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "core/base/testing/status_matchers.h"
#include "core/os/asio_event_loop.h"
#include "core/os/command_runner.h"
#include "core/os/testing/run_until.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

// With pidfds, and without them as on an old kernel.
class ExitWatcherTest : public testing::TestWithParam<bool> {
 protected:
  ProcessIdentity Start(const std::string& script) {
    DetachedCommand command;
    command.argv = {"/bin/sh", "-c", script};
    return *StartDetached(command);
  }
  std::optional<ProcessExit> WaitFor(const ProcessIdentity& process) {
    std::optional<ProcessExit> result;
    Subscription watch = watcher_.Watch(process, [&](ProcessExit exit) { result = exit; });
    EXPECT_FALSE(result.has_value()) << "called inline";
    EXPECT_TRUE(RunUntil(loop_, [&] { return result.has_value(); }));
    return result;
  }

  AsioEventLoop loop_;
  PosixExitWatcher watcher_{loop_, absl::Milliseconds(2), GetParam()};
};

TEST_P(ExitWatcherTest, TellsHowAChildEndedAndReapsIt) {
  const ProcessIdentity process = Start("exit 7");
  EXPECT_EQ(WaitFor(process), (ProcessExit{7, std::nullopt}));
  EXPECT_EQ(waitpid(process.pid, nullptr, WNOHANG), -1) << "a zombie is left";
}

TEST_P(ExitWatcherTest, TellsTheSignalThatEndedAChild) {
  EXPECT_EQ(WaitFor(Start("kill -9 $$")), (ProcessExit{std::nullopt, SIGKILL}));
}

TEST_P(ExitWatcherTest, TellsOfProcessesThatAreNotChildren) {
  // The shell ends at once; what it leaves behind is nobody's child that we know.
  Command command;
  command.argv = {"/bin/sh", "-c", "sleep 0.05 >/dev/null 2>&1 & echo $!"};
  PODFERRY_ASSERT_OK_AND_ASSIGN(CommandResult result, RunCommand(command));
  pid_t pid;
  ASSERT_TRUE(absl::SimpleAtoi(result.out, &pid));
  PODFERRY_ASSERT_OK_AND_ASSIGN(ProcessIdentity process, IdentityOf(pid));
  EXPECT_EQ(WaitFor(process), ProcessExit());
}

TEST_P(ExitWatcherTest, TellsOfAProcessThatIsGoneAlready) {
  ProcessIdentity process = Start("exit 3");
  waitpid(process.pid, nullptr, 0);
  EXPECT_EQ(WaitFor(process), ProcessExit());
  PODFERRY_ASSERT_OK_AND_ASSIGN(process, OwnIdentity());
  ++process.start_time;  // Our pid, but not us.
  EXPECT_EQ(WaitFor(process), ProcessExit());
}

TEST_P(ExitWatcherTest, AForgottenChildIsReapedAllTheSame) {
  const ProcessIdentity process = Start("exit 0");
  {
    Subscription watch = watcher_.Watch(process, [](ProcessExit) { FAIL() << "called"; });
  }
  EXPECT_TRUE(RunUntil(loop_, [&] { return !IdentityOf(process.pid).ok(); }));
}

TEST_P(ExitWatcherTest, WatchesManyAtOnce) {
  constexpr int kCount = 20;
  int ended = 0;
  std::vector<Subscription> watches;
  for (int i = 0; i < kCount; ++i) {
    watches.push_back(watcher_.Watch(Start("exit 0"), [&](ProcessExit exit) {
      EXPECT_EQ(exit.exit_code, 0);
      ++ended;
    }));
  }
  EXPECT_TRUE(RunUntil(loop_, [&] { return ended == kCount; }));
}

INSTANTIATE_TEST_SUITE_P(All, ExitWatcherTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "Pidfd" : "Polling"; });

}  // namespace
}  // namespace podferry
