// Probes, hooks and last words, seen from outside: each test runs a script, under every way that
// this machine has to run containers. Times of probes are cut to tenths of a second in the plan;
// what is waited for are conditions.

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "core/pod/testing/pod_builder.h"
#include "core/translate/planner.h"
#include "core/translate/script_renderer.h"
#include "core/translate/testing/probe_target.h"
#include "core/translate/testing/script_run.h"
#include "core/translate/testing/test_runtime.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using Kind = ContainerState::Kind;

struct Runtime {
  TestRuntime runtime;
  std::string name;
  bool has_volumes = true;

  BuildConfig Config() const {
    BuildConfig config = ConfigOf(runtime);
    if (!has_volumes) config.runtime.bwrap_executable = "no-such-bwrap";
    return config;
  }
};

std::vector<Runtime> Runtimes() {
  std::vector<Runtime> runtimes = {
      {{RuntimeKind::kHost, "host"}, "processes", /*has_volumes=*/false}};
  // The golden pods `hooks` and `probes` run under the others, too.
  for (const TestRuntime& runtime : kTestRuntimes) {
    if (runtime.kind == RuntimeKind::kHost) runtimes.push_back({runtime, runtime.name});
  }
  return runtimes;
}

// As the first process of a container it must take the signal itself.
constexpr char kEndsOnSigterm[] = "trap 'exit 143' TERM; echo up; while :; do sleep 0.05; done";

// Podman's containers have names of their own, and another test may run beside this one.
JobKey Key() { return {"origin", absl::StrCat("uid-", getpid())}; }

Probe MakeProbe(Handler handler) {
  Probe probe;
  probe.handler = std::move(handler);
  return probe;
}

ExecAction Shell(const std::string& script) { return {{"/bin/sh", "-c", script}}; }

HttpGetAction Http(int port, const std::string& path = "/") {
  HttpGetAction http;
  http.port.number = port;
  http.path = path;
  return http;
}

TcpSocketAction Tcp(int port) {
  TcpSocketAction tcp;
  tcp.port.number = port;
  return tcp;
}

class CareScriptTest : public testing::TestWithParam<Runtime> {
 protected:
  CareScriptTest() { pod_.spec().termination_grace_period_seconds = 5; }

  // Files that test and containers both see, as a container names them: in a volume, or anywhere.
  std::string In(const std::string& gate) {
    return absl::StrCat(GetParam().has_volumes ? "/gates" : Folder(), "/", gate);
  }
  std::string IfOpen(const std::string& gate) { return absl::StrCat("test -e ", In(gate)); }
  std::string UntilOpen(const std::string& gate) {
    return absl::StrCat("until ", IfOpen(gate), "; do sleep 0.05; done");
  }
  void Open(const std::string& gate) { std::ofstream(Gate(gate)) << "x"; }
  void Shut(const std::string& gate) { unlink(Gate(gate).c_str()); }
  bool IsOpen(const std::string& gate) { return access(Gate(gate).c_str(), F_OK) == 0; }
  std::string Read(const std::string& gate) {
    std::ifstream file(Gate(gate));
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  // The plan, with everything that waits made ten times faster.
  JobPlan Plan() {
    if (GetParam().has_volumes) {
      pod_.spec().volumes.push_back({"gates", EmptyDirVolume{}});
      for (auto* list : {&pod_.spec().init_containers, &pod_.spec().containers}) {
        for (Container& container : *list) {
          VolumeMount& mount = container.volume_mounts.emplace_back();
          mount.name = "gates";
          mount.mount_path = "/gates";
        }
      }
    }
    PlanResult result = PlanJob(pod_.Build(), Key(), "pool-a", GetParam().Config());
    EXPECT_TRUE(result.issues.empty()) << result.issues.ToString();
    for (PlannedContainer& container : result.plan.containers) {
      for (PlannedProbe& probe : container.care.probes) {
        probe.delay /= 10;
        probe.period /= 10;
      }
    }
    result.plan.back_off = {absl::Milliseconds(100), absl::Milliseconds(200)};
    return std::move(result.plan);
  }

  // The pod's script, not started; from here on gates can be opened.
  ScriptRun& Make() { return Make(RenderScript(Plan())); }
  ScriptRun& Make(const std::string& script) {
    run_ = std::make_unique<ScriptRun>(script);
    Prepare(GetParam().runtime, run_.get());
    mkdir(run_->sandbox().c_str(), 0700);
    std::filesystem::create_directories(Folder());
    chmod(Folder().c_str(), 0777);
    return *run_;
  }

  static bool UntilReady(const ScriptRun& run, bool ready, int index = 0,
                         absl::string_view name = "main") {
    return ScriptRun::Until([&] {
      const ContainerStatus status = run.Status(index, name);
      return status.state.kind == Kind::kRunning && status.ready == ready;
    });
  }
  static bool UntilRestarted(const ScriptRun& run) {
    return ScriptRun::Until([&] { return run.Status(0, "main").restart_count > 0; });
  }
  static void Stop(ScriptRun& run) {
    run.Signal(SIGTERM);
    run.Wait(absl::Seconds(20));
  }

  PodBuilder pod_;

 private:
  std::string Folder() {
    if (GetParam().has_volumes) return absl::StrCat(run_->sandbox(), "/volumes/gates");
    if (folder_.empty()) {
      folder_ = absl::StrCat(testing::TempDir(), "/gates.XXXXXX");
      EXPECT_NE(mkdtemp(folder_.data()), nullptr);
    }
    return folder_;
  }
  std::string Gate(const std::string& gate) { return absl::StrCat(Folder(), "/", gate); }

  std::unique_ptr<ScriptRun> run_;
  std::string folder_;
};

TEST_P(CareScriptTest, AContainerIsReadyWhileItsReadinessProbeSucceeds) {
  pod_.Shell("echo up; exec sleep 1000");
  pod_.container().readiness_probe = MakeProbe(Shell(IfOpen("ready")));
  pod_.container().readiness_probe->failure_threshold = 2;
  ScriptRun& run = Make();
  run.Start();
  ASSERT_TRUE(run.UntilLog(0, "main", "up"));
  EXPECT_TRUE(UntilReady(run, false));
  Open("ready");
  EXPECT_TRUE(UntilReady(run, true));
  Shut("ready");
  EXPECT_TRUE(UntilReady(run, false));
  EXPECT_EQ(run.Status(0, "main").restart_count, 0);
  Stop(run);
}

TEST_P(CareScriptTest, AFailedLivenessProbeRestartsTheContainer) {
  pod_.RestartPolicy("Always").Shell(kEndsOnSigterm);
  pod_.container().liveness_probe =
      MakeProbe(Shell(absl::StrCat(IfOpen("alive"), " || { echo no pulse; exit 1; }")));
  ScriptRun& run = Make();
  Open("alive");
  run.Start();
  ASSERT_TRUE(run.UntilLog(0, "main", "up"));
  Shut("alive");
  ASSERT_TRUE(UntilRestarted(run));
  Open("alive");
  ASSERT_TRUE(run.UntilState(0, "main", Kind::kRunning));
  const ContainerStatus status = run.Status(0, "main");
  ASSERT_TRUE(status.last_state.has_value());
  EXPECT_EQ(status.last_state->exit_code, 143);
  EXPECT_EQ(status.last_state->reason, "Error");
  EXPECT_EQ(status.last_state->message,
            "Container main failed liveness probe, will be restarted: no pulse");
  Stop(run);
}

TEST_P(CareScriptTest, WithoutARestartAFailedLivenessProbeEndsThePod) {
  pod_.Shell("trap '' TERM; echo up; while :; do sleep 0.1; done");
  pod_.container().liveness_probe = MakeProbe(Shell("exit 1"));
  pod_.container().liveness_probe->failure_threshold = 1;
  pod_.container().liveness_probe->termination_grace_period_seconds = 1;
  pod_.container().liveness_probe->initial_delay_seconds = 10;
  pod_.spec().termination_grace_period_seconds = 600;
  ScriptRun& run = Make();
  EXPECT_EQ(run.Run(), 137);
  EXPECT_EQ(run.Status(0, "main").state.signal, 9);
  EXPECT_EQ(run.Status(0, "main").state.message, "Container main failed liveness probe");
  EXPECT_THAT(run.Finished().message, HasSubstr("failed liveness probe"));
}

TEST_P(CareScriptTest, TheStartupProbeHoldsBackTheOthers) {
  pod_.Shell("echo up; exec sleep 1000");
  Container& container = pod_.container();
  container.startup_probe = MakeProbe(Shell(IfOpen("started")));
  container.startup_probe->failure_threshold = 1000;
  container.liveness_probe = MakeProbe(Shell(absl::StrCat("touch ", In("probed"))));
  ScriptRun& run = Make();
  run.Start();
  ASSERT_TRUE(run.UntilLog(0, "main", "up"));
  EXPECT_TRUE(UntilReady(run, false));
  EXPECT_TRUE(run.Status(0, "main").starting);
  EXPECT_FALSE(IsOpen("probed"));
  Open("started");
  EXPECT_TRUE(UntilReady(run, true));
  EXPECT_FALSE(run.Status(0, "main").starting);
  EXPECT_TRUE(ScriptRun::Until([&] { return IsOpen("probed"); }));
  Stop(run);
}

TEST_P(CareScriptTest, AFailedStartupProbeRestartsTheContainer) {
  pod_.RestartPolicy("OnFailure").Shell("trap 'exit 0' TERM; while :; do sleep 0.05; done");
  pod_.container().startup_probe = MakeProbe(Tcp(FreePort()));
  ScriptRun& run = Make();
  run.Start();
  ASSERT_TRUE(UntilRestarted(run)) << "though it ended well when it was asked to";
  EXPECT_THAT(run.Status(0, "main").last_state->message,
              StartsWith("Container main failed startup probe, will be restarted: cannot connect"));
  Stop(run);
}

TEST_P(CareScriptTest, AProbeThatHangsIsKilledWithAllItStarted) {
  pod_.Shell("echo up; exec sleep 1000");
  pod_.container().readiness_probe =
      MakeProbe(Shell(absl::StrCat("touch ", In("hangs"), "; sleep 2000.5 & sleep 2000.5")));
  ScriptRun& run = Make();
  run.Start();
  int most = 0;
  ASSERT_TRUE(ScriptRun::Until([&] { return IsOpen("hangs"); }));
  Shut("hangs");
  ASSERT_TRUE(ScriptRun::Until([&] {
    most = std::max(most, CountProcesses("2000.5"));
    return IsOpen("hangs");
  })) << "it is tried again";
  EXPECT_LE(most, 8) << "one run at a time";
  EXPECT_TRUE(UntilReady(run, false));
  Stop(run);
  EXPECT_TRUE(ScriptRun::Until([] { return CountProcesses("2000.5") == 0; }));
}

TEST_P(CareScriptTest, ProbesLeaveNoProcessesBehind) {
  pod_.Shell("echo up; exec sleep 1000");
  pod_.container().readiness_probe = MakeProbe(Shell(absl::StrCat("echo x >> ", In("runs"))));
  pod_.container().readiness_probe->period_seconds = 1;
  ScriptRun& run = Make();
  run.Start();
  ASSERT_TRUE(ScriptRun::Until([&] { return Read("runs").size() >= 20; }));
  EXPECT_LE(run.CountChildren(), 6);
  Stop(run);
}

TEST_P(CareScriptTest, HttpProbesJudgeAsTheKubeletDoes) {
  ProbeTarget target;
  ProbeTarget elsewhere;
  pod_.Shell("echo up; exec sleep 1000");
  pod_.container().readiness_probe = MakeProbe(Http(target.port(), "/z?a=b c"));
  pod_.container().readiness_probe->failure_threshold = 1;
  std::get<HttpGetAction>(pod_.container().readiness_probe->handler).headers = {
      {"X-Quoted", "a \"b\" \\c"}, {"X-Empty", ""}, {"Host", "my.host"}};
  ScriptRun& run = Make();
  run.variables()["http_proxy"] = "http://127.0.0.1:1";
  run.Start();
  EXPECT_TRUE(UntilReady(run, true)) << run.Log(0, "main");
  EXPECT_THAT(target.Requests().front(),
              AllOf(StartsWith("GET /z?a=b%20c HTTP/1.1\r\n"), HasSubstr("\r\nHost: my.host\r\n"),
                    HasSubstr("\r\nX-Quoted: a \"b\" \\c\r\n"), HasSubstr("\r\nX-Empty:"),
                    HasSubstr("\r\nUser-Agent: kube-probe/1.35\r\n")));
  const std::string off =
      absl::StrCat("302 Found\r\nLocation: http://other.example:", elsewhere.port(), "/x");
  target.AnswerAt("/inner", "503 No");
  target.AnswerAt("/loop", "307 Again\r\nLocation: /loop");
  const std::pair<std::string, bool> answers[] = {
      {"500 No", false},
      {"204 No Content", true},
      {"404 Not Found", false},
      {off, true},
      {"301 Moved\r\nLocation: /inner", false},
      {"399 Odd", true},
      {"302 Found\r\nLocation: /loop", false},
      {"200 OK", true},
  };
  for (const auto& [answer, ready] : answers) {
    target.Answer(answer);
    EXPECT_TRUE(UntilReady(run, ready)) << answer;
  }
  EXPECT_THAT(elsewhere.Requests(), IsEmpty());
  target.Hang();
  EXPECT_TRUE(UntilReady(run, false));
  Stop(run);
}

TEST_P(CareScriptTest, SecretsOfProbesStandOnNoCommandLine) {
  ProbeTarget target;
  target.Hang();
  pod_.Shell("echo up; exec sleep 1000");
  pod_.container().readiness_probe = MakeProbe(Http(target.port(), "/?key=secret-of-path"));
  std::get<HttpGetAction>(pod_.container().readiness_probe->handler).headers = {
      {"Authorization", "secret-of-header"}};
  pod_.Env("TOKEN", "secret-of-env");
  pod_.container().liveness_probe = MakeProbe(Shell("sleep 0.3"));
  ScriptRun& run = Make();
  run.Start();
  int seen = 0;
  ASSERT_TRUE(run.UntilLog(0, "main", "up"));
  EXPECT_TRUE(ScriptRun::Until([&] {
    if (GetParam().has_volumes) seen += CountProcesses("secret-of-env");
    seen += CountProcesses("secret-of-path") + CountProcesses("secret-of-header");
    return CountProcesses("probe.1.curl") > 0 || CountProcesses("probe.0.curl") > 0;
  }));
  EXPECT_EQ(seen, 0);
  Stop(run);
}

TEST_P(CareScriptTest, TcpProbesNeedNothingButAListener) {
  ProbeTarget target;
  pod_.Shell("echo up; exec sleep 1000");
  pod_.container().readiness_probe = MakeProbe(Tcp(target.port()));
  pod_.AddContainer("other").Shell("exec sleep 1000");
  pod_.container().readiness_probe = MakeProbe(Tcp(FreePort()));
  ScriptRun& run = Make();
  run.Start();
  EXPECT_TRUE(UntilReady(run, true));
  EXPECT_TRUE(UntilReady(run, false, 1, "other"));
  Stop(run);
}

TEST_P(CareScriptTest, GrpcProbesSpeakTheHealthProtocol) {
  const struct {
    const char* name;
    std::string message;
    int status;
    bool ready;
  } cases[] = {
      {"serving", std::string("\0\0\0\0\2\x08\1", 7), 0, true},
      {"not serving", std::string("\0\0\0\0\2\x08\2", 7), 0, false},
      {"unknown", std::string("\0\0\0\0\0", 5), 0, false},
      {"no such service", "", 5, false},
      {"serving, but an error", std::string("\0\0\0\0\2\x08\1", 7), 2, false},
  };
  for (const auto& c : cases) {
    ProbeTarget target;
    target.AnswerGrpc(c.message, c.status);
    PodBuilder pod;
    pod.RestartPolicy("Never").Shell("exec sleep 1000");
    pod.container().readiness_probe = MakeProbe(GrpcAction{target.port(), "my.db"});
    PlanResult result = PlanJob(pod.Build(), Key(), "pool-a", GetParam().Config());
    ASSERT_TRUE(result.issues.empty());
    ScriptRun run(RenderScript(result.plan));
    Prepare(GetParam().runtime, &run);
    run.Start();
    ASSERT_TRUE(ScriptRun::Until([&] { return !target.Requests().empty(); })) << c.name;
    EXPECT_EQ(target.Requests().front(), std::string("\0\0\0\0\7\n\5my.db", 12)) << c.name;
    EXPECT_TRUE(UntilReady(run, c.ready)) << c.name;
    Stop(run);
  }
}

TEST_P(CareScriptTest, WithoutCurlHttpProbesAreRefusedAtThePool) {
  pod_.Shell("echo never");
  pod_.container().readiness_probe = MakeProbe(Http(80));
  ScriptRun& run = Make(absl::StrReplaceAll(RenderScript(Plan()),
                                            {{"find_program curl", "find_program no-such-curl"}}));
  EXPECT_EQ(run.Run(), 128);
  EXPECT_EQ(run.Status(0, "main").state.reason, "CreateContainerConfigError");
  EXPECT_THAT(run.Status(0, "main").state.message, HasSubstr("need curl"));
}

TEST_P(CareScriptTest, CommandsOfProbesRunBesideTheContainersOwn) {
  pod_.container().working_dir = "/usr";
  pod_.Env("A", "1 '2'\n3").Env("B.C", "odd").Env("IFS", "i").Env("EMPTY", "");
  pod_.Limit("memory", "512Mi");
  const std::string report =
      "pwd; tr '\\0' '\\n' < /proc/$$$$/environ | grep -v ^PWD= | sort; ulimit -d; id -u; "
      "hostname; cat;"
      "grep -E 'CapEff|NoNewPrivs' /proc/self/status; readlink /proc/self/ns/pid;"
      "ls /proc/self/fd | wc -l";
  pod_.Shell(
      absl::StrCat("(", report, ") > ", In("own"), "; touch ", In("done"), "; exec sleep 1000"));
  pod_.container().readiness_probe = MakeProbe(Shell(absl::StrCat(
      "(", report, ") > ", In("probe.new"), "; mv ", In("probe.new"), " ", In("probe"))));
  ScriptRun& run = Make();
  run.variables()["SECRET_OF_THE_SUBMITTER"] = "x";
  run.Start();
  ASSERT_TRUE(ScriptRun::Until([&] { return IsOpen("probe") && IsOpen("done"); }));
  EXPECT_EQ(Read("probe"), Read("own"));
  EXPECT_THAT(Read("own"),
              AllOf(StartsWith("/usr\n"), HasSubstr("\nA=1 '2'\n"), HasSubstr("\nB.C=odd\n"),
                    HasSubstr("\nEMPTY=\n"), HasSubstr("\nIFS=i\n"), Not(HasSubstr("SUBMITTER"))));
  Stop(run);
}

TEST_P(CareScriptTest, APostStartHookRunsBeforeTheContainerCountsAsStarted) {
  pod_.Shell("echo up; exec sleep 1000");
  pod_.container().lifecycle.post_start =
      Shell(absl::StrCat("touch ", In("hook"), "; ", UntilOpen("go")));
  pod_.AddContainer("next").Shell("exec sleep 1000");
  ScriptRun& run = Make();
  run.Start();
  ASSERT_TRUE(ScriptRun::Until([&] { return IsOpen("hook"); }));
  EXPECT_TRUE(UntilReady(run, false));
  EXPECT_TRUE(run.Status(0, "main").starting);
  EXPECT_EQ(run.Status(1, "next").state.kind, Kind::kWaiting) << "as the kubelet starts them";
  Open("go");
  EXPECT_TRUE(UntilReady(run, true));
  EXPECT_TRUE(UntilReady(run, true, 1, "next"));
  Stop(run);
}

TEST_P(CareScriptTest, AFailedPostStartHookKillsTheContainer) {
  pod_.Shell(kEndsOnSigterm);
  pod_.container().lifecycle.post_start = Shell("sleep 0.5; echo out of luck; exit 3");
  ScriptRun& run = Make();
  EXPECT_EQ(run.Run(), 143);
  EXPECT_EQ(run.Status(0, "main").state.message, "FailedPostStartHook: out of luck");
}

TEST_P(CareScriptTest, ThePreStopHookRunsBeforeTheSignal) {
  pod_.Shell(absl::StrCat("trap 'cat ", In("hook"),
                          "; echo signal; exit 4' TERM; echo up; while :; do sleep 0.05; done"));
  pod_.container().lifecycle.pre_stop = Shell(absl::StrCat("sleep 0.3; echo hook > ", In("hook")));
  ScriptRun& run = Make();
  run.Start();
  ASSERT_TRUE(run.UntilLog(0, "main", "up"));
  run.Signal(SIGTERM);
  EXPECT_EQ(run.Wait(absl::Seconds(10)), 4);
  EXPECT_THAT(run.Log(0, "main"), HasSubstr("hook\nsignal\n"));
}

TEST_P(CareScriptTest, APreStopHookThatTakesAllOfTheGraceLeavesTwoSeconds) {
  pod_.Shell(
      "trap 'echo signal; sleep 0.5; echo end; exit 4' TERM; echo up;"
      "while :; do sleep 0.05; done");
  pod_.container().lifecycle.pre_stop = Shell("sleep 3000.5");
  pod_.spec().termination_grace_period_seconds = 1;
  ScriptRun& run = Make();
  run.Start();
  ASSERT_TRUE(run.UntilLog(0, "main", "up"));
  const absl::Time asked = absl::Now();
  run.Signal(SIGTERM);
  EXPECT_EQ(run.Wait(absl::Seconds(10)), 4);
  EXPECT_GE(absl::Now() - asked, absl::Milliseconds(950));
  EXPECT_THAT(run.Log(0, "main"), HasSubstr("signal\nend\n"));
  EXPECT_TRUE(ScriptRun::Until([] { return CountProcesses("3000.5") == 0; }));
}

TEST_P(CareScriptTest, HooksMayAskOverHttpAndAnyAnswerWillDo) {
  ProbeTarget target;
  target.Answer("500 No");
  pod_.Shell("echo up; exec sleep 1000");
  pod_.container().lifecycle.post_start = Http(target.port(), "/start");
  pod_.container().lifecycle.pre_stop = Http(target.port(), "/stop");
  ScriptRun& run = Make();
  run.Start();
  EXPECT_TRUE(UntilReady(run, true));
  Stop(run);
  const std::vector<std::string> requests = target.Requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_THAT(requests[0], AllOf(StartsWith("GET /start "), HasSubstr("kube-lifecycle/")));
  EXPECT_THAT(requests[1], StartsWith("GET /stop "));
}

TEST_P(CareScriptTest, AContainerIsStoppedWithItsOwnSignal) {
  pod_.Shell(
      "trap 'echo usr1; exit 7' USR1; trap 'exit 8' TERM; echo up;"
      "while :; do sleep 0.05; done");
  pod_.container().lifecycle.stop_signal = "SIGUSR1";
  ScriptRun& run = Make();
  run.Start();
  ASSERT_TRUE(run.UntilLog(0, "main", "up"));
  run.Signal(SIGTERM);
  EXPECT_EQ(run.Wait(absl::Seconds(10)), 7);
  EXPECT_THAT(run.Log(0, "main"), HasSubstr("usr1"));
}

TEST_P(CareScriptTest, WhatComesAfterASidecarWaitsUntilItHasStarted) {
  pod_.Shell(absl::StrCat("echo main; ", UntilOpen("end")));
  pod_.AddInitContainer("one").Shell(
      absl::StrCat("trap '", IfOpen("two"),
                   " && echo after two; exit 0' TERM; echo up; while :; do sleep 0.05; done"));
  pod_.container().restart_policy = "Always";
  pod_.container().startup_probe = MakeProbe(Shell(IfOpen("one")));
  pod_.container().startup_probe->failure_threshold = 1000;
  pod_.AddInitContainer("two").Shell(absl::StrCat(
      "trap 'touch ", In("two"), "; exit 0' TERM; echo up; while :; do sleep 0.05; done"));
  pod_.container().restart_policy = "Always";
  ScriptRun& run = Make();
  run.Start();
  ASSERT_TRUE(run.UntilLog(0, "one", "up"));
  EXPECT_TRUE(UntilReady(run, false, 0, "one"));
  EXPECT_EQ(run.Log(1, "two"), "");
  Open("one");
  ASSERT_TRUE(run.UntilLog(1, "two", "up"));
  ASSERT_TRUE(run.UntilLog(2, "main", "main"));
  Open("end");
  EXPECT_EQ(run.Wait(), 0);
  EXPECT_THAT(run.Log(0, "one"), HasSubstr("after two\n"));
  EXPECT_GE(run.Status(1, "two").state.finished_at, run.Status(2, "main").state.finished_at);
}

TEST_P(CareScriptTest, TheLastWordsAreReadFromAFile) {
  if (!GetParam().has_volumes) return;
  pod_.Shell(
      "head -c 5000 /dev/zero | tr '\\0' a > /run/words; printf 'end\\n' >> /run/words; exit 3");
  pod_.container().termination_message_path = "/run/words";
  pod_.AddContainer("usual").Shell("printf 'why: \"x\"\\n' > /dev/termination-log");
  pod_.AddContainer("silent").Shell("echo only a log; exit 2");
  const int before = access("/dev/termination-log", F_OK);
  ScriptRun& run = Make();
  EXPECT_EQ(run.Run(), 3);
  EXPECT_EQ(run.Status(0, "main").state.message, std::string(4092, 'a') + "end\n");
  EXPECT_EQ(run.Status(1, "usual").state.message, "why: \"x\"\n");
  EXPECT_EQ(run.Status(2, "silent").state.message, "");
  EXPECT_EQ(access("/dev/termination-log", F_OK), before) << "nothing is made on the host";
}

TEST_P(CareScriptTest, TheLastWordsMayBeThoseOfTheLog) {
  pod_.Shell("i=0; while [ $i -lt 200 ]; do echo line $i; i=$((i + 1)); done; exit 3");
  pod_.container().termination_message_policy = "FallbackToLogsOnError";
  pod_.AddContainer("long").Shell("head -c 5000 /dev/zero | tr '\\0' a; exit 3");
  pod_.container().termination_message_policy = "FallbackToLogsOnError";
  pod_.AddContainer("fine").Shell("echo fine");
  pod_.container().termination_message_policy = "FallbackToLogsOnError";
  ScriptRun& run = Make();
  EXPECT_EQ(run.Run(), 3);
  EXPECT_THAT(run.Status(0, "main").state.message,
              AllOf(StartsWith("line 120\n"), HasSubstr("line 199\n")));
  EXPECT_EQ(run.Status(1, "long").state.message, std::string(2048, 'a'));
  EXPECT_EQ(run.Status(2, "fine").state.message, "");
}

INSTANTIATE_TEST_SUITE_P(Runtimes, CareScriptTest, testing::ValuesIn(Runtimes()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace podferry
