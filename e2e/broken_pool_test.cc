// A pool that cannot do what a pod needs: the container's state says so in the system's own words,
// and nothing is left behind.

#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "e2e/harness/site.h"
#include "e2e/harness/wait.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry::e2e {
namespace {

using ::testing::HasSubstr;

// A pod with a volume of `bytes` from a ConfigMap.
PodRequest WithConfigMap(size_t bytes) {
  PodRequest pod = PodRequest::Shell("config", "wc -c < /config/data");
  pod.volumes = R"([{"name":"config","configMap":{"name":"c"}}])";
  pod.containers[0].mounts["config"] = "/config";
  pod.containers[0].config_maps["c"] =
      absl::StrCat(R"({"metadata":{"name":"c"},"data":{"data":")", std::string(bytes, 'x'), "\"}}");
  return pod;
}

// A file system of a test's own, small enough to be full.
class SmallDisk {
 public:
  SmallDisk(const std::string& path, const std::string& size) : path_(path) {
    std::filesystem::create_directory(path_);
    mounted_ = mount("tmpfs", path_.c_str(), "tmpfs", 0, ("mode=777,size=" + size).c_str()) == 0;
  }
  ~SmallDisk() { Unmount(); }
  bool mounted() const { return mounted_; }
  void Unmount() {
    if (mounted_) umount2(path_.c_str(), MNT_DETACH);
    mounted_ = false;
  }

 private:
  std::string path_;
  bool mounted_ = false;
};

class BrokenPoolTest : public testing::TestWithParam<Runtime> {
 protected:
  // The pod ends, as failed, and says why; then nothing of it is left.
  void ExpectFailure(Site& site, const PodRequest& pod, const std::string& reason,
                     const std::string& words, const std::string& below = "") {
    ASSERT_EQ(site.Create(pod), 200);
    PodAnswer answer;
    ASSERT_TRUE(site.WaitForEnd(pod, &answer)) << answer.ToString();
    EXPECT_EQ(answer.Phase(), "Failed") << answer.ToString();
    EXPECT_EQ(answer.containers.at(0).reason, reason) << answer.ToString();
    EXPECT_THAT(answer.containers.at(0).message, HasSubstr(words));
    EXPECT_EQ(site.Delete(pod), 200);
    EXPECT_TRUE(WaitFor([&] { return site.Leftovers(below).empty(); })) << site.Leftovers(below);
  }
};

TEST_P(BrokenPoolTest, ARuntimeThatIsNotInstalledIsNamed) {
  Runtime runtime = GetParam();
  ASSERT_EQ(runtime.missing, "");
  runtime.program = "/no/such/program";
  runtime.env.clear();
  Site site(runtime);
  site.StartAll();
  ExpectFailure(site, WithConfigMap(10), "CreateContainerConfigError", "/no/such/program");
}

TEST_P(BrokenPoolTest, AFullScratchAreaFailsThePodInTheSystemsWords) {
  ASSERT_EQ(GetParam().missing, "");
  Site site(GetParam());
  SmallDisk disk(site.Path("small"), "600k");
  if (!disk.mounted()) GTEST_SKIP() << "only root can mount a small file system";
  site.StartNats();
  site.StartPlugin();
  site.StartSubmitter("", {"--sandboxes", site.Path("small")});
  ASSERT_TRUE(site.WaitForPool());
  // The script holds it once already: there is no room for the file itself.
  ExpectFailure(site, WithConfigMap(400000), "CreateContainerConfigError",
                "No space left on device", site.Path("small/"));
}

INSTANTIATE_TEST_SUITE_P(Runtimes, BrokenPoolTest, testing::ValuesIn(AllRuntimes()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace podferry::e2e
