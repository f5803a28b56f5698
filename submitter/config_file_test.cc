#include "submitter/config_file.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "absl/time/clock.h"
#include "core/base/testing/fake_clock.h"
#include "core/base/testing/status_matchers.h"
#include "core/os/asio_event_loop.h"
#include "core/os/posix_file_system.h"
#include "core/os/testing/fake_event_loop.h"
#include "core/os/testing/fake_file_system.h"
#include "core/os/testing/fake_file_watcher.h"
#include "core/os/testing/inline_worker_pool.h"
#include "core/os/testing/run_until.h"
#include "core/os/worker_pool.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

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
    config_->Watch(watcher_, pool_, loop_, [this] { ++changes_; });
    loop_.Advance(absl::Milliseconds(300));
  }
  void Edit(const std::string& text) {
    Write(text);
    watcher_.Change("/etc/pool", {"build.toml"});
    loop_.Advance(absl::Milliseconds(300));
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
  EXPECT_THAT(config_->problem(), HasSubstr("/etc/pool/build.toml: line 1, column"));
  EXPECT_THAT(file_system_.Remove("/etc/pool/build.toml"), IsOk());
  watcher_.Change("/etc/pool", {"build.toml"});
  loop_.Advance(absl::Milliseconds(300));
  EXPECT_EQ(config_->config().resources.at("cpu"), "4");
  EXPECT_THAT(config_->problem(), Not(HasSubstr("line 1")));
  EXPECT_EQ(changes_, 2) << "two problems";
  Edit("[resources]\ncpu = \"16\"\n");
  EXPECT_EQ(config_->config().resources.at("cpu"), "16");
  EXPECT_EQ(config_->problem(), "");
  EXPECT_EQ(changes_, 3);
}

TEST_F(ConfigFileTest, HalfAFileIsNotTakenForAnEdit) {
  Write("[resources]\ncpu = \"4\"\n");
  Open();
  for (const char* half : {"", "[resources]\n", "[resources]\ncpu = \"8"}) {
    Write(half);
    watcher_.Change("/etc/pool", {"build.toml"});
    loop_.Advance(absl::Milliseconds(60));
  }
  Edit("[resources]\ncpu = \"8\"\n");
  EXPECT_EQ(config_->config().resources.at("cpu"), "8");
  EXPECT_EQ(changes_, 1);
}

TEST_F(ConfigFileTest, AMistakeThatIsTakenBackIsForgotten) {
  const std::string good = "[resources]\ncpu = \"4\"\n";
  Write(good);
  Open();
  Edit("[resources\n");
  EXPECT_NE(config_->problem(), "");
  Edit(good);
  EXPECT_EQ(config_->problem(), "");
  EXPECT_EQ(changes_, 2);
}

TEST_F(ConfigFileTest, AnEditThatNoWatchTellsOfIsSeenLater) {
  Write("[resources]\ncpu = \"4\"\n");
  Open();
  Write("[resources]\ncpu = \"8\"\n");
  loop_.Advance(absl::Seconds(6));
  EXPECT_EQ(config_->config().resources.at("cpu"), "8");
}

TEST_F(ConfigFileTest, WhatIsUnknownIsAMistakeForTheStrict) {
  Write("[resources]\ncpu = \"4\"\n[slrum]\n[runtime]\nbwrap = \"b\"\n");
  EXPECT_THAT(ConfigFile::Open("/etc/pool/build.toml", file_system_), IsOk());
  EXPECT_THAT(ConfigFile::Open("/etc/pool/build.toml", file_system_, /*strict=*/true),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("slurm"), HasSubstr("bwrap_executable"))));
}

// What the fakes cannot show: real folders, links and inotify.
class RealConfigFileTest : public ::testing::Test {
 protected:
  RealConfigFileTest() {
    folder_ = testing::TempDir() + "/config-XXXXXX";
    if (mkdtemp(folder_.data()) == nullptr) abort();
  }
  ~RealConfigFileTest() override { (void)files_.RemoveAll(folder_); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  void Write(const std::string& name, const std::string& cpu) {
    ASSERT_THAT(files_.MakeDirs(std::filesystem::path(Path(name)).parent_path(), 0700), IsOk());
    std::ofstream(Path(name)) << "[resources]\ncpu = " << cpu << "\n";
  }
  void Open(const std::string& name) {
    PODFERRY_ASSERT_OK_AND_ASSIGN(config_, ConfigFile::Open(Path(name), files_));
    config_->Watch(watcher_, pool_, loop_, [] {});
    loop_.RunReady();
  }
  // Within what is promised of an edit.
  bool Says(const std::string& cpu) {
    const absl::Time begin = absl::Now();
    return RunUntil(loop_, [&] { return config_->config().resources.at("cpu") == cpu; }) &&
           absl::Now() - begin < absl::Seconds(1);
  }

  std::string folder_;
  PosixFileSystem files_;
  AsioEventLoop loop_;
  ThreadWorkerPool pool_{loop_, 1};
  PosixFileWatcher watcher_{loop_};
  std::unique_ptr<ConfigFile> config_;
};

TEST_F(RealConfigFileTest, SeesAFileThatIsWrittenOverAndOneThatReplacesIt) {
  Write("build.conf", "1");
  Open("build.conf");
  Write("build.conf", "2");
  EXPECT_TRUE(Says("2"));
  Write("build.conf.new", "3");
  ASSERT_THAT(files_.Rename(Path("build.conf.new"), Path("build.conf")), IsOk());
  EXPECT_TRUE(Says("3"));
}

TEST_F(RealConfigFileTest, SeesTheSwapOfAConfigMap) {
  Write("..1/build.conf", "1");
  std::filesystem::create_symlink("..1", Path("..data"));
  std::filesystem::create_symlink("..data/build.conf", Path("build.conf"));
  Open("build.conf");
  for (const std::string next : {"2", "3"}) {
    Write(".." + next + "/build.conf", next);
    std::filesystem::create_symlink(".." + next, Path("..data_tmp"));
    ASSERT_THAT(files_.Rename(Path("..data_tmp"), Path("..data")), IsOk());
    EXPECT_TRUE(Says(next));
  }
}

TEST_F(RealConfigFileTest, SeesEditsWhereALinkLeads) {
  Write("real/build.conf", "1");
  std::filesystem::create_symlink("real/build.conf", Path("build.conf"));
  Open("build.conf");
  Write("real/new", "2");
  ASSERT_THAT(files_.Rename(Path("real/new"), Path("real/build.conf")), IsOk());
  EXPECT_TRUE(Says("2"));
}

TEST_F(ConfigFileTest, OtherFilesOfTheFolderDoNotMatter) {
  Write("[resources]\ncpu = \"4\"\n");
  Open();
  Write("[resources]\ncpu = \"8\"\n");
  watcher_.Change("/etc/pool", {"something.else"});
  loop_.Advance(absl::Milliseconds(300));
  EXPECT_EQ(changes_, 0);
  // Kubernetes swaps a link beside it.
  watcher_.Change("/etc/pool", {"..data"});
  loop_.Advance(absl::Milliseconds(300));
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
