#include "core/os/posix_file_system.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PosixFileSystemTest : public testing::Test {
 protected:
  PosixFileSystemTest() {
    std::string folder = testing::TempDir() + "/posix-XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) abort();
    folder_ = folder;
  }
  ~PosixFileSystemTest() override { (void)files_.RemoveAll(folder_); }

  std::string folder_;
  PosixFileSystem files_;
};

TEST_F(PosixFileSystemTest, RemovalDoesNotFollowSymbolicLinks) {
  const std::string outside = folder_ + "/outside", tree = folder_ + "/tree";
  ASSERT_THAT(files_.MakeDirs(outside, 0700), IsOk());
  ASSERT_THAT(files_.WriteFileAtomic(outside + "/keep", "x", 0600), IsOk());
  ASSERT_THAT(files_.MakeDirs(tree, 0700), IsOk());
  ASSERT_EQ(symlink(outside.c_str(), (tree + "/link").c_str()), 0);
  ASSERT_EQ(symlink("nowhere", (tree + "/dangling").c_str()), 0);
  const std::string link = folder_ + "/link";
  ASSERT_EQ(symlink(outside.c_str(), link.c_str()), 0);
  EXPECT_THAT(files_.RemoveAll(tree), IsOk());
  EXPECT_THAT(files_.RemoveAll(link), IsOk());
  EXPECT_THAT(files_.ReadFile(outside + "/keep"), IsOkAndHolds("x"));
  EXPECT_THAT(files_.Stat(tree), StatusIs(absl::StatusCode::kNotFound));
}

// Gives up what lets root enter every folder; false if the kernel refuses.
bool DropCapabilities() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  return syscall(SYS_capset, &header, none) == 0;
}

// In a child, because capabilities do not come back.
TEST_F(PosixFileSystemTest, RemovesFoldersThatAreClosedToTheirOwner) {
  const pid_t child = fork();
  if (child == 0) {
    if (!DropCapabilities()) _exit(1);
    const std::string closed = folder_ + "/mine/closed";
    if (!files_.MakeDirs(closed + "/below", 0700).ok()) _exit(2);
    if (!files_.WriteFileAtomic(closed + "/below/file", "x", 0000).ok()) _exit(3);
    if (chmod((closed + "/below").c_str(), 0500) != 0) _exit(5);
    if (chmod(closed.c_str(), 0000) != 0 || access(closed.c_str(), X_OK) == 0) _exit(6);
    _exit(files_.RemoveAll(folder_ + "/mine").ok() ? 0 : 4);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_THAT(files_.ListDir(folder_), IsOkAndHolds(IsEmpty()));
}

// In a child with mounts of its own. What is mounted there may be somebody's data.
TEST_F(PosixFileSystemTest, NeverEmptiesWhatIsMountedInATree) {
  const pid_t child = fork();
  if (child == 0) {
    const std::string mounted = folder_ + "/tree/below/mounted";
    if (!files_.MakeDirs(mounted, 0700).ok()) _exit(1);
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) _exit(2);
    if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) _exit(3);
    if (mount("tmpfs", mounted.c_str(), "tmpfs", 0, nullptr) != 0) _exit(4);
    if (!files_.WriteFileAtomic(mounted + "/file", "x", 0600).ok()) _exit(5);
    if (files_.RemoveAll(folder_ + "/tree").ok()) _exit(6);
    _exit(access((mounted + "/file").c_str(), F_OK) == 0 ? 0 : 7);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(PosixFileSystemTest, RemovesTreesDeeperThanAnyPath) {
  // Deeper than PATH_MAX allows to name, and than there are descriptors to keep open.
  int fd = open(folder_.c_str(), O_RDONLY | O_DIRECTORY);
  for (int i = 0; i < 3000; ++i) {
    ASSERT_EQ(mkdirat(fd, "deep", 0700), 0);
    const int next = openat(fd, "deep", O_RDONLY | O_DIRECTORY);
    close(fd);
    ASSERT_GE(next, 0);
    fd = next;
  }
  close(fd);
  EXPECT_THAT(files_.RemoveAll(folder_ + "/deep"), IsOk());
  EXPECT_THAT(files_.ListDir(folder_), IsOkAndHolds(IsEmpty()));
}

TEST_F(PosixFileSystemTest, AFailedAtomicWriteLeavesNothingBehind) {
  ASSERT_THAT(files_.MakeDirs(folder_ + "/taken/by", 0700), IsOk());
  EXPECT_FALSE(files_.WriteFileAtomic(folder_ + "/taken", "x", 0600).ok());
  EXPECT_THAT(files_.ListDir(folder_), IsOkAndHolds(testing::ElementsAre("taken")));
}

TEST_F(PosixFileSystemTest, ReadsFilesThatSayTheyAreEmpty) {
  EXPECT_THAT(files_.ReadFile("/proc/self/stat"), IsOkAndHolds(HasSubstr("posix_file")));
}

TEST_F(PosixFileSystemTest, AnotherProcessIsToldWhoHoldsTheLock) {
  PODFERRY_ASSERT_OK_AND_ASSIGN(auto lock, files_.Lock(folder_ + "/lock"));
  const pid_t child = fork();
  if (child == 0) {
    const absl::Status status = files_.Lock(folder_ + "/lock").status();
    const std::string holder = absl::StrCat("process ", getppid(), " on ");
    const bool right = absl::IsUnavailable(status) &&
                       std::string(status.message()).find(holder) != std::string::npos;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// A limit on the size of files is the nearest to a full disk that needs no disk of its own.
TEST_F(PosixFileSystemTest, AWriteThatDoesNotFitIsResourceExhaustedAndCanBeUndone) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {1000, 1000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(1);
    auto file = files_.OpenAppend(folder_ + "/log", 0600);
    if (!file.ok() || !(*file)->Append(std::string(900, 'a')).ok()) _exit(2);
    if (!absl::IsResourceExhausted((*file)->Append(std::string(900, 'b')))) _exit(3);
    if ((*file)->Size() != 900 || files_.Stat(folder_ + "/log")->size != 1000) _exit(4);
    if (!(*file)->Truncate(900).ok() || !(*file)->Append("after").ok()) _exit(5);
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << WEXITSTATUS(status);
  EXPECT_THAT(files_.ReadFile(folder_ + "/log"), IsOkAndHolds(std::string(900, 'a') + "after"));
}

TEST(ErrnoToFileStatusTest, TellsFullDisksFromBrokenOnes) {
  EXPECT_THAT(ErrnoToFileStatus(ENOSPC, "write", "/a"),
              StatusIs(absl::StatusCode::kResourceExhausted, "write /a: No space left on device"));
  EXPECT_THAT(ErrnoToFileStatus(EDQUOT, "write", "/a"),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(ErrnoToFileStatus(EIO, "sync", "/a"), StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace podferry
