// What a pod has the pool run outside of its containers: mount scripts of FUSE volumes (with a real
// one, bindfs), and commands before and beside the containers.

#include <signal.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/pod/testing/pod_builder.h"
#include "core/translate/planner.h"
#include "core/translate/script_renderer.h"
#include "core/translate/testing/script_run.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

class OutsideTest : public testing::Test {
 protected:
  OutsideTest() : folder_(absl::StrCat(testing::TempDir(), "/outside.XXXXXX")) {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
    folder_ = fs::canonical(folder_).string();
    config_.runtime.kind = RuntimeKind::kHost;
    config_.runtime.allow_pre_exec = true;
    config_.runtime.allow_tunnel = true;
    config_.apptainer.fuse_mode = FuseMode::kHost;
    fs::create_directories(Path("remote/sub"));
    std::ofstream(Path("remote/file")) << "far away\n";
    std::ofstream(Path("remote/sub/file")) << "farther\n";
  }
  ~OutsideTest() override {
    EXPECT_EQ(Mounts(), 0) << "something is still mounted below " << folder_;
    fs::remove_all(folder_);
  }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  std::string Read(const std::string& name) const {
    std::ifstream file(Path(name));
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  // How many mounts have to do with this test.
  int Mounts() const {
    std::ifstream file("/proc/self/mountinfo");
    int count = 0;
    for (std::string line; std::getline(file, line);) {
      if (absl::StrContains(line, Path("remote"))) ++count;
    }
    return count;
  }
  PlanResult Plan(const PodBuilder& pod) const {
    return PlanJob(pod.Build(), {"origin", "uid-1"}, "pool-a", config_);
  }
  std::string Script(const PodBuilder& pod) const {
    const PlanResult result = Plan(pod);
    EXPECT_TRUE(result.issues.empty()) << result.issues.ToString();
    return RenderScript(result.plan);
  }
  // A pod with a volume that a script mounts; the script knows $REMOTE.
  void Fuse(PodBuilder& pod, const std::string& script) const {
    pod.EmptyDir("far", "/far").Annotation("fuse.vk.io/far", script);
  }
  std::string Bindfs(const std::string& more = "") const {
    return absl::StrCat("exec bindfs -f ", more, " '", Path("remote"), "'/\"$1\" \"$2\"\n");
  }
  std::string WhyNot(const PodBuilder& pod) const {
    ScriptRun run(Script(pod));
    EXPECT_EQ(run.Run(), 128);
    EXPECT_EQ(run.Status(0, "main").state.reason, "CreateContainerError");
    return run.Status(0, "main").state.message;
  }

  std::string folder_;
  BuildConfig config_;
};

TEST_F(OutsideTest, AMountScriptShowsItsFileSystemToContainersAndIsEnded) {
  PodBuilder pod;
  Fuse(pod, Bindfs());
  pod.Shell("cat /far/file; echo back > /far/new");
  pod.AddInitContainer("init").Mount("far", "/far", true).Shell("touch /far/x 2>&1; cat /far/file");
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 0) << run.Finished().message;
  EXPECT_EQ(run.Log(1, "main"), "far away\n");
  EXPECT_THAT(run.Log(0, "init"), AllOf(HasSubstr("Read-only"), HasSubstr("far away")));
  EXPECT_EQ(Read("remote/new"), "back\n");
  EXPECT_EQ(Mounts(), 0);
  EXPECT_EQ(CountProcesses(Path("remote")), 0);
  EXPECT_TRUE(fs::exists(Path("remote/file")));
}

TEST_F(OutsideTest, AMountScriptKnowsItsSubPathMountPointAndCache) {
  PodBuilder pod;
  Fuse(pod,
       absl::StrCat("#!/bin/bash\n[[ $BASH && $1 == \"$SUB_PATH\" && $2 == \"$MOUNT_POINT\" ]] "
                    "|| exit 9\necho \"$1 $CACHEDIR $PATH\" >> '",
                    Path("notes"), "'\n: > \"$CACHEDIR/in-cache\"\n", Bindfs()));
  config_.volumes.additional_directories_in_path = {"/opt/tools"};
  pod.container().volume_mounts[0].sub_path = "sub";
  pod.Shell("cat /far/file; ls /cache");
  pod.AddContainer("other").Mount("far", "/far").Shell("cat /far/file");
  pod.AddContainer("third").Mount("far", "/far").Shell("cat /far/file");
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 0) << run.Finished().message;
  EXPECT_EQ(run.Log(0, "main"), "farther\nin-cache\n");
  EXPECT_EQ(run.Log(1, "other"), "far away\n");
  EXPECT_EQ(run.Log(2, "third"), "far away\n");
  const std::string notes = Read("notes");
  EXPECT_THAT(notes, AllOf(HasSubstr("sub /"), HasSubstr(" /opt/tools:/")));
  EXPECT_EQ(std::count(notes.begin(), notes.end(), '\n'), 2) << notes;
}

TEST_F(OutsideTest, AScriptThatGoesIntoTheBackgroundIsTakenToo) {
  PodBuilder pod;
  Fuse(pod, absl::StrCat("bindfs '", Path("remote"), "' \"$2\"\n"));
  pod.Shell("cat /far/file");
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 0) << run.Finished().message;
  EXPECT_EQ(run.Log(0, "main"), "far away\n");
}

TEST_F(OutsideTest, AScriptThatDiesOrHangsFailsThePodWithItsWords) {
  PodBuilder dies;
  Fuse(dies, "echo no such bucket >&2; exit 3");
  dies.Shell("true");
  EXPECT_EQ(WhyNot(dies),
            "never started: volume far: its mount script ended with exit code 3: no such bucket");
  config_.volumes.fuse_sleep_seconds = 1;
  PodBuilder hangs;
  Fuse(hangs, "echo asking; sleep 1000.75");
  hangs.Shell("true");
  EXPECT_THAT(WhyNot(hangs), AllOf(HasSubstr("within 1 seconds"), HasSubstr("asking")));
  EXPECT_EQ(CountProcesses("1000.75"), 0);
}

TEST_F(OutsideTest, AJobThatIsKilledLeavesNothingMounted) {
  PodBuilder pod;
  Fuse(pod, Bindfs());
  pod.Shell("echo up; sleep 1000.5");
  ScriptRun run(Script(pod));
  run.Start();
  ASSERT_TRUE(run.UntilLog(0, "main", "up"));
  EXPECT_EQ(Mounts(), 1);
  run.Signal(SIGKILL);
  EXPECT_EQ(run.Wait(), 137);
  EXPECT_TRUE(ScriptRun::Until([&] { return Mounts() == 0; }));
  EXPECT_TRUE(ScriptRun::Until([&] { return CountProcesses(Path("remote")) == 0; }));
}

TEST_F(OutsideTest, AScriptIsNotRunWhereThePoolKeepsItInContainers) {
  config_.apptainer.fuse_mode = FuseMode::kContainer;
  PodBuilder pod;
  Fuse(pod, Bindfs());
  pod.Shell("true");
  EXPECT_THAT(Plan(pod).issues.ToString(),
              AllOf(HasSubstr("metadata.annotations[fuse.vk.io/far]"), HasSubstr("fuse_mode")));
}

TEST_F(OutsideTest, PreExecIsOverBeforeTheFirstContainerAndATunnelRunsBeside) {
  PodBuilder pod;
  pod.Annotation("slurm-job.vk.io/pre-exec",
                 absl::StrCat("sleep 0.2; echo before >> '", Path("order"), "'"));
  pod.Annotation("interlink.eu/wstunnel-client-commands",
                 absl::StrCat("#!/bin/bash\necho tunnel > '", Path("tunnel"), "'; sleep 1000.125"));
  pod.Shell(absl::StrCat("until [ -s ", Path("tunnel"), " ]; do sleep 0.02; done; cat ",
                         Path("order"), " ", Path("tunnel")));
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 0) << run.Finished().message;
  EXPECT_EQ(run.Log(0, "main"), "before\ntunnel\n");
  EXPECT_EQ(CountProcesses("1000.125"), 0);
}

TEST_F(OutsideTest, APreExecThatFailsKeepsContainersFromStarting) {
  PodBuilder pod;
  pod.Annotation("slurm-job.vk.io/pre-exec", "echo no licence; exit 4").Shell("true");
  EXPECT_EQ(WhyNot(pod),
            "never started: the pod's pre-exec command ended with exit code 4: no licence");
}

TEST_F(OutsideTest, AJobIsEndedWhileItsPreExecRuns) {
  PodBuilder pod;
  pod.Annotation("slurm-job.vk.io/pre-exec",
                 absl::StrCat("echo > '", Path("begun"), "'; sleep 1000.375"));
  pod.Shell("echo never");
  ScriptRun run(Script(pod));
  run.Start();
  ASSERT_TRUE(ScriptRun::Until([&] { return fs::exists(Path("begun")); }));
  run.Signal(SIGTERM);
  EXPECT_EQ(run.Wait(), 143);
  EXPECT_EQ(CountProcesses("1000.375"), 0);
  EXPECT_EQ(run.Log(0, "main"), "");
}

TEST_F(OutsideTest, NothingOfAPodsRunsOutsideOfContainersUnlessThePoolAllowsIt) {
  config_.runtime.allow_pre_exec = false;
  config_.runtime.allow_tunnel = false;
  PodBuilder pod;
  pod.Annotation("slurm-job.vk.io/pre-exec", "true").Shell("true");
  pod.Annotation("interlink.eu/wstunnel-client-commands", "true");
  EXPECT_THAT(Plan(pod).issues.ToString(),
              AllOf(HasSubstr("metadata.annotations[slurm-job.vk.io/pre-exec]: "),
                    HasSubstr("allow_pre_exec"), HasSubstr("allow_tunnel")));
}

TEST_F(OutsideTest, FlagsGoToTheBatchSystemWhereThePoolTakesThem) {
  PodBuilder pod;
  pod.Annotation("slurm-job.vk.io/flags", "--exclusive").Shell("true");
  pod.Annotation("slurm-job.vk.io/mpi-flags", "-np 2");
  pod.Annotation("interlink.eu/pod-vpn", "true").Annotation("fuse.vk.io/typo", "true");
  PlanResult result = Plan(pod);
  EXPECT_EQ(result.plan.job.annotations.count("slurm-job.vk.io/flags"), 0u);
  ASSERT_EQ(result.warnings.size(), 4u);
  EXPECT_THAT(result.warnings[0], HasSubstr("no volume of that name"));
  EXPECT_THAT(result.warnings[1], HasSubstr("interlink.eu/pod-vpn"));
  EXPECT_THAT(result.warnings[2], HasSubstr("allow_pod_flags"));
  EXPECT_THAT(result.warnings[3], HasSubstr("mpi-flags"));
  config_.slurm.allow_pod_flags = true;
  result = Plan(pod);
  EXPECT_EQ(result.plan.job.annotations.at("slurm-job.vk.io/flags"), "--exclusive");
  EXPECT_EQ(result.warnings.size(), 3u);
}

}  // namespace
}  // namespace podferry
