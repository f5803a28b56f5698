// What containers of the runtime `host` must not see of the machine they run on, with real
// bubblewrap.

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/pod/testing/pod_builder.h"
#include "core/translate/planner.h"
#include "core/translate/sandbox.h"
#include "core/translate/script_renderer.h"
#include "core/translate/testing/script_run.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Script(const PodBuilder& builder) {
  BuildConfig config;
  config.runtime.kind = RuntimeKind::kHost;
  const PlanResult result = PlanJob(builder.Build(), {"origin", "uid-1"}, "pool-a", config);
  EXPECT_TRUE(result.issues.empty()) << result.issues.ToString();
  return RenderScript(result.plan);
}

// A submitter's state and keys; pods try to read them.
class HidingTest : public testing::Test {
 protected:
  HidingTest() : root_(absl::StrCat(testing::TempDir(), "/hiding.XXXXXX")) {
    EXPECT_NE(mkdtemp(root_.data()), nullptr);
    root_ = std::filesystem::canonical(root_).string();
    std::filesystem::create_directories(state_ = root_ + "/state");
    std::filesystem::create_directories(state_ + "/sandboxes/other");
    Write(state_ + "/journal", "the secret");
    Write(state_ + "/sandboxes/other/job.sh", "the secret");
    Write(keys_ = root_ + "/100% keys\n", "the secret");
    Write(root_ + "/open", "not hidden");
  }
  ~HidingTest() override { std::filesystem::remove_all(root_); }

  static void Write(const std::string& path, const std::string& content) {
    std::ofstream(path) << content;
  }
  std::string Hidden() const { return absl::StrCat(state_, "\n", root_, "/100%25 keys%0A"); }
  // What the pod's first container says, and what its end was.
  std::string LogOf(const PodBuilder& pod, int exit_code = 0) {
    ScriptRun run(Script(pod));
    run.variables()[kHideVariable] = Hidden();
    EXPECT_EQ(run.Run(), exit_code) << run.Finished().message;
    return run.Log(0, "main");
  }
  // Reads all it can of what is hidden; the shell's words.
  std::string Pry() const {
    return absl::StrCat("cat ", root_, "/open; cat ", state_, "/journal ", state_,
                        "/sandboxes/*/* ", root_, "/*keys* 2>/dev/null; ls -A ", state_, "; true");
  }

  std::string root_;
  std::string state_;
  std::string keys_;
};

TEST_F(HidingTest, WithoutBeingToldAPodSeesThePoolsFiles) {
  PodBuilder pod;
  pod.Shell(Pry());
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), 0);
  EXPECT_THAT(run.Log(0, "main"), HasSubstr("the secret"));
}

TEST_F(HidingTest, APodWithoutMountsSeesNothingOfIt) {
  PodBuilder pod;
  pod.Shell(Pry());
  EXPECT_EQ(LogOf(pod), "not hidden");
}

TEST_F(HidingTest, NorDoesOneWithAReadOnlyRoot) {
  PodBuilder pod;
  pod.Shell(absl::StrCat(Pry(), "; touch ", state_, "/x 2>/dev/null || echo; touch /dev/shm/y"));
  pod.container().security_context.read_only_root_filesystem = true;
  EXPECT_EQ(LogOf(pod), "not hidden\n");
}

TEST_F(HidingTest, NorDoesOneThatMountsBesideItOrWithinIt) {
  for (const std::string& path :
       {root_ + "/new", state_ + "/new", state_ + "/sandboxes/other/new", std::string("/new")}) {
    PodBuilder pod;
    pod.EmptyDir("data", path)
        .Shell(absl::StrCat("echo mine >", path, "/file; cat ", path, "/file; ", Pry()));
    const std::string log = LogOf(pod);
    EXPECT_TRUE(absl::StartsWith(log, "mine\n")) << log;
    EXPECT_THAT(log, Not(HasSubstr("the secret"))) << path;
  }
  EXPECT_FALSE(std::filesystem::exists(state_ + "/new"));
}

TEST_F(HidingTest, APodCannotUncoverItOrLookThroughOtherProcesses) {
  PodBuilder pod;
  pod.Shell(absl::StrCat("{ umount ", state_, "; unshare -rm umount ", state_,
                         "; unshare -rm umount -l ", state_, "; nsenter -m -t 1 cat ", state_,
                         "/journal; mount --bind / /mnt && cat /mnt", state_,
                         "/journal; unshare -rm sh -c 'mount --bind / /mnt && cat /mnt", state_,
                         "/journal'; for p in /proc/[0-9]*; do cat $p/root", state_,
                         "/journal; cat $p/environ; ", "done; } 2>/dev/null; ", Pry()));
  setenv("OF_THE_SUBMITTER", "the secret", 1);
  const std::string log = LogOf(pod);
  unsetenv("OF_THE_SUBMITTER");
  EXPECT_THAT(log, HasSubstr("not hidden"));
  EXPECT_THAT(log, Not(HasSubstr("the secret")));
}

TEST_F(HidingTest, VolumesThatOtherPodsHaveInMemoryAreNotSeen) {
  const std::string other = absl::StrCat("/dev/shm/podferry.hiding.", getpid());
  std::filesystem::create_directories(other);
  Write(other + "/file", "the secret");
  PodBuilder pod;
  pod.Shell("cat /dev/shm/*/* 2>/dev/null; echo $(ls -A /dev/shm); touch /dev/shm/mine");
  EXPECT_EQ(LogOf(pod), "\n");
  EXPECT_FALSE(std::filesystem::exists("/dev/shm/mine"));
  std::filesystem::remove_all(other);
}

}  // namespace
}  // namespace podferry
