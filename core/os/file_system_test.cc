// What the real files and the fake have in common, so that tests on the fake mean something.

#include "core/os/file_system.h"

#include <cstdlib>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "core/base/testing/status_matchers.h"
#include "core/os/posix_file_system.h"
#include "core/os/testing/fake_file_system.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FileSystemTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) {
      std::string folder = testing::TempDir() + "/fs-XXXXXX";
      ASSERT_NE(mkdtemp(folder.data()), nullptr);
      folder_ = folder;
      files_ = std::make_unique<PosixFileSystem>();
    } else {
      folder_ = "/fs";
      files_ = std::make_unique<FakeFileSystem>();
      ASSERT_THAT(files_->MakeDirs(folder_, 0700), IsOk());
    }
  }
  void TearDown() override { EXPECT_THAT(files_->RemoveAll(folder_), IsOk()); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_;
  std::unique_ptr<FileSystem> files_;
};

TEST_P(FileSystemTest, WritesAndReplacesFilesWithTheModeAskedFor) {
  const std::string path = Path("config");
  ASSERT_THAT(files_->WriteFileAtomic(path, "one", 0640), IsOk());
  ASSERT_THAT(files_->WriteFileAtomic(path, std::string("t\0wo", 4), 0600), IsOk());
  EXPECT_THAT(files_->ReadFile(path), IsOkAndHolds(std::string("t\0wo", 4)));
  PODFERRY_ASSERT_OK_AND_ASSIGN(FileInfo info, files_->Stat(path));
  EXPECT_EQ(info.type, FileInfo::Type::kFile);
  EXPECT_EQ(info.size, 4u);
  EXPECT_EQ(info.mode, 0600u);
  EXPECT_THAT(files_->ListDir(folder_), IsOkAndHolds(ElementsAre("config")));
}

TEST_P(FileSystemTest, AppendsInPiecesAndTruncates) {
  const std::string path = Path("log");
  {
    PODFERRY_ASSERT_OK_AND_ASSIGN(auto file, files_->OpenAppend(path, 0600));
    ASSERT_THAT(file->Append({"abc", "", "def"}), IsOk());
    ASSERT_THAT(file->Sync(), IsOk());
    EXPECT_EQ(file->Size(), 6u);
    ASSERT_THAT(file->Truncate(4), IsOk());
  }
  PODFERRY_ASSERT_OK_AND_ASSIGN(auto file, files_->OpenAppend(path, 0600));
  EXPECT_EQ(file->Size(), 4u);
  ASSERT_THAT(file->Append("XYZ"), IsOk());
  EXPECT_THAT(files_->ReadFile(path), IsOkAndHolds("abcdXYZ"));
}

TEST_P(FileSystemTest, AppendsThousandsOfPiecesAtOnce) {
  std::vector<absl::string_view> pieces(5000, "0123456789");
  PODFERRY_ASSERT_OK_AND_ASSIGN(auto file, files_->OpenAppend(Path("log"), 0600));
  ASSERT_THAT(file->Append(pieces), IsOk());
  EXPECT_EQ(file->Size(), 50000u);
  EXPECT_THAT(files_->ReadAt(Path("log"), 49995, 100), IsOkAndHolds("56789"));
}

TEST_P(FileSystemTest, ReadsAnywhereAlsoAfterRemoval) {
  ASSERT_THAT(files_->WriteFileAtomic(Path("a"), "0123456789", 0600), IsOk());
  EXPECT_THAT(files_->ReadAt(Path("a"), 3, 4), IsOkAndHolds("3456"));
  EXPECT_THAT(files_->ReadAt(Path("a"), 8, 4), IsOkAndHolds("89"));
  EXPECT_THAT(files_->ReadAt(Path("a"), 20, 4), IsOkAndHolds(""));
  PODFERRY_ASSERT_OK_AND_ASSIGN(auto file, files_->OpenRead(Path("a")));
  ASSERT_THAT(files_->Remove(Path("a")), IsOk());
  char buffer[2];
  EXPECT_THAT(file->Read(1, 2, buffer), IsOkAndHolds(2u));
  EXPECT_EQ(buffer[0], '1');
}

TEST_P(FileSystemTest, MakesFoldersRenamesAndRemovesTrees) {
  ASSERT_THAT(files_->MakeDirs(Path("a/b/c"), 0700), IsOk());
  ASSERT_THAT(files_->MakeDirs(Path("a/b/c"), 0755), IsOk());
  PODFERRY_ASSERT_OK_AND_ASSIGN(FileInfo info, files_->Stat(Path("a/b")));
  EXPECT_EQ(info.type, FileInfo::Type::kFolder);
  EXPECT_EQ(info.mode, 0700u);
  ASSERT_THAT(files_->WriteFileAtomic(Path("a/b/c/file"), "x", 0600), IsOk());
  EXPECT_THAT(files_->Remove(Path("a/b")), StatusIs(absl::StatusCode::kAlreadyExists));
  ASSERT_THAT(files_->Rename(Path("a/b"), Path("moved")), IsOk());
  EXPECT_THAT(files_->ReadFile(Path("moved/c/file")), IsOkAndHolds("x"));
  EXPECT_THAT(files_->SyncDir(folder_), IsOk());
  ASSERT_THAT(files_->RemoveAll(Path("moved")), IsOk());
  EXPECT_THAT(files_->RemoveAll(Path("moved")), IsOk());
  EXPECT_THAT(files_->ListDir(folder_), IsOkAndHolds(ElementsAre("a")));
}

TEST_P(FileSystemTest, SaysWhatIsWrongAndWhere) {
  const std::string missing = Path("missing");
  constexpr auto kNotFound = absl::StatusCode::kNotFound;
  EXPECT_THAT(files_->ReadFile(missing), StatusIs(kNotFound, HasSubstr(missing)));
  EXPECT_THAT(files_->OpenRead(missing), StatusIs(kNotFound, HasSubstr(missing)));
  EXPECT_THAT(files_->Stat(missing), StatusIs(kNotFound, HasSubstr(missing)));
  EXPECT_THAT(files_->ListDir(missing), StatusIs(kNotFound, HasSubstr(missing)));
  EXPECT_THAT(files_->Remove(missing), StatusIs(kNotFound, HasSubstr(missing)));
  EXPECT_THAT(files_->OpenAppend(missing + "/x", 0600), StatusIs(kNotFound));
  EXPECT_THAT(files_->WriteFileAtomic(missing + "/x", "", 0600), StatusIs(kNotFound));
  constexpr auto kPrecondition = absl::StatusCode::kFailedPrecondition;
  EXPECT_THAT(files_->ReadFile(folder_), StatusIs(kPrecondition, HasSubstr(folder_)));
  ASSERT_THAT(files_->WriteFileAtomic(Path("file"), "", 0600), IsOk());
  EXPECT_THAT(files_->ListDir(Path("file")), StatusIs(kPrecondition));
  EXPECT_THAT(files_->MakeDirs(Path("file/x"), 0700), StatusIs(kPrecondition));
}

TEST_P(FileSystemTest, ALockIsHeldUntilItIsGivenUp) {
  PODFERRY_ASSERT_OK_AND_ASSIGN(std::unique_ptr<FileLock> lock, files_->Lock(Path("lock")));
  EXPECT_THAT(files_->Lock(Path("lock")),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("held by")));
  lock.reset();
  EXPECT_THAT(files_->Lock(Path("lock")), IsOk());
}

INSTANTIATE_TEST_SUITE_P(All, FileSystemTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "Posix" : "Fake"; });

}  // namespace
}  // namespace podferry
