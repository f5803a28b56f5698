#include "submitter/config_file.h"

#include <memory>
#include <string>

#include "core/base/testing/fake_clock.h"
#include "core/base/testing/status_matchers.h"
#include "core/os/testing/fake_event_loop.h"
#include "core/os/testing/fake_file_system.h"
#include "core/os/testing/fake_file_watcher.h"
#include "core/os/testing/inline_worker_pool.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ConfigFileTest : public ::testing::Test {
 protected:
  ConfigFileTest() { EXPECT_THAT(file_system_.MakeDirs("/etc/pool", 0755), IsOk()); }

  void Write(const std::string& text) {
    ASSERT_THAT(file_system_.WriteFileAtomic("/etc/pool/build.toml", text, 0644), IsOk());
  }
  void Open() {
    absl::StatusOr<std::unique_ptr<ConfigFile>> config =
        ConfigFile::Open("/etc/pool/build.toml", file_system_);
    ASSERT_THAT(config, IsOk());
    config_ = *std::move(config);
    config_->Watch(watcher_, pool_, [this] { ++changes_; });
    loop_.RunUntilIdle();
  }
  void Edit(const std::string& text) {
    Write(text);
    watcher_.Change("/etc/pool", {"build.toml"});
    loop_.RunUntilIdle();
  }

  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  InlineWorkerPool pool_{loop_};
  FakeFileSystem file_system_;
  FakeFileWatcher watcher_{loop_};
  std::unique_ptr<ConfigFile> config_;
  int changes_ = 0;
};

TEST_F(ConfigFileTest, AnEditIsTakenOver) {
  Write("[resources]\ncpu = \"4\"\n");
  Open();
  EXPECT_EQ(config_->config().resources.at("cpu"), "4");
  EXPECT_EQ(changes_, 0);
  Edit("[resources]\ncpu = \"8\"\n");
  EXPECT_EQ(config_->config().resources.at("cpu"), "8");
  EXPECT_EQ(changes_, 1);
}

TEST_F(ConfigFileTest, AnEditThatSaysTheSameIsNoChange) {
  Write("[resources]\ncpu = \"4\"\n");
  Open();
  Edit("# a comment\n[resources]\ncpu = \"4\"\n");
  EXPECT_EQ(changes_, 0);
}

TEST_F(ConfigFileTest, AMistakeLeavesTheLastGoodOne) {
  Write("[resources]\ncpu = \"4\"\n");
  Open();
  Edit("[resources\ncpu = 8");
  EXPECT_EQ(config_->config().resources.at("cpu"), "4");
  EXPECT_THAT(file_system_.Remove("/etc/pool/build.toml"), IsOk());
  watcher_.Change("/etc/pool", {"build.toml"});
  loop_.RunUntilIdle();
  EXPECT_EQ(config_->config().resources.at("cpu"), "4");
  Edit("[resources]\ncpu = \"16\"\n");
  EXPECT_EQ(config_->config().resources.at("cpu"), "16");
  EXPECT_EQ(changes_, 1);
}

TEST_F(ConfigFileTest, OtherFilesOfTheFolderDoNotMatter) {
  Write("[resources]\ncpu = \"4\"\n");
  Open();
  Write("[resources]\ncpu = \"8\"\n");
  watcher_.Change("/etc/pool", {"something.else"});
  loop_.RunUntilIdle();
  EXPECT_EQ(changes_, 0);
  // Kubernetes swaps a link beside it.
  watcher_.Change("/etc/pool", {"..data"});
  loop_.RunUntilIdle();
  EXPECT_EQ(changes_, 1);
}

TEST_F(ConfigFileTest, AFileWithMistakesDoesNotOpen) {
  Write("[volumes]\nscratch_area = 3\nfuse_sleep_seconds = \"soon\"\n");
  EXPECT_THAT(ConfigFile::Open("/etc/pool/build.toml", file_system_),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("scratch_area"), HasSubstr("fuse_sleep_seconds"))));
  EXPECT_THAT(ConfigFile::Open("/etc/none", file_system_), StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(ConfigFileTest, WithoutAFileTheDefaultsStandAndThePoolRunsPodsWithoutImages) {
  const auto config = ConfigFile::Open("", file_system_);
  ASSERT_THAT(config, IsOk());
  EXPECT_EQ((*config)->config().runtime.kind, RuntimeKind::kHost);
  EXPECT_EQ((*config)->config().volumes.scratch_area, "/tmp");
}

}  // namespace
}  // namespace podferry
