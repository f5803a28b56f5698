// How scripts under Podman end containers, and what becomes of them if the script itself is killed.
// Each test runs real containers.

#include <signal.h>

#include <memory>
#include <string>

#include "absl/time/clock.h"
#include "core/translate/testing/podman_pool.h"
#include "core/translate/testing/script_run.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using testing::HasSubstr;

class PodmanEndTest : public testing::Test {
 protected:
  std::string Log(int index = 0, const std::string& container = "main") {
    return run_->Log(index, container);
  }

  PodmanPool pool_;
  std::unique_ptr<ScriptRun> run_;
};

TEST_F(PodmanEndTest, AsksAContainerToEndAndThenMakesIt) {
  PodBuilder pod;
  pod.Shell("trap 'echo asked; exit 7' TERM; echo up; while :; do sleep 0.1; done");
  run_ = pool_.Script(pod);
  run_->Start();
  ASSERT_TRUE(run_->UntilLog(0, "main", "up"));
  run_->Signal(SIGTERM);
  EXPECT_EQ(run_->Wait(), 7);
  EXPECT_EQ(Log(), "up\nasked\n");

  PodBuilder deaf;
  deaf.Shell("trap '' TERM; echo up; while :; do sleep 0.1; done");
  deaf.spec().termination_grace_period_seconds = 1;
  run_ = pool_.Script(deaf);
  run_->Start();
  ASSERT_TRUE(run_->UntilLog(0, "main", "up"));
  run_->Signal(SIGTERM);
  EXPECT_EQ(run_->Wait(), 137);
  EXPECT_EQ(pool_.Containers(), "");
}

TEST_F(PodmanEndTest, ProbesAndHooksRunInTheContainer) {
  const auto say = [](const std::string& word) {
    return ExecAction{
        {"sh", "-c", "cd \"$PWD\" && echo \"$A $(pwd) " + word + "\" > /proc/1/fd/1"}};
  };
  PodBuilder pod;
  pod.Shell("trap 'echo asked; exit 7' TERM; while :; do sleep 0.1; done").Env("A", "a");
  pod.container().working_dir = "/tmp";
  pod.container().lifecycle.post_start = say("post start");
  pod.container().lifecycle.pre_stop = say("pre stop");
  Probe probe;
  probe.handler = ExecAction{{"false"}};
  pod.container().readiness_probe = probe;
  run_ = pool_.Script(pod);
  run_->Start();
  ASSERT_TRUE(run_->UntilLog(0, "main", "a /tmp post start\n"));
  EXPECT_FALSE(run_->Status(0, "main").ready);
  run_->Signal(SIGTERM);
  EXPECT_EQ(run_->Wait(), 7);
  EXPECT_THAT(Log(), HasSubstr("a /tmp pre stop\nasked\n"));
}

TEST_F(PodmanEndTest, NothingOutlivesAScriptThatIsKilled) {
  for (const int milliseconds : {30, 150, 250, 350, 500, 1500}) {
    PodBuilder pod;
    pod.Shell("sleep 300");
    run_ = pool_.Script(pod);
    run_->Start();
    absl::SleepFor(absl::Milliseconds(milliseconds));
    run_->Signal(SIGKILL);
    EXPECT_EQ(run_->Wait(), 137);
    EXPECT_TRUE(
        ScriptRun::Until([&] { return pool_.CountMonitors() == 0 && pool_.Containers().empty(); },
                         absl::Seconds(60)))
        << milliseconds << ": " << pool_.Containers();
  }
}

TEST_F(PodmanEndTest, TheNextScriptRemovesWhatOneLeftThatWasKilledWithItsGuard) {
  PodBuilder pod;
  pod.Shell("echo up; sleep 300");
  run_ = pool_.Script(pod);
  run_->Start();
  ASSERT_TRUE(run_->UntilLog(0, "main", "up"));
  kill(-run_->pid(), SIGKILL);
  EXPECT_EQ(run_->Wait(), 137);
  EXPECT_THAT(pool_.Containers(), HasSubstr("Up"));

  PodmanPool pool;
  PodBuilder next;
  next.Shell("sleep 4");
  EXPECT_EQ(pool.Script(next)->Run(), 0);
  EXPECT_EQ(pool_.Containers(), "");
  EXPECT_EQ(pool_.CountMonitors(), 0);
}

}  // namespace
}  // namespace podferry
