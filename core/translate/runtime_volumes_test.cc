// Volumes that lie at the pool, as containers with images of their own see them.

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/pod/testing/pod_builder.h"
#include "core/translate/testing/podman_pool.h"
#include "core/translate/testing/script_run.h"
#include "core/translate/testing/test_runtime.h"
#include "core/translate/translate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

namespace fs = std::filesystem;

// What a pod of every kind of volume is about, the runtime left open.
class RuntimeVolumesTest : public testing::Test {
 protected:
  RuntimeVolumesTest() : folder_(absl::StrCat(testing::TempDir(), "/volumes.XXXXXX")) {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
    folder_ = fs::canonical(folder_).string();
    Write("data/jobs/file", "data ");
    Write("reference/file", "reference ");
    Write("remote/sub/file", "remote ");
  }
  ~RuntimeVolumesTest() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  void Write(const std::string& name, const std::string& content) const {
    fs::create_directories(fs::path(Path(name)).parent_path());
    std::ofstream(Path(name)) << content;
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(Path(name));
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  void SetUpPool(BuildConfig& config) const {
    config.apptainer.fuse_mode = FuseMode::kHost;
    config.volumes.apptainer_cachedir = Path("cache");
    config.paths.host_paths["/data"] = Path("data");
    config.paths.claims["*/*"] = Path("%(name)s");
    config.paths.read_only = {Path("reference")};
  }
  void SetUpPod(PodBuilder& pod) const {
    pod.spec().volumes.push_back({"data", HostPathVolume{"/data", "Directory"}});
    pod.spec().volumes.push_back({"ref", PersistentVolumeClaimVolume{"reference"}});
    pod.Mount("data", "/data").Mount("ref", "/ref").EmptyDir("far", "/far").Label("user", "ann");
    for (VolumeMount& mount : pod.container().volume_mounts) {
      if (mount.name == "data") mount.sub_path = "jobs";
      if (mount.name == "far") mount.sub_path = "sub";
    }
    pod.Annotation("fuse.vk.io/far",
                   absl::StrCat("exec bindfs -f '", Path("remote"), "'/\"$1\" \"$2\"\n"));
    pod.Shell(
        "cat /data/file /ref/file /far/file; echo d > /data/new; echo f > /far/new; "
        "echo c > /cache/new; touch /ref/new 2>/dev/null || echo fixed");
  }
  void ExpectItsTraces(const ScriptRun& run) const {
    EXPECT_EQ(run.Log(0, "main"), "data reference remote fixed\n");
    EXPECT_EQ(Read("data/jobs/new"), "d\n");
    EXPECT_EQ(Read("remote/sub/new"), "f\n");
    EXPECT_EQ(Read("cache/ann/new"), "c\n");
    EXPECT_FALSE(fs::exists(Path("reference/new")));
    std::ifstream mounts("/proc/self/mountinfo");
    const std::string mounted{std::istreambuf_iterator<char>(mounts), {}};
    EXPECT_EQ(mounted.find(Path("remote")), std::string::npos);
  }

  std::string folder_;
};

TEST_F(RuntimeVolumesTest, ArriveUnderPodman) {
  PodmanPool pool;
  SetUpPool(pool.config());
  PodBuilder pod;
  SetUpPod(pod);
  const std::unique_ptr<ScriptRun> run = pool.Script(pod);
  EXPECT_EQ(run->Run(), 0) << run->Finished().message;
  ExpectItsTraces(*run);
}

// A pool with Apptainer, and its script for a pod.
class ApptainerVolumesTest : public RuntimeVolumesTest {
 protected:
  ApptainerVolumesTest() : config_(ConfigOf({RuntimeKind::kApptainer, "apptainer"})) {
    SetUpPool(config_);
  }
  std::string Script(PodBuilder& pod) const {
    pod.container().image = "debian:12";
    const Translation translation = Translate(pod.Build(), {"origin", "uid"}, "pool-a", config_);
    EXPECT_TRUE(translation.issues.empty()) << translation.issues.ToString();
    return translation.bundle.script;
  }

  BuildConfig config_;
};

TEST_F(ApptainerVolumesTest, ArriveUnderApptainer) {
  PodBuilder pod;
  SetUpPod(pod);
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 0) << run.Finished().message;
  ExpectItsTraces(run);
}

// The pool's squashfuse, with its libraries, stands in for one of the image's: bindfs is a program
// of libfuse 2, which cannot mount at an open file.
TEST_F(ApptainerVolumesTest, AMountScriptRunsInTheContainer) {
  config_.apptainer.fuse_mode = FuseMode::kContainer;
  config_.paths.host_paths["/usr"] = "/usr";
  ASSERT_EQ(system(absl::StrCat("mksquashfs '", Path("remote"), "' '", Path("data/image"),
                                "' -quiet -noappend >/dev/null 2>&1")
                       .c_str()),
            0);
  PodBuilder pod;
  pod.spec().volumes.push_back({"data", HostPathVolume{"/data", "Directory"}});
  pod.spec().volumes.push_back({"tools", HostPathVolume{"/usr", "Directory"}});
  pod.Mount("data", "/data").Mount("tools", "/tools", true).EmptyDir("far", "/far");
  pod.container().volume_mounts.back().sub_path = "it's a sub path";
  pod.Annotation("fuse.vk.io/far",
                 "[ \"$1\" = \"it's a sub path\" ] && [ \"$2\" = \"$MOUNT_POINT\" ] || exit\n"
                 "LD_LIBRARY_PATH=/tools/lib/x86_64-linux-gnu exec /tools/bin/squashfuse -f "
                 "/data/image \"$2\"\n");
  pod.Shell("cat /far/sub/file");
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 0) << run.Finished().message;
  EXPECT_EQ(run.Log(0, "main"), "remote ");
  EXPECT_EQ(CountProcesses("squashfuse -f"), 0);
}

}  // namespace
}  // namespace podferry
