// A process that is killed (SIGKILL) while it writes loses nothing that was acknowledged, on real
// files. The test starts itself as the process to be killed, with the failpoint in its environment.

#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/testing/status_matchers.h"
#include "core/journal/journal.h"
#include "core/os/asio_event_loop.h"
#include "core/os/posix_file_system.h"
#include "core/os/process.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

JournalOptions OptionsFor(const std::string& folder) {
  JournalOptions options;
  options.folder = folder;
  options.segment_bytes = 20000;
  options.max_inline_bytes = 2000;
  return options;
}

// Appends records for ever, and says which are acknowledged.
class Victim {
 public:
  explicit Victim(const std::string& folder) {
    journal_ = *Journal::Open(OptionsFor(folder), files_, loop_, [](const JournalRecord&) {});
  }

  void Run() {
    for (int i = 0; i < 8; ++i) Next();
    loop_.Run();
  }

 private:
  void Next() {
    const std::string head = absl::StrCat(next_++);
    journal_->Append({{1, head, std::string(next_ % 10 == 0 ? 5000 : 500, 'x')}},
                     [this, head](absl::StatusOr<std::vector<JournalPosition>> positions) {
                       if (positions.ok()) std::printf("%s\n", head.c_str());
                       std::fflush(stdout);
                       Next();
                     });
  }

  PosixFileSystem files_;
  AsioEventLoop loop_;
  std::unique_ptr<Journal> journal_;
  int next_ = 0;
};

class JournalCrashTest : public testing::TestWithParam<const char*> {};

TEST_P(JournalCrashTest, LosesNothingThatWasAcknowledged) {
  if (const char* folder = getenv("JOURNAL_CRASH_FOLDER")) return Victim(folder).Run();

  std::string folder = testing::TempDir() + "/crash-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  char self[PATH_MAX] = "";
  ASSERT_GT(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
  DetachedCommand command;
  command.argv = {self, "--gtest_filter=*/0", "--gtest_brief=1"};
  command.env = {{"JOURNAL_CRASH_FOLDER", folder + "/journal"}, {"PODFERRY_FAILPOINT", GetParam()}};
  command.stdout_path = folder + "/acknowledged";
  PODFERRY_ASSERT_OK_AND_ASSIGN(ProcessIdentity victim, StartDetached(command));
  int status = 0;
  ASSERT_EQ(waitpid(victim.pid, &status, 0), victim.pid);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;

  PosixFileSystem files;
  AsioEventLoop loop;
  std::vector<std::string> replayed;
  PODFERRY_ASSERT_OK_AND_ASSIGN(
      std::unique_ptr<Journal> journal,
      Journal::Open(OptionsFor(folder + "/journal"), files, loop, [&](const JournalRecord& record) {
        EXPECT_EQ(record.head, absl::StrCat(replayed.size()));
        replayed.emplace_back(record.head);
      }));
  PODFERRY_ASSERT_OK_AND_ASSIGN(std::string said, files.ReadFile(folder + "/acknowledged"));
  size_t acknowledged = 0;
  for (absl::string_view line : absl::StrSplit(said, '\n', absl::SkipEmpty())) {
    if (line.find_first_not_of("0123456789") == line.npos) ++acknowledged;
  }
  EXPECT_GE(replayed.size(), acknowledged);
  EXPECT_LE(replayed.size(), acknowledged + 8);
  for (const JournalDamage& damage : journal->damage()) {
    EXPECT_EQ(damage.kind, JournalDamage::Kind::kTornTail) << damage.ToString();
  }
  journal.reset();
  EXPECT_THAT(files.RemoveAll(folder), IsOk());
}

INSTANTIATE_TEST_SUITE_P(Failpoints, JournalCrashTest,
                         testing::Values("journal.written", "journal.synced", "journal.written:20",
                                         "journal.synced:20", "journal.written:100"));

}  // namespace
}  // namespace podferry
