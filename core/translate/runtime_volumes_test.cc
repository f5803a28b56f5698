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

}  // namespace
}  // namespace podferry
