#include "core/os/file_watcher.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "core/base/testing/status_matchers.h"
#include "core/os/asio_event_loop.h"
#include "core/os/folder_snapshot.h"
#include "core/os/posix_file_system.h"
#include "core/os/testing/fake_file_watcher.h"
#include "core/os/testing/run_until.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// By inotify, and by reading the folder.
class FileWatcherTest : public testing::TestWithParam<bool> {
 protected:
  FileWatcherTest() {
    std::string folder = testing::TempDir() + "/watch-XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) abort();
    folder_ = folder;
  }
  ~FileWatcherTest() override { (void)files_.RemoveAll(folder_); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  void Write(const std::string& name, const std::string& text) {
    ASSERT_THAT(files_.WriteFileAtomic(Path(name), text, 0600), IsOk());
  }
  Subscription WatchAndNote() {
    absl::StatusOr<Subscription> watch =
        watcher_.Watch(folder_, [this](const std::vector<std::string>& names) {
          ++calls_;
          seen_.insert(names.begin(), names.end());
        });
    EXPECT_THAT(watch, IsOk());
    return *std::move(watch);
  }
  bool Sees(const std::string& name) {
    return RunUntil(loop_, [&] { return seen_.contains(name); });
  }

  std::string folder_;
  PosixFileSystem files_;
  AsioEventLoop loop_;
  PosixFileWatcher watcher_{loop_,
                            {.batch = absl::Milliseconds(5),
                             .poll_interval = absl::Milliseconds(5),
                             .use_inotify = GetParam()}};
  std::set<std::string> seen_;
  int calls_ = 0;
};

TEST_P(FileWatcherTest, TellsWhatIsCreatedWrittenReplacedAndRemoved) {
  Write("replaced", "1");
  Write("removed", "1");
  {
    PODFERRY_ASSERT_OK_AND_ASSIGN(auto written, files_.OpenAppend(Path("written"), 0600));
    Subscription watch = WatchAndNote();
    Write("created", "1");
    EXPECT_TRUE(Sees("created"));
    ASSERT_THAT(written->Append("more"), IsOk());
    EXPECT_TRUE(Sees("written"));
    Write("replaced", "2");
    EXPECT_TRUE(Sees("replaced"));
    ASSERT_THAT(files_.Remove(Path("removed")), IsOk());
    EXPECT_TRUE(Sees("removed"));
  }
}

TEST_P(FileWatcherTest, LeavesTheLoopItsTurnWhileSomebodyWritesAllTheTime) {
  Subscription watch = WatchAndNote();
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    const int file = open(Path("busy").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    while (!stop) (void)!pwrite(file, "x", 1, 0);
    close(file);
  });
  bool ran = false;
  const Timer timer = loop_.RunAfter(absl::Milliseconds(50), [&] { ran = true; });
  EXPECT_TRUE(RunUntil(loop_, [&] { return ran && calls_ > 0; }));
  stop = true;
  writer.join();
}

TEST_P(FileWatcherTest, ABurstOfChangesIsFewCalls) {
  Subscription watch = WatchAndNote();
  for (int i = 0; i < 100; ++i) Write("status", std::to_string(i));
  EXPECT_TRUE(Sees("status"));
  EXPECT_LT(calls_, 10);
}

TEST_P(FileWatcherTest, AnEndedWatchIsQuietAndOthersGoOn) {
  Subscription first = WatchAndNote();
  int others = 0;
  PODFERRY_ASSERT_OK_AND_ASSIGN(
      Subscription second,
      watcher_.Watch(folder_, [&](const std::vector<std::string>&) { ++others; }));
  first.Cancel();
  Write("file", "1");
  EXPECT_TRUE(RunUntil(loop_, [&] { return others > 0; }));
  EXPECT_EQ(calls_, 0);
}

TEST_P(FileWatcherTest, ACallbackMayEndItsOwnWatch) {
  int calls = 0;
  Subscription watch;
  absl::StatusOr<Subscription> started =
      watcher_.Watch(folder_, [&](const std::vector<std::string>&) {
        ++calls;
        watch.Cancel();
      });
  ASSERT_THAT(started, IsOk());
  watch = *std::move(started);
  Write("file", "1");
  EXPECT_TRUE(RunUntil(loop_, [&] { return calls == 1; }));
}

TEST_P(FileWatcherTest, AFolderThatIsNotThereIsNotFound) {
  EXPECT_THAT(watcher_.Watch(Path("missing"), [](const std::vector<std::string>&) {}),
              StatusIs(absl::StatusCode::kNotFound));
}

INSTANTIATE_TEST_SUITE_P(All, FileWatcherTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "Inotify" : "Polling"; });

TEST(FolderSnapshotTest, KnowsSharedFileSystemsFromLocalOnes) {
  EXPECT_FALSE(IsOnSharedFileSystem("/proc"));
  EXPECT_FALSE(IsOnSharedFileSystem("/no/such/folder"));
}

TEST(FakeFileWatcherTest, TellsWhatTheTestSays) {
  AsioEventLoop loop;
  FakeFileWatcher watcher(loop);
  std::vector<std::string> seen;
  {
    PODFERRY_ASSERT_OK_AND_ASSIGN(
        Subscription watch,
        watcher.Watch("/a", [&](const std::vector<std::string>& names) { seen = names; }));
    EXPECT_TRUE(watcher.IsWatched("/a"));
    watcher.Change("/b", {"other"});
    watcher.Change("/a", {"file"});
    EXPECT_THAT(seen, IsEmpty());
    loop.RunReady();
    EXPECT_THAT(seen, ElementsAre("file"));
  }
  EXPECT_FALSE(watcher.IsWatched("/a"));
}

}  // namespace
}  // namespace podferry
