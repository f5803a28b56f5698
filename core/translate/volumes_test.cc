// Volumes that lie at the pool, and what a pod has the pool run outside of its containers: with
// real bubblewrap and real FUSE file systems (bindfs).

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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

class VolumesTest : public testing::Test {
 protected:
  VolumesTest() : folder_(absl::StrCat(testing::TempDir(), "/volumes.XXXXXX")) {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
    folder_ = fs::canonical(folder_).string();
    config_.runtime.kind = RuntimeKind::kHost;
    config_.apptainer.fuse_mode = FuseMode::kHost;
    config_.volumes.apptainer_cachedir = Path("cache");
    config_.paths.host_paths["/data"] = Path("data");
    fs::create_directories(Path("data"));
  }
  ~VolumesTest() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  void Write(const std::string& name, const std::string& content) const {
    fs::create_directories(fs::path(Path(name)).parent_path());
    std::ofstream(Path(name)) << content;
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(Path(name));
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  static int ModeOf(const std::string& path) {
    struct stat info = {};
    return stat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : -1;
  }

  std::string Script(const PodBuilder& pod) const {
    const PlanResult result = PlanJob(pod.Build(), {"origin", "uid-1"}, "pool-a", config_);
    EXPECT_TRUE(result.issues.empty()) << result.issues.ToString();
    return RenderScript(result.plan);
  }
  // What the planner says against a pod, one a line.
  std::string IssuesOf(const PodBuilder& pod) const {
    return PlanJob(pod.Build(), {"origin", "uid-1"}, "pool-a", config_).issues.ToString();
  }
  std::string WarningsOf(const PodBuilder& pod) const {
    return absl::StrJoin(PlanJob(pod.Build(), {"origin", "uid-1"}, "pool-a", config_).warnings,
                         "\n");
  }
  static void HostPath(PodBuilder& pod, const std::string& path, const std::string& type,
                       const std::string& mount_path) {
    pod.spec().volumes.push_back({"data", HostPathVolume{path, type}});
    pod.Mount("data", mount_path);
  }
  // What the containers' status says, of a pod whose volume cannot be had.
  std::string WhyNot(const PodBuilder& pod, const std::string& reason) const {
    ScriptRun run(Script(pod));
    EXPECT_EQ(run.Run(), 128);
    EXPECT_EQ(run.Status(0, "main").state.reason, reason);
    return run.Status(0, "main").state.message;
  }

  std::string folder_;
  BuildConfig config_;
};

TEST_F(VolumesTest, AFolderOfThePoolIsReadAndWritten) {
  Write("data/in/file", "from the pool");
  PodBuilder pod;
  HostPath(pod, "/data/in", "Directory", "/work");
  pod.Shell("cat /work/file; echo more > /work/new");
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 0);
  EXPECT_EQ(run.Log(0, "main"), "from the pool");
  EXPECT_EQ(Read("data/in/new"), "more\n");
}

TEST_F(VolumesTest, WhatThePoolOrTheMountSaysIsReadOnlyIsSo) {
  Write("data/file", "x");
  for (const bool by_pool : {true, false}) {
    config_.paths.read_only.clear();
    if (by_pool) config_.paths.read_only = {Path("data")};
    PodBuilder pod;
    pod.spec().volumes.push_back({"data", HostPathVolume{"/data", ""}});
    pod.Mount("data", "/work", !by_pool);
    pod.Shell("cat /work/file; echo more > /work/new");
    ScriptRun run(Script(pod));
    EXPECT_NE(run.Run(), 0);
    EXPECT_THAT(run.Log(0, "main"), AllOf(HasSubstr("x"), HasSubstr("Read-only")));
    EXPECT_FALSE(fs::exists(Path("data/new")));
  }
}

TEST_F(VolumesTest, TypesOfAHostPathAreCheckedAsTheKubeletDoes) {
  Write("data/folder/x", "");
  Write("data/file", "content");
  const struct {
    std::string path;
    std::string type;
    std::string words;  // "": it is there
  } cases[] = {
      {"/data/folder", "", ""},
      {"/data/folder", "Directory", ""},
      {"/data/folder", "DirectoryOrCreate", ""},
      {"/data/new/deep", "DirectoryOrCreate", ""},
      {"/data/file", "File", ""},
      {"/data/new-file", "FileOrCreate", ""},
      {"/data/folder", "File", "is not a file"},
      {"/data/folder", "FileOrCreate", "is not a file"},
      {"/data/file", "Directory", "is not a directory"},
      {"/data/file", "DirectoryOrCreate", "is not a directory"},
      {"/data/file", "Socket", "is not a socket file"},
      {"/data/file", "CharDevice", "is not a character device"},
      {"/data/file", "BlockDevice", "is not a block device"},
      {"/data/missing", "", "there is no"},
      {"/data/missing", "Directory", "there is no"},
      {"/data/missing/file", "FileOrCreate", "there is no"},
      {"/data/file/below", "DirectoryOrCreate", "is not a folder"},
  };
  for (const auto& c : cases) {
    PodBuilder pod;
    HostPath(pod, c.path, c.type, "/work");
    pod.Shell("test -e /work");
    if (c.words.empty()) {
      EXPECT_EQ(ScriptRun(Script(pod)).Run(), 0) << c.path << " " << c.type;
    } else {
      EXPECT_THAT(WhyNot(pod, "CreateContainerConfigError"),
                  AllOf(HasSubstr("volume data: "), HasSubstr(c.words)))
          << c.path << " " << c.type;
    }
  }
  EXPECT_EQ(ModeOf(Path("data/new/deep")), 0755);
  EXPECT_EQ(ModeOf(Path("data/new-file")), 0644);
}

TEST_F(VolumesTest, NoLinkLeadsOutOfAFolder) {
  Write("secret/file", "the secret");
  fs::create_directory_symlink("../secret", Path("data/out"));
  fs::create_symlink("../secret/file", Path("data/file"));
  fs::create_directories(Path("data/real"));
  fs::create_directory_symlink("real", Path("data/in"));
  for (const char* path : {"/data/out", "/data/out/file", "/data/file"}) {
    PodBuilder pod;
    HostPath(pod, path, "", "/work");
    pod.Shell("cat /work /work/file");
    EXPECT_THAT(WhyNot(pod, "CreateContainerConfigError"), HasSubstr("volume data: ")) << path;
  }
  PodBuilder within;
  HostPath(within, "/data/in", "", "/work");
  within.Shell("touch /work/x");
  EXPECT_EQ(ScriptRun(Script(within)).Run(), 0);
  EXPECT_TRUE(fs::exists(Path("data/real/x")));
  // Where some folder of the pool is read only, a link could lead there.
  config_.paths.read_only = {"/elsewhere"};
  EXPECT_THAT(WhyNot(within, "CreateContainerConfigError"), HasSubstr("is a link"));
}

TEST_F(VolumesTest, ASubPathIsMadeWithinAndNowhereElse) {
  fs::create_directory_symlink("/etc", Path("data/out"));
  PodBuilder pod;
  HostPath(pod, "/data", "", "/work");
  pod.container().volume_mounts[0].sub_path_expr = "jobs/$(NAME)";
  pod.Env("NAME", "one").Shell("touch /work/x");
  EXPECT_EQ(ScriptRun(Script(pod)).Run(), 0);
  EXPECT_TRUE(fs::exists(Path("data/jobs/one/x")));
  EXPECT_EQ(ModeOf(Path("data/jobs")), 0755);
  pod.container().volume_mounts[0].sub_path_expr = "";
  pod.container().volume_mounts[0].sub_path = "out";
  EXPECT_THAT(WhyNot(pod, "CreateContainerError"), HasSubstr("leads out"));
}

TEST_F(VolumesTest, AMountPointWithinAFolderOfThePoolIsMadeThere) {
  PodBuilder pod;
  HostPath(pod, "/data", "", "/work");
  pod.EmptyDir("scratch", "/work/a/scratch");
  pod.ConfigMap("conf", "/work/conf", {{"key", "value"}});
  pod.container().volume_mounts.back().mount_path = "/work/conf/file";
  pod.container().volume_mounts.back().sub_path = "key";
  pod.Shell("echo x > /work/a/scratch/x && cat /work/conf/file");
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 0) << run.Finished().message;
  EXPECT_EQ(run.Log(0, "main"), "value");
  EXPECT_TRUE(fs::exists(Path("data/a/scratch")));
  EXPECT_FALSE(fs::exists(Path("data/a/scratch/x")));
}

TEST_F(VolumesTest, AFolderThatShowsTheSubmittersOwnIsRefused) {
  fs::create_directories(Path("data/state/sandboxes"));
  for (const char* path : {"/data", "/data/state", "/data/state/sandboxes"}) {
    PodBuilder pod;
    HostPath(pod, path, "", "/work");
    pod.Shell("ls /work");
    ScriptRun run(Script(pod));
    run.variables()[kHideVariable] = Path("data/state");
    EXPECT_EQ(run.Run(), 128);
    EXPECT_THAT(run.Status(0, "main").state.message, HasSubstr("is not for pods"));
  }
}

TEST_F(VolumesTest, ClaimsAndExportsLieWhereTheTableSays) {
  config_.paths.claims = {{"*/*", Path("claims/%(namespace)s/%(name)s")}};
  config_.paths.nfs = {{"nas:/export", Path("nfs")}};
  Write("claims/default/home/file", "a claim");
  Write("nfs/sub/file", "an export");
  PodBuilder pod;
  pod.spec().volumes.push_back({"home", PersistentVolumeClaimVolume{"home", true}});
  pod.spec().volumes.push_back({"nfs", NfsVolume{"nas", "/export/sub"}});
  pod.Mount("home", "/home").Mount("nfs", "/nfs");
  pod.Shell("cat /home/file /nfs/file; touch /home/x 2>/dev/null || echo ' ro'; touch /nfs/x");
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 0) << run.Finished().message;
  EXPECT_EQ(run.Log(0, "main"), "a claiman export ro\n");
  fs::remove_all(Path("claims"));
  EXPECT_THAT(WhyNot(pod, "CreateContainerConfigError"), HasSubstr("volume home: there is no"));
}

TEST_F(VolumesTest, WhatIsInNoTableIsRefusedAllAtOnceWithItsPath) {
  PodBuilder pod;
  pod.spec().volumes.push_back({"a", HostPathVolume{"/etc", ""}});
  pod.spec().volumes.push_back({"b", PersistentVolumeClaimVolume{"home"}});
  pod.spec().volumes.push_back({"c", NfsVolume{"nas", "/x"}});
  pod.spec().volumes.push_back({"d", CsiVolume{"driver"}});
  pod.spec().volumes.push_back({"e", EphemeralVolume{"fast", "1Gi"}});
  pod.Shell("true");
  for (const char* name : {"a", "b", "c", "d", "e"}) pod.Mount(name, absl::StrCat("/", name));
  const std::string issues = IssuesOf(pod);
  EXPECT_THAT(issues, HasSubstr("spec.volumes[0].hostPath: this pool has no folder for /etc"));
  EXPECT_THAT(issues, HasSubstr("spec.volumes[1].persistentVolumeClaim: "));
  EXPECT_THAT(issues, HasSubstr("spec.volumes[2].nfs: "));
  EXPECT_THAT(issues, HasSubstr("spec.volumes[3].csi: "));
  EXPECT_THAT(issues, Not(HasSubstr("spec.volumes[4]")));
  EXPECT_THAT(WarningsOf(pod), HasSubstr("spec.volumes[4].ephemeral: an empty folder"));
}

TEST_F(VolumesTest, CvmfsIsReadOnlyAndASiteWithoutItSaysSo) {
  PodBuilder pod;
  pod.EmptyDir("cvmfs", "/cvmfs").Annotation("cvmfs.vk.io/cvmfs", "").Shell("ls /cvmfs");
  if (fs::exists("/cvmfs")) GTEST_FAIL() << "this machine has a /cvmfs, and the test wants none";
  EXPECT_EQ(WhyNot(pod, "CreateContainerConfigError"),
            "never started: volume cvmfs: there is no /cvmfs at this pool");
}

TEST_F(VolumesTest, AUserHasOneCacheForAllPodsAndOthersHaveAnEmptyOne) {
  PodBuilder pod;
  pod.EmptyDir("data", "/data")
      .Label("user", "ann")
      .Shell("echo x >> /cache/file; cat /cache/file");
  EXPECT_EQ(ScriptRun(Script(pod)).Run(), 0);
  ScriptRun second(Script(pod));
  EXPECT_EQ(second.Run(), 0);
  EXPECT_EQ(second.Log(0, "main"), "x\nx\n");
  EXPECT_EQ(Read("cache/ann/file"), "x\nx\n");
  EXPECT_EQ(ModeOf(Path("cache/ann")), 0700);
  PodBuilder nobody;
  nobody.EmptyDir("data", "/data").Shell("echo x >> /cache/file; cat /cache/file");
  ScriptRun run(Script(nobody));
  EXPECT_EQ(run.Run(), 0);
  EXPECT_EQ(run.Log(0, "main"), "x\n");
}

TEST_F(VolumesTest, APodsOwnVolumeAtCacheStaysAndAUserIsNoPath) {
  PodBuilder pod;
  pod.EmptyDir("data", "/cache").Label("user", "ann").Shell("touch /cache/mine");
  EXPECT_EQ(ScriptRun(Script(pod)).Run(), 0);
  EXPECT_FALSE(fs::exists(Path("cache/ann/mine")));
  for (const char* user : {"..", "a/b", "-x", "."}) {
    PodBuilder bad;
    bad.EmptyDir("data", "/data").Label("user", user).Shell("true");
    EXPECT_THAT(IssuesOf(bad), HasSubstr("metadata.labels[user]")) << user;
  }
  // Nobody leads it elsewhere, either.
  fs::create_directories(Path("cache"));
  fs::create_directory_symlink("/etc", Path("cache/eve"));
  PodBuilder eve;
  eve.EmptyDir("data", "/data").Label("user", "eve").Shell("true");
  EXPECT_THAT(WhyNot(eve, "CreateContainerConfigError"), HasSubstr("is a link"));
}

TEST_F(VolumesTest, APodWhoseVolumeOutgrowsItsLimitIsEvicted) {
  for (const char* medium : {"", "Memory"}) {
    PodBuilder pod;
    pod.EmptyDir("data", "/data").Shell("head -c 3000000 /dev/zero > /data/file; sleep 1000.0625");
    std::get<EmptyDirVolume>(pod.spec().volumes[0].source) = {medium, "2Mi"};
    pod.spec().termination_grace_period_seconds = 100;
    PlanResult result = PlanJob(pod.Build(), {"origin", "uid-1"}, "pool-a", config_);
    ASSERT_TRUE(result.issues.empty()) << result.issues.ToString();
    EXPECT_TRUE(result.warnings.empty());
    result.plan.outside.first_measure = absl::Milliseconds(100);
    result.plan.outside.measure_every = absl::Milliseconds(100);
    ScriptRun run(RenderScript(result.plan));
    EXPECT_NE(run.Run(), 0);
    EXPECT_EQ(run.Finished().failure, FailureReason::kEvicted);
    EXPECT_EQ(run.Finished().message,
              "Usage of EmptyDir volume \"data\" exceeds the limit \"2Mi\".");
    EXPECT_EQ(CountProcesses("1000.0625"), 0);
  }
}

TEST_F(VolumesTest, OneThatStaysBelowItsLimitIsLeftAlone) {
  PodBuilder pod;
  pod.EmptyDir("data", "/data").Shell("head -c 1000000 /dev/zero > /data/file; sleep 1");
  std::get<EmptyDirVolume>(pod.spec().volumes[0].source).size_limit = "2Mi";
  PlanResult result = PlanJob(pod.Build(), {"origin", "uid-1"}, "pool-a", config_);
  result.plan.outside.first_measure = absl::Milliseconds(100);
  result.plan.outside.measure_every = absl::Milliseconds(100);
  EXPECT_EQ(ScriptRun(RenderScript(result.plan)).Run(), 0);
}

}  // namespace
}  // namespace podferry
