#include "core/base/failpoint.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>

#include "absl/time/clock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using failpoint_internal::Action;
using failpoint_internal::ParsePlan;

// The wait status of a child that runs `body` with PODFERRY_FAILPOINT=value and exits with 0 after
// it. This process itself never passes a failpoint, so every child reads its own environment.
int RunChild(const char* value, const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("PODFERRY_FAILPOINT", value, 1);
    body();
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, WUNTRACED), child);
  if (WIFSTOPPED(status)) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  return status;
}

bool DiedOfSigkill(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; }
bool ExitedWith(int status, int code) { return WIFEXITED(status) && WEXITSTATUS(status) == code; }

TEST(FailpointTest, KillsAtTheNamedPlaceOnly) {
  EXPECT_TRUE(DiedOfSigkill(RunChild("here", [] { Failpoint("here"); })));
  EXPECT_TRUE(ExitedWith(RunChild("here", [] { Failpoint("there"); }), 0));
  EXPECT_TRUE(ExitedWith(RunChild("", [] { Failpoint("here"); }), 0));
}

TEST(FailpointTest, KillsAtTheNthPass) {
  const auto pass = [](int times) {
    return [times] {
      for (int i = 0; i < times; ++i) Failpoint("here");
    };
  };
  EXPECT_TRUE(ExitedWith(RunChild("here:3", pass(2)), 0));
  EXPECT_TRUE(DiedOfSigkill(RunChild("here:3", pass(3))));
}

TEST(FailpointTest, StopsUntilContinued) {
  const int status = RunChild("here=stop", [] { Failpoint("here"); });
  EXPECT_TRUE(WIFSTOPPED(status));
}

TEST(FailpointTest, SleepsAndGoesOn) {
  const absl::Time start = absl::Now();
  EXPECT_TRUE(ExitedWith(RunChild("here=sleep:20", [] { Failpoint("here"); }), 0));
  EXPECT_GE(absl::Now() - start, absl::Milliseconds(20));
}

TEST(FailpointTest, AValueThatMakesNoSenseEndsTheProcess) {
  EXPECT_TRUE(ExitedWith(RunChild("here=slip:20", [] { Failpoint("there"); }), 2));
}

TEST(FailpointTest, ReadsPassAndAction) {
  EXPECT_EQ(ParsePlan("a.b:7")->pass, 7);
  EXPECT_EQ(ParsePlan("a.b:7")->name, "a.b");
  EXPECT_EQ(ParsePlan("a.b=stop")->action, Action::kStop);
  EXPECT_TRUE(ParsePlan("a=sleep:5")->every_pass);
  EXPECT_FALSE(ParsePlan("a:2=sleep:5")->every_pass);
  for (const char* bad : {"", ":3", "a:0", "a:-1", "a:x", "a=", "a=sleep", "a=sleep:-1", "=stop"}) {
    EXPECT_FALSE(ParsePlan(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace podferry
