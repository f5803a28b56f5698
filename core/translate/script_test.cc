// What the scripts do, seen from outside: each test runs one, with real bubblewrap.

#include <signal.h>
#include <sys/stat.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "core/pod/testing/pod_builder.h"
#include "core/translate/planner.h"
#include "core/translate/script_renderer.h"
#include "core/translate/testing/script_run.h"
#include "core/translate/translate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using testing::HasSubstr;
using Kind = ContainerState::Kind;

BuildConfig HostConfig() {
  BuildConfig config;
  config.runtime.kind = RuntimeKind::kHost;
  return config;
}

JobPlan Plan(const PodBuilder& builder, const BuildConfig& config = HostConfig()) {
  PlanResult result = PlanJob(builder.Build(), {"origin", "uid-1"}, "pool-a", config);
  EXPECT_TRUE(result.issues.empty()) << result.issues.ToString();
  return std::move(result.plan);
}

std::string Script(const PodBuilder& builder, const BuildConfig& config = HostConfig()) {
  return RenderScript(Plan(builder, config));
}

TEST(ScriptTest, ReportsStartEndAndLogOfOneContainer) {
  PodBuilder pod;
  pod.Shell("echo out; echo err >&2; exit 3");
  ScriptRun run(Script(pod));
  const absl::Time before = absl::Now();
  EXPECT_EQ(run.Run(), 3);
  const ContainerStatus status = run.Status(0, "main");
  EXPECT_EQ(status.state.kind, Kind::kTerminated);
  EXPECT_EQ(status.state.reason, "Error");
  EXPECT_EQ(status.state.exit_code, 3);
  EXPECT_EQ(status.state.signal, 0);
  EXPECT_GE(status.state.started_at, before - absl::Milliseconds(20));
  EXPECT_GE(status.state.finished_at, status.state.started_at);
  EXPECT_LE(status.state.finished_at, absl::Now() + absl::Milliseconds(20));
  EXPECT_EQ(run.Log(0, "main"), "out\nerr\n");
  EXPECT_EQ(run.Finished().exit_code, 3);
  EXPECT_EQ(run.Finished().failure, FailureReason::kError);
  EXPECT_THAT(run.Finished().message, HasSubstr("main ended with exit code 3"));
  EXPECT_FALSE(run.Has("run"));
}

TEST(ScriptTest, MarksAtLeastTheStartAndTheEndOfALog) {
  PodBuilder pod;
  pod.Shell("echo one; sleep 0.5; echo two; sleep 0.5");
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 0);
  const std::string text = run.Read("logs/00.main/0.marks");
  const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  ASSERT_GE(lines.size(), 4) << text;
  EXPECT_TRUE(absl::EndsWith(lines.front(), " 0"));
  EXPECT_TRUE(absl::EndsWith(lines[1], " 4"));
  EXPECT_TRUE(absl::EndsWith(lines.back(), " 8"));
}

TEST(ScriptTest, TellsSignalsAndMissingCommandsApart) {
  // $$$$ is $$ to the shell: Kubernetes takes $$ for an escaped $.
  const struct {
    std::vector<std::string> command;
    int code;
    int signal;
  } cases[] = {
      {{"sh", "-c", "kill -KILL $$$$"}, 137, 9},
      {{"sh", "-c", "kill -SEGV $$$$"}, 139, 11},
      {{"sh", "-c", "exit 255"}, 255, 0},
      {{"no-such-command"}, 127, 0},
      {{"/etc/passwd"}, 126, 0},
      {{"/no/such/file", "-c"}, 127, 0},
      {{"sh", "-c", "kill -TERM $$$$"}, 143, 15},
  };
  for (const auto& c : cases) {
    PodBuilder pod;
    pod.Command(c.command);
    ScriptRun run(Script(pod));
    EXPECT_EQ(run.Run(), c.code);
    EXPECT_EQ(run.Status(0, "main").state.exit_code, c.code);
    EXPECT_EQ(run.Status(0, "main").state.signal, c.signal);
    EXPECT_EQ(run.Status(0, "main").state.reason, "Error");
  }
}

TEST(ScriptTest, ASecondStartLeavesAtOnceAndTouchesNothing) {
  PodBuilder pod;
  pod.Shell("echo once");
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 0);
  const std::string finished = run.Read("finished");
  EXPECT_EQ(run.RunAgain(), kSecondStartExitCode);
  EXPECT_EQ(run.Log(0, "main"), "once\n");
  EXPECT_EQ(run.Read("finished"), finished);
}

TEST(ScriptTest, AFenceThatADeleteMadeStopsTheFirstStart) {
  PodBuilder pod;
  pod.Shell("echo never");
  ScriptRun run(Script(pod));
  ASSERT_EQ(mkdir(run.sandbox().c_str(), 0700), 0);
  FILE* fence = fopen((run.sandbox() + "/started").c_str(), "w");
  fputs("deleted", fence);
  fclose(fence);
  EXPECT_EQ(run.Run(), kSecondStartExitCode);
  EXPECT_FALSE(run.Has("logs"));
  EXPECT_FALSE(run.Has("finished"));
}

TEST(ScriptTest, RunsInitContainersInOrder) {
  PodBuilder pod;
  pod.EmptyDir("data", "/data").Shell("cat /data/steps");
  pod.AddInitContainer("first").EmptyDir("data", "/data").Shell("sleep 0.2; echo 1 >> /data/steps");
  pod.AddInitContainer("second").EmptyDir("data", "/data").Shell("echo 2 >> /data/steps");
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 0);
  EXPECT_EQ(run.Log(2, "main"), "1\n2\n");
  EXPECT_TRUE(run.Status(0, "first").ready);
  EXPECT_LE(run.Status(0, "first").state.finished_at, run.Status(1, "second").state.started_at);
  EXPECT_LE(run.Status(1, "second").state.finished_at, run.Status(2, "main").state.started_at);
}

TEST(ScriptTest, AFailedInitContainerEndsAllThatComeAfterIt) {
  PodBuilder pod;
  pod.Shell("echo never");
  pod.AddInitContainer("bad").Shell("exit 7");
  pod.AddInitContainer("later").Shell("echo never");
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 7);
  EXPECT_EQ(run.Status(0, "bad").state.exit_code, 7);
  for (const auto& [index, name] : {std::pair(1, "later"), std::pair(2, "main")}) {
    const ContainerStatus status = run.Status(index, name);
    EXPECT_EQ(status.state.kind, Kind::kTerminated);
    EXPECT_NE(status.state.exit_code, 0);
    EXPECT_THAT(status.state.message, HasSubstr("never started: init container bad"));
    EXPECT_EQ(run.Log(index, name), "");
  }
  EXPECT_THAT(run.Finished().message, HasSubstr("container bad ended with exit code 7"));
}

TEST(ScriptTest, StartsContainersTogetherAndLetsSiblingsRunOn) {
  PodBuilder pod;
  pod.Shell("sleep 1; echo survived");
  pod.AddContainer("fails").Shell("exit 42");
  pod.AddContainer("third").Shell("sleep 1; echo survived, too");
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 42);
  EXPECT_EQ(run.Log(0, "main"), "survived\n");
  EXPECT_EQ(run.Log(2, "third"), "survived, too\n");
  EXPECT_EQ(run.Status(0, "main").state.exit_code, 0);
  EXPECT_EQ(run.Status(1, "fails").state.exit_code, 42);
  EXPECT_LT(run.Status(2, "third").state.started_at - run.Status(0, "main").state.started_at,
            absl::Milliseconds(700));
}

TEST(ScriptTest, SigtermLetsATrapRunAndEndsEverything) {
  PodBuilder pod;
  pod.Shell("trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.1; done");
  pod.AddContainer("plain").Shell("echo ready; exec sleep 1000.25");
  pod.spec().termination_grace_period_seconds = 20;
  ScriptRun run(Script(pod));
  run.Start();
  ASSERT_TRUE(run.UntilLog(0, "main", "ready"));
  ASSERT_TRUE(run.UntilLog(1, "plain", "ready"));
  run.Signal(SIGTERM);
  EXPECT_EQ(run.Wait(absl::Seconds(10)), 5);
  EXPECT_EQ(run.Log(0, "main"), "ready\nbye\n");
  EXPECT_EQ(run.Status(0, "main").state.exit_code, 5);
  EXPECT_EQ(run.Status(1, "plain").state.signal, 15);
  EXPECT_EQ(CountProcesses("1000.25"), 0);
  EXPECT_THAT(run.Finished().message, HasSubstr("asked to end"));
}

TEST(ScriptTest, WhatIgnoresSigtermIsKilledAfterTheGrace) {
  PodBuilder pod;
  pod.Shell("trap '' TERM; echo ready; while :; do sleep 0.1; done");
  pod.spec().termination_grace_period_seconds = 1;
  ScriptRun run(Script(pod));
  run.Start();
  ASSERT_TRUE(run.UntilLog(0, "main", "ready"));
  const absl::Time asked = absl::Now();
  run.Signal(SIGTERM);
  EXPECT_EQ(run.Wait(absl::Seconds(10)), 137);
  EXPECT_GE(absl::Now() - asked, absl::Milliseconds(950));
  EXPECT_EQ(run.Status(0, "main").state.signal, 9);
}

TEST(ScriptTest, StoppedWhileAnInitContainerRunsNothingElseStarts) {
  PodBuilder pod;
  pod.Shell("echo never");
  pod.AddInitContainer("slow").Shell("echo ready; exec sleep 1000");
  ScriptRun run(Script(pod));
  run.Start();
  ASSERT_TRUE(run.UntilLog(0, "slow", "ready"));
  run.Signal(SIGTERM);
  EXPECT_EQ(run.Wait(), 143);
  EXPECT_EQ(run.Status(1, "main").state.kind, Kind::kTerminated);
  EXPECT_EQ(run.Status(1, "main").state.exit_code, 143);
  EXPECT_EQ(run.Log(1, "main"), "");
}

TEST(ScriptTest, ASignalToTheWholeGroupLosesNothing) {
  PodBuilder pod;
  pod.Shell("trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.1; done");
  ScriptRun run(Script(pod));
  run.Start();
  ASSERT_TRUE(run.UntilLog(0, "main", "ready"));
  kill(-run.pid(), SIGTERM);
  EXPECT_EQ(run.Wait(absl::Seconds(10)), 5);
  EXPECT_EQ(run.Log(0, "main"), "ready\nbye\n");
}

TEST(ScriptTest, DaemonsThatDetachedEndWithTheirContainer) {
  PodBuilder pod;
  pod.Shell("(setsid sleep 1000.5 </dev/null >/dev/null 2>&1 &); exit 0");
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 0);
  EXPECT_TRUE(ScriptRun::Until([] { return CountProcesses("1000.5") == 0; }));
}

TEST(ScriptTest, KillingTheScriptLeavesNothingRunning) {
  PodBuilder pod;
  pod.Shell("(setsid sleep 1000.75 &); echo ready; sleep 1000.75");
  pod.AddContainer("other").Shell("exec sleep 1000.75");
  ScriptRun run(Script(pod));
  run.Start();
  ASSERT_TRUE(run.UntilLog(0, "main", "ready"));
  ASSERT_TRUE(run.UntilState(1, "other", Kind::kRunning));
  run.Signal(SIGKILL);
  EXPECT_EQ(run.Wait(), 137);
  EXPECT_TRUE(ScriptRun::Until([] { return CountProcesses("1000.75") == 0; }));
  EXPECT_FALSE(run.Has("finished"));
}

TEST(ScriptTest, KillingTheScriptInTheMidstOfAStartLeavesNothingRunning) {
  PodBuilder pod;
  pod.EmptyDir("data", "/data").Shell("exec sleep 1000.875");
  const std::string script = Script(pod);
  std::vector<std::unique_ptr<ScriptRun>> runs;
  for (int milliseconds = 2; milliseconds < 60; milliseconds += 2) {
    runs.push_back(std::make_unique<ScriptRun>(script));
    runs.back()->Start();
    const absl::Time until = absl::Now() + absl::Milliseconds(milliseconds);
    ScriptRun::Until([&] { return absl::Now() > until; });
    runs.back()->Signal(SIGKILL);
    EXPECT_EQ(runs.back()->Wait(), 137);
  }
  EXPECT_TRUE(ScriptRun::Until([] { return CountProcesses("1000.875") == 0; }));
}

TEST(ScriptTest, NamesItsOwnProcess) {
  PodBuilder pod;
  pod.Shell("exec sleep 1000");
  ScriptRun run(Script(pod));
  run.Start();
  ASSERT_TRUE(run.UntilState(0, "main", Kind::kRunning));
  const std::vector<std::string> words =
      absl::StrSplit(run.Read("script.pid"), absl::ByAnyChar(" \n"), absl::SkipEmpty());
  ASSERT_EQ(words.size(), 3);
  EXPECT_EQ(words[0].size(), 36);
  EXPECT_EQ(words[1], absl::StrCat(run.pid()));
  int64_t start_time = 0;
  EXPECT_TRUE(absl::SimpleAtoi(words[2], &start_time));
  EXPECT_GT(start_time, 0);
  run.Signal(SIGTERM);
  run.Wait();
}

TEST(ScriptTest, EnforcesTheDeadline) {
  PodBuilder pod;
  pod.Shell("exec sleep 1000");
  pod.spec().active_deadline_seconds = 1;
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 143);
  EXPECT_EQ(run.Status(0, "main").state.reason, "DeadlineExceeded");
  EXPECT_EQ(run.Finished().failure, FailureReason::kDeadlineExceeded);
  EXPECT_THAT(run.Finished().message, HasSubstr("deadline of 1 seconds"));
}

TEST(ScriptTest, AJobThatEndsWellPastItsDeadlineHasFailedAllTheSame) {
  PodBuilder pod;
  pod.Shell("trap 'exit 0' TERM; while :; do sleep 0.1; done");
  pod.spec().active_deadline_seconds = 1;
  ScriptRun run(Script(pod));
  EXPECT_NE(run.Run(), 0);
  EXPECT_EQ(run.Finished().failure, FailureReason::kDeadlineExceeded);
}

TEST(ScriptTest, RestartsOnFailureWithABackOff) {
  PodBuilder pod;
  pod.RestartPolicy("OnFailure").EmptyDir("data", "/data");
  pod.Shell("echo x >> /data/n; n=$(wc -l < /data/n); echo attempt $n; [ $n = 4 ]");
  JobPlan plan = Plan(pod);
  plan.back_off = {absl::Milliseconds(200), absl::Milliseconds(400)};
  ScriptRun run(RenderScript(plan));
  const absl::Time before = absl::Now();
  EXPECT_EQ(run.Run(), 0);
  EXPECT_GE(absl::Now() - before, absl::Milliseconds(550));  // 0 + 200 + 400
  const ContainerStatus status = run.Status(0, "main");
  EXPECT_EQ(status.restart_count, 3);
  EXPECT_EQ(status.state.exit_code, 0);
  ASSERT_TRUE(status.last_state.has_value());
  EXPECT_EQ(status.last_state->exit_code, 1);
  EXPECT_EQ(status.last_state->reason, "Error");
  for (int attempt = 0; attempt < 4; ++attempt) {
    EXPECT_EQ(run.Log(0, "main", attempt), absl::StrCat("attempt ", attempt + 1, "\n"));
  }
}

TEST(ScriptTest, WaitsInCrashLoopBackOffAndCanBeStoppedThere) {
  PodBuilder pod;
  pod.RestartPolicy("Always").Shell("exit 9");
  ScriptRun run(Script(pod));
  run.Start();
  ASSERT_TRUE(ScriptRun::Until([&] {
    const ContainerStatus status = run.Status(0, "main");
    return status.restart_count == 1 && status.state.kind == Kind::kWaiting;
  }));
  const ContainerStatus status = run.Status(0, "main");
  EXPECT_EQ(status.state.reason, "CrashLoopBackOff");
  EXPECT_EQ(status.last_state->exit_code, 9);
  run.Signal(SIGTERM);
  EXPECT_EQ(run.Wait(), 9);
  EXPECT_EQ(run.Status(0, "main").state.kind, Kind::kTerminated);
  EXPECT_EQ(run.Status(0, "main").state.exit_code, 9);
}

TEST(ScriptTest, RestartsAnInitContainerBeforeTheOthersStart) {
  PodBuilder pod;
  pod.RestartPolicy("OnFailure").EmptyDir("data", "/data").Shell("cat /data/n");
  pod.AddInitContainer("init")
      .EmptyDir("data", "/data")
      .Shell("echo x >> /data/n; [ $(wc -l < /data/n) = 2 ]");
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 0);
  EXPECT_EQ(run.Status(0, "init").restart_count, 1);
  EXPECT_EQ(run.Log(1, "main"), "x\nx\n");
}

TEST(ScriptTest, SidecarsRunBesideTheOthersAndEndAfterThem) {
  PodBuilder pod;
  pod.EmptyDir("data", "/data").Shell("until [ -e /data/up ]; do sleep 0.05; done; echo done");
  pod.AddInitContainer("sidecar")
      .EmptyDir("data", "/data")
      .Shell("touch /data/up; trap 'echo stopped; exit 3' TERM; while :; do sleep 0.05; done");
  pod.container().restart_policy = "Always";
  pod.AddInitContainer("init")
      .EmptyDir("data", "/data")
      .Shell("until [ -e /data/up ]; do sleep 0.05; done");
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 0);
  EXPECT_EQ(run.Log(0, "sidecar"), "stopped\n");
  EXPECT_EQ(run.Log(2, "main"), "done\n");
  EXPECT_EQ(run.Status(0, "sidecar").state.exit_code, 3);
  EXPECT_GE(run.Status(0, "sidecar").state.finished_at, run.Status(2, "main").state.finished_at);
}

TEST(ScriptTest, EnforcesReadOnlyMountsAndLeavesTheHostAsItWas) {
  PodBuilder pod;
  pod.EmptyDir("data", "/data").EmptyDir("data", "/etc/podferry-test/data");
  pod.ConfigMap("config", "/etc/podferry-test/config", {{"a", "A"}});
  pod.ConfigMap("config", "/opt/podferry-test", {{"a", "A"}});
  pod.Mount("data", "/readonly", true);
  pod.Shell(
      "echo 1 > /data/x; cat /readonly/x /etc/podferry-test/data/x /opt/podferry-test/a; echo;"
      "touch /readonly/y || echo refused; touch /opt/podferry-test/a || echo refused, too;"
      "test -r /etc/passwd && test -d /etc/ssl && echo host is there; ls -l /etc/mtab | wc -l");
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 0);
  EXPECT_THAT(run.Log(0, "main"), HasSubstr("1\n1\nA\n"));
  EXPECT_THAT(run.Log(0, "main"), HasSubstr("refused\n"));
  EXPECT_THAT(run.Log(0, "main"), HasSubstr("refused, too\n"));
  EXPECT_THAT(run.Log(0, "main"), HasSubstr("host is there\n1\n"));
  struct stat ignored {};
  for (const char* path : {"/etc/podferry-test", "/opt/podferry-test", "/data", "/readonly"}) {
    EXPECT_NE(stat(path, &ignored), 0) << path;
  }
}

TEST(ScriptTest, VolumesBelowDevAndTmpLeaveTheRestUsable) {
  PodBuilder pod;
  pod.EmptyDir("data", "/dev/podferry-test").EmptyDir("data", "/tmp/podferry-test/deep");
  pod.Shell(
      "echo x > /dev/podferry-test/x; cat /tmp/podferry-test/deep/x; echo err > /dev/stderr;"
      "echo > /dev/null; readlink /dev/fd; head -c 3 /dev/zero | wc -c; touch /tmp/y && echo free");
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 0);
  EXPECT_EQ(run.Log(0, "main"), "x\nerr\n/proc/self/fd\n3\nfree\n");
}

TEST(ScriptTest, ALinkInAVolumeCannotLeadOutOfIt) {
  PodBuilder pod;
  pod.EmptyDir("data", "/data").Shell("ls /sub");
  VolumeMount mount;
  mount.name = "data";
  mount.mount_path = "/sub";
  mount.sub_path = "link/etc";
  pod.container().volume_mounts.push_back(mount);
  pod.AddInitContainer("init").EmptyDir("data", "/data").Shell("ln -s / /data/link");
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 128);
  EXPECT_EQ(run.Status(1, "main").state.reason, "CreateContainerError");
  EXPECT_THAT(run.Status(1, "main").state.message, HasSubstr("leads out of volume"));
}

TEST(ScriptTest, MakesSubPathsAndWorkingFoldersThatAreMissing) {
  PodBuilder pod;
  pod.EmptyDir("data", "/data").Env("USER_NAME", "ann");
  VolumeMount mount;
  mount.name = "data";
  mount.mount_path = "/home/podferry-test/sub";
  mount.sub_path_expr = "users/$(USER_NAME)";
  pod.container().volume_mounts.push_back(mount);
  pod.container().working_dir = "/srv/podferry-test/work";
  pod.Shell("pwd; echo hi > /home/podferry-test/sub/x; cat /data/users/ann/x");
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 0) << run.Log(0, "main") << run.Finished().message;
  EXPECT_EQ(run.Log(0, "main"), "/srv/podferry-test/work\nhi\n");
}

TEST(ScriptTest, AReadOnlyRootCanBeWrittenOnlyWhereVolumesAre) {
  PodBuilder pod;
  pod.EmptyDir("data", "/data")
      .Shell(
          "touch /x || echo no; touch /tmp/podferry-x || echo no; touch /data/x && echo yes;"
          "echo > /dev/null && echo null");
  pod.container().security_context.read_only_root_filesystem = true;
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 0);
  std::string log = run.Log(0, "main");
  EXPECT_TRUE(absl::EndsWith(log, "no\nyes\nnull\n")) << log;
  EXPECT_EQ(absl::StrSplit(log, "no\n").begin()->empty(), false);
}

TEST(ScriptTest, WritingToDevStderrDoesNotCutTheLog) {
  PodBuilder pod;
  pod.Shell("echo first; echo second > /dev/stderr; echo third > /dev/stdout");
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 0);
  EXPECT_EQ(run.Log(0, "main"), "first\nsecond\nthird\n");
}

TEST(ScriptTest, StdinIsClosedUnlessAskedFor) {
  PodBuilder pod;
  pod.Shell("cat; echo end of stdin");
  pod.AddContainer("open").Shell("read -r x; echo never");
  pod.container().stdin_open = true;
  pod.spec().termination_grace_period_seconds = 0;
  ScriptRun run(Script(pod));
  run.Start();
  ASSERT_TRUE(run.UntilLog(0, "main", "end of stdin"));
  ASSERT_TRUE(run.UntilState(0, "main", Kind::kTerminated));
  EXPECT_EQ(run.Status(1, "open").state.kind, Kind::kRunning);
  run.Signal(SIGTERM);
  EXPECT_EQ(run.Wait(), 137);
  EXPECT_EQ(run.Log(1, "open"), "");
}

TEST(ScriptTest, GivesTheContainerNothingOfTheScripts) {
  PodBuilder pod;
  pod.Env("MINE", "1")
      .Shell(
          "env | grep -v -e '^PATH=' -e '^PWD=' -e '^HOME=' -e '^HOSTNAME=' -e '^_=' -e '^SHLVL='"
          " | sort; hostname; ls /proc/self/fd | wc -l; grep -E 'SigIgn|SigCgt' /proc/1/status");
  ScriptRun run(Script(pod));
  run.variables()["SECRET_OF_THE_SUBMITTER"] = "x";
  EXPECT_EQ(run.Run(), 0);
  EXPECT_THAT(run.Log(0, "main"), testing::StartsWith("MINE=1\nsimple\n4\n"));
}

TEST(ScriptTest, KeepsSecretsOffEveryCommandLine) {
  PodBuilder pod;
  pod.Env("TOKEN", "very-secret-value")
      .EmptyDir("data", "/data")
      .Shell("echo ready; exec sleep 1000");
  ScriptRun run(Script(pod));
  run.Start();
  bool seen = false;
  ASSERT_TRUE(ScriptRun::Until([&] {
    seen = seen || CountProcesses("very-secret-value") > 0;
    return absl::StrContains(run.Log(0, "main"), "ready");
  }));
  EXPECT_FALSE(seen);
  run.Signal(SIGTERM);
  run.Wait();
}

TEST(ScriptTest, TwoPodsWithContainersOfOneNameDoNotMeet) {
  PodBuilder a("a");
  PodBuilder b("b");
  a.EmptyDir("data", "/data").Shell("echo a > /data/x; sleep 0.3; cat /data/x; exit 1");
  b.EmptyDir("data", "/data").Shell("echo b > /data/x; sleep 0.3; cat /data/x; exit 2");
  ScriptRun run_a(Script(a));
  ScriptRun run_b(Script(b));
  run_a.Start();
  run_b.Start();
  EXPECT_EQ(run_a.Wait(), 1);
  EXPECT_EQ(run_b.Wait(), 2);
  EXPECT_EQ(run_a.Log(0, "main"), "a\n");
  EXPECT_EQ(run_b.Log(0, "main"), "b\n");
}

TEST(ScriptTest, WithoutBubblewrapPodsWithVolumesAreRefusedAtThePool) {
  BuildConfig config = HostConfig();
  config.runtime.bwrap_executable = "no-such-bwrap";
  PodBuilder pod;
  pod.EmptyDir("data", "/data").Shell("echo never");
  ScriptRun run(Script(pod, config));
  EXPECT_EQ(run.Run(), 128);
  EXPECT_EQ(run.Status(0, "main").state.reason, "CreateContainerConfigError");
  EXPECT_THAT(run.Finished().message, HasSubstr("need bubblewrap"));
}

TEST(ScriptTest, WithoutBubblewrapOtherPodsRunAsProcessGroups) {
  BuildConfig config = HostConfig();
  config.runtime.bwrap_executable = "no-such-bwrap";
  PodBuilder pod;
  pod.Shell("echo ready; trap 'echo bye; exit 6' TERM; sleep 1000.125 & wait");
  pod.AddContainer("env").Env("A.B", "x y").Command({"printenv", "A.B"});
  pod.AddContainer("missing").Command({"no-such-command"});
  ScriptRun run(Script(pod, config));
  run.Start();
  ASSERT_TRUE(run.UntilLog(0, "main", "ready"));
  ASSERT_TRUE(run.UntilState(2, "missing", Kind::kTerminated));
  ASSERT_TRUE(run.UntilState(1, "env", Kind::kTerminated));
  EXPECT_EQ(run.Log(1, "env"), "x y\n");
  EXPECT_EQ(run.Status(2, "missing").state.exit_code, 127);
  run.Signal(SIGTERM);
  EXPECT_EQ(run.Wait(), 6);
  EXPECT_TRUE(ScriptRun::Until([] { return CountProcesses("1000.125") == 0; }));
}

TEST(ScriptTest, WithoutBubblewrapKillingTheScriptStillLeavesNothingRunning) {
  BuildConfig config = HostConfig();
  config.runtime.bwrap_executable = "no-such-bwrap";
  PodBuilder pod;
  pod.Shell("echo ready; sleep 1000.0625; true");
  ScriptRun run(Script(pod, config));
  run.Start();
  ASSERT_TRUE(run.UntilLog(0, "main", "ready"));
  run.Signal(SIGKILL);
  EXPECT_EQ(run.Wait(), 137);
  EXPECT_TRUE(ScriptRun::Until([] { return CountProcesses("1000.0625") == 0; }));
}

TEST(ScriptTest, AnInterpretedJobScriptTakesTheContainersPlace) {
  PodBuilder pod;
  pod.AddInitContainer("init");
  RetrievedPod retrieved = pod.Build();
  retrieved.job_script = "#!/bin/bash\necho from the job script\nexit 4\n";
  const Translation translation =
      Translate(retrieved, {"origin", "uid-1"}, "pool-a", BuildConfig());
  ASSERT_TRUE(translation.issues.empty()) << translation.issues.ToString();
  ScriptRun run(translation.bundle.script);
  EXPECT_EQ(run.Run(), 4);
  EXPECT_EQ(run.Log(1, "main"), "from the job script\n");
  EXPECT_EQ(run.Status(1, "main").state.exit_code, 4);
  EXPECT_EQ(run.Status(0, "init").state.kind, Kind::kTerminated);
  EXPECT_EQ(run.RunAgain(), kSecondStartExitCode);
}

}  // namespace
}  // namespace podferry
