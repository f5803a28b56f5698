#include "core/os/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/testing/status_matchers.h"
#include "core/os/posix_file_system.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using process_internal::ParseProcStat;
using ::testing::HasSubstr;

class ProcessTest : public testing::Test {
 protected:
  ProcessTest() {
    std::string folder = testing::TempDir() + "/process-XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) abort();
    char* real = realpath(folder.c_str(), nullptr);  // As pwd says it.
    folder_ = real;
    free(real);
  }
  ~ProcessTest() override { (void)files_.RemoveAll(folder_); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  // Runs a script to its end; what it said.
  std::string RunScript(const std::string& script) {
    DetachedCommand command;
    command.argv = {"/bin/sh", "-c", script};
    command.stdout_path = command.stderr_path = Path("out");
    return Run(command);
  }
  std::string Run(const DetachedCommand& command) {
    absl::StatusOr<ProcessIdentity> process = StartDetached(command);
    EXPECT_THAT(process, IsOk());
    if (!process.ok()) return "";
    EXPECT_EQ(waitpid(process->pid, &status_, 0), process->pid);
    return files_.ReadFile(Path("out")).value_or("");
  }

  std::string folder_;
  PosixFileSystem files_;
  int status_ = 0;
};

TEST(ProcStatTest, ReadsNamesThatHoldAnything) {
  const std::string tail = " S 2 3 4 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 987654321 0 0";
  for (const std::string name : {"sh", "a b", ") S 9 9 9 9", "((", ""}) {
    PODFERRY_ASSERT_OK_AND_ASSIGN(auto stat, ParseProcStat(absl::StrCat("1 (", name, ")", tail)));
    EXPECT_EQ(stat.state, 'S') << name;
    EXPECT_EQ(stat.parent, 2) << name;
    EXPECT_EQ(stat.group, 3) << name;
    EXPECT_EQ(stat.session, 4) << name;
    EXPECT_EQ(stat.start_time, 987654321u) << name;
  }
  for (const char* bad : {"", "1 (sh)", "1 (sh) S 2", "1 sh S 2 3 4"}) {
    EXPECT_THAT(ParseProcStat(bad), StatusIs(absl::StatusCode::kInvalidArgument)) << bad;
  }
}

TEST(ProcessIdentityTest, IsReadBackFromItsText) {
  PODFERRY_ASSERT_OK_AND_ASSIGN(ProcessIdentity own, OwnIdentity());
  EXPECT_EQ(own.pid, getpid());
  EXPECT_THAT(ProcessIdentity::Parse(own.ToString()), IsOkAndHolds(own));
  for (const char* bad : {"", "/1/2", "boot/1", "boot/x/2", "boot/-1/2", "boot/1/2/3"}) {
    EXPECT_THAT(ProcessIdentity::Parse(bad), StatusIs(absl::StatusCode::kInvalidArgument)) << bad;
  }
}

TEST(ProcessIdentityTest, AnotherBootOrStartTimeIsAnotherProcess) {
  PODFERRY_ASSERT_OK_AND_ASSIGN(ProcessIdentity own, OwnIdentity());
  EXPECT_TRUE(IsAlive(own));
  EXPECT_THAT(Signal(own, 0), IsOk());
  ProcessIdentity other_time = own, other_boot = own;
  ++other_time.start_time;
  other_boot.boot_id = "11111111-2222-3333-4444-555555555555";
  for (const ProcessIdentity& other : {other_time, other_boot}) {
    EXPECT_FALSE(IsAlive(other));
    EXPECT_THAT(Signal(other, SIGKILL), StatusIs(absl::StatusCode::kNotFound));
    EXPECT_THAT(SignalGroup(other, SIGKILL), StatusIs(absl::StatusCode::kNotFound));
  }
  EXPECT_THAT(IdentityOf(99999999), StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(ProcessTest, StartsAProcessWithItsOwnSessionFolderAndEnvironment) {
  DetachedCommand command;
  command.argv = {"sh", "-c",
                  "read line; echo \"$line $NAME ${HOME-none}\"; pwd; "
                  "cut -d' ' -f5,6 /proc/$$/stat; echo $$; echo oops >&2"};
  command.env = {{"NAME", "value with blanks"}, {"PATH", "/usr/bin:/bin"}};
  command.cwd = folder_;
  command.stdin_path = Path("in");
  command.stdout_path = command.stderr_path = Path("out");
  ASSERT_THAT(files_.WriteFileAtomic(Path("in"), "input\n", 0600), IsOk());
  PODFERRY_ASSERT_OK_AND_ASSIGN(ProcessIdentity process, StartDetached(command));
  waitpid(process.pid, &status_, 0);
  EXPECT_THAT(
      files_.ReadFile(Path("out")),
      IsOkAndHolds(absl::StrCat("input value with blanks none\n", folder_, "\n", process.pid, " ",
                                process.pid, "\n", process.pid, "\noops\n")));
  EXPECT_EQ(files_.Stat(Path("out"))->mode, 0600u);
}

TEST_F(ProcessTest, InheritsNeitherDescriptorsNorSignalSettings) {
  const int leaked = open("/dev/null", O_RDONLY);  // Not closed by exec.
  ASSERT_EQ(fcntl(leaked, F_DUPFD, 500), 500);
  sigset_t blocked, before;
  sigfillset(&blocked);
  sigprocmask(SIG_SETMASK, &blocked, &before);
  std::signal(SIGPIPE, SIG_IGN);
  DetachedCommand command;
  command.stdout_path = Path("out");
  command.argv = {"ls", "-m", "/proc/self/fd"};
  const std::string descriptors = Run(command);
  command.stdout_path = Path("out2");
  command.argv = {"grep", "-E", "SigBlk|SigIgn", "/proc/self/status"};
  Run(command);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  close(leaked);
  close(500);
  EXPECT_EQ(descriptors, "0, 1, 2, 3\n");  // The last is of ls itself: the folder that it lists.
  PODFERRY_ASSERT_OK_AND_ASSIGN(std::string masks, files_.ReadFile(Path("out2")));
  constexpr uint64_t kOfTheCLibrary = 0x180000000;  // 32 and 33, which nobody can change.
  int lines = 0;
  for (absl::string_view line : absl::StrSplit(masks, '\n', absl::SkipEmpty())) {
    uint64_t mask;
    ASSERT_TRUE(absl::SimpleHexAtoi(line.substr(line.size() - 16), &mask)) << line;
    EXPECT_EQ(mask & ~kOfTheCLibrary, 0u) << line;
    ++lines;
  }
  EXPECT_EQ(lines, 2);
}

TEST_F(ProcessTest, SaysWhatCouldNotBeStarted) {
  DetachedCommand command;
  command.argv = {"no-such-program-of-ours"};
  EXPECT_THAT(StartDetached(command),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("no-such-program-of-ours")));
  command.argv = {Path("missing")};
  EXPECT_THAT(StartDetached(command),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("execute " + Path("missing"))));
  ASSERT_THAT(files_.WriteFileAtomic(Path("plain"), "text", 0600), IsOk());
  command.argv = {Path("plain")};
  EXPECT_THAT(StartDetached(command), StatusIs(absl::StatusCode::kPermissionDenied));
  command.argv = {"/bin/true"};
  command.cwd = Path("missing");
  EXPECT_THAT(StartDetached(command),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("enter " + Path("missing"))));
  command.cwd = "";
  command.stdin_path = Path("missing");
  EXPECT_THAT(StartDetached(command),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("open " + Path("missing"))));
  command.stdin_path = "";
  command.argv = {"/bin/true", std::string(4 << 20, 'x')};
  EXPECT_THAT(StartDetached(command), StatusIs(absl::StatusCode::kInvalidArgument));
  command.argv = {};
  EXPECT_THAT(StartDetached(command), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child was left behind";
}

TEST_F(ProcessTest, AZombieIsNotAlive) {
  DetachedCommand command;
  command.argv = {"/bin/true"};
  PODFERRY_ASSERT_OK_AND_ASSIGN(ProcessIdentity process, StartDetached(command));
  siginfo_t info;
  ASSERT_EQ(waitid(P_PID, process.pid, &info, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(IsAlive(process));
  EXPECT_THAT(Signal(process, SIGTERM), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(SignalGroup(process, SIGTERM), StatusIs(absl::StatusCode::kNotFound));
  waitpid(process.pid, nullptr, 0);
  EXPECT_FALSE(IsAlive(process));
}

TEST_F(ProcessTest, AGroupIsReachedWhenItsLeaderHasEnded) {
  // The leader leaves a process behind, whose pid it tells, and ends.
  const std::string said = RunScript("sleep 1000 >/dev/null 2>&1 & echo $!");
  pid_t left_behind;
  ASSERT_TRUE(absl::SimpleAtoi(said, &left_behind)) << said;
  PODFERRY_ASSERT_OK_AND_ASSIGN(ProcessIdentity orphan, IdentityOf(left_behind));
  PODFERRY_ASSERT_OK_AND_ASSIGN(std::string stat,
                                files_.ReadFile(absl::StrCat("/proc/", left_behind, "/stat")));
  ProcessIdentity leader = orphan;
  leader.pid = ParseProcStat(stat)->group;
  EXPECT_THAT(SignalGroup(leader, SIGKILL), IsOk());
  while (IsAlive(orphan)) usleep(1000);
  EXPECT_THAT(SignalGroup(leader, SIGKILL), StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace podferry
