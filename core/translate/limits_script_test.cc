// Limits, and who a container runs as, under the runtime `host`: each test runs a script. As root
// they are the kernel's cgroups and setpriv's doing, else they are not to be had.

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/pod/testing/pod_builder.h"
#include "core/translate/testing/script_run.h"
#include "core/translate/translate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

std::string Script(const PodBuilder& pod) {
  BuildConfig config;
  config.runtime.kind = RuntimeKind::kHost;
  const Translation translation = Translate(pod.Build(), {"origin", "uid-1"}, "pool-a", config);
  EXPECT_TRUE(translation.issues.empty()) << translation.issues.ToString();
  return translation.bundle.script;
}

std::string WithCgroups(const std::string& script, const std::string& root) {
  return absl::StrReplaceAll(script, {{"cgroup_root=/sys/fs/cgroup", "cgroup_root=" + root}});
}

constexpr char kEatMemory[] = "x = bytearray(200 << 20)";

TEST(LimitsScriptTest, WithoutACgroupAMemoryLimitHoldsForEachProcess) {
  PodBuilder pod;
  pod.Limit("memory", "64Mi").Limit("cpu", "1").Command({"python3", "-c", kEatMemory});
  ScriptRun run(WithCgroups(Script(pod), "/nowhere"));
  EXPECT_EQ(run.Run(), 1);
  EXPECT_THAT(run.Log(0, "main"), HasSubstr("MemoryError"));
  EXPECT_EQ(run.Status(0, "main").state.reason, "Error");
}

TEST(LimitsScriptTest, AMemoryLimitHoldsWhateverThisMachineHas) {
  PodBuilder pod;
  pod.Limit("memory", "64Mi").Command({"python3", "-c", kEatMemory});
  ScriptRun run(Script(pod));
  run.Run();
  const ContainerState state = run.Status(0, "main").state;
  const std::string end = absl::StrCat(state.reason, " ", state.exit_code, " ", state.signal);
  EXPECT_THAT(end, AnyOf("OOMKilled 137 9", "Error 1 0"));
  // Who is killed otherwise was not killed for memory.
  PodBuilder other;
  other.Limit("memory", "64Mi").Shell("kill -KILL $$$$");
  ScriptRun killed(Script(other));
  EXPECT_EQ(killed.Run(), 137);
  EXPECT_EQ(killed.Status(0, "main").state.reason, "Error");
}

// A folder that behaves like a cgroup of version 2: a new one below it gets its files, which stay
// behind in `kept` when it is removed.
class FakeCgroup {
 public:
  explicit FakeCgroup(const std::string& events) {
    root_ = absl::StrCat(testing::TempDir(), "/cgroup.XXXXXX");
    EXPECT_NE(mkdtemp(root_.data()), nullptr);
    for (const char* folder : {"root", "bin"}) mkdir(Path(folder).c_str(), 0755);
    for (const char* file : {"cgroup.controllers", "cgroup.procs", "cgroup.subtree_control"}) {
      std::ofstream(Path(absl::StrCat("root/", file)));
    }
    Program(
        "mkdir",
        absl::StrCat("/bin/mkdir \"$@\" || exit\nfor last; do :; done\n"
                     "case $last in ",
                     Path("root"),
                     "/podferry.*) cd \"$last\" || exit\n"
                     "  touch cpu.max memory.max memory.swap.max memory.oom.group cgroup.procs\n"
                     "  printf '",
                     events, "' > memory.events ;; esac\n"));
    Program("rmdir", absl::StrCat("for last; do :; done\n/bin/mv \"$last\" ", Path("kept"), "\n"));
  }
  ~FakeCgroup() { std::filesystem::remove_all(root_); }

  std::string Path(const std::string& name) const { return absl::StrCat(root_, "/", name); }
  std::string Kept(const std::string& name) const {
    std::ifstream file(Path("kept/" + name));
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

 private:
  void Program(const std::string& name, const std::string& text) const {
    const std::string path = Path("bin/" + name);
    std::ofstream(path) << "#!/bin/sh\n" << text;
    chmod(path.c_str(), 0755);
  }

  std::string root_;
};

// The fake has no hierarchy: every process of this machine is at its root.
std::string InFake(const std::string& script, const FakeCgroup& cgroup) {
  return absl::StrReplaceAll(WithCgroups(script, cgroup.Path("root")),
                             {{"done <\"/proc/$BASHPID/cgroup\"", "done <<<'0::/'"}});
}

TEST(LimitsScriptTest, OfACgroupOfVersionTwoTheEventsSayWhetherTheKernelKilledForMemory) {
  const struct {
    std::string events;
    std::string command;
    std::string reason;
  } cases[] = {
      {"low 0\\noom_kill 1\\n", "kill -KILL $$$$", "OOMKilled"},
      {"low 0\\noom_kill 2\\n", "exit 1", "OOMKilled"},  // one of its children
      {"low 0\\noom_kill 1\\n", "exit 0", "Completed"},
      {"oom 3\\noom_kill 0\\n", "kill -KILL $$$$", "Error"},
  };
  for (const auto& c : cases) {
    const FakeCgroup cgroup(c.events);
    PodBuilder pod;
    pod.Limit("memory", "64Mi").Limit("cpu", "1500m").Shell(c.command);
    ScriptRun run(InFake(Script(pod), cgroup));
    run.variables()["PATH"] = absl::StrCat(cgroup.Path("bin"), ":", run.variables()["PATH"]);
    run.Run();
    EXPECT_EQ(run.Status(0, "main").state.reason, c.reason) << c.events;
    EXPECT_EQ(cgroup.Kept("memory.max"), "67108864\n");
    EXPECT_EQ(cgroup.Kept("memory.swap.max"), "0\n");
    EXPECT_EQ(cgroup.Kept("memory.oom.group"), "1\n");
    EXPECT_EQ(cgroup.Kept("cpu.max"), "150000 100000\n");
    EXPECT_NE(cgroup.Kept("cgroup.procs"), "");
  }
}

TEST(LimitsScriptTest, RootBecomesWhoThePodSays) {
  PodBuilder pod;
  pod.EmptyDir("data", "/data")
      .Shell(
          "id -u; id -g; id -G; echo $HOME; touch /data/x; echo again > /dev/stdout; "
          "grep CapEff /proc/self/status");
  pod.spec().security_context.run_as_user = 1234;
  pod.spec().security_context.run_as_group = 2345;
  pod.spec().security_context.supplemental_groups = {77};
  pod.container().security_context.run_as_non_root = true;
  pod.container().security_context.drop_capabilities = {"ALL"};
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 0) << run.Log(0, "main") << run.Finished().message;
  EXPECT_THAT(run.Log(0, "main"), AllOf(HasSubstr("again\n"), HasSubstr("CapEff:\t000000000000")));
  if (geteuid() == 0) {
    EXPECT_THAT(run.Log(0, "main"), HasSubstr("1234\n2345\n2345 77\n/\nagain\n"));
  } else {
    EXPECT_THAT(run.Log(0, "main"), HasSubstr(absl::StrCat(geteuid(), "\n")));
  }
}

TEST(LimitsScriptTest, WithoutRightsRootCannotBecomeAnyoneAgain) {
  if (geteuid() != 0) return;  // Then there is nobody to become.
  PodBuilder pod;
  pod.Shell("id -u; id -G; grep CapEff /proc/self/status");
  pod.spec().security_context.supplemental_groups = {77};
  pod.container().security_context.drop_capabilities = {"ALL"};
  pod.container().security_context.add_capabilities = {"NET_BIND_SERVICE"};
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 0) << run.Log(0, "main");
  EXPECT_EQ(run.Log(0, "main"), "0\n0 77\nCapEff:\t0000000000000400\n");
}

TEST(LimitsScriptTest, RootIsRefusedWhereThePodMustNotBeRoot) {
  PodBuilder pod;
  pod.Shell("id -u");
  pod.container().security_context.run_as_non_root = true;
  pod.container().security_context.run_as_user = 0;
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), geteuid() == 0 ? 128 : 0);
}

}  // namespace
}  // namespace podferry
