#include "core/os/testing/fake_file_system.h"

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

class FakeFileSystemTest : public testing::Test {
 protected:
  std::unique_ptr<AppendFile> Create(const std::string& path) {
    return *files_.OpenAppend(path, 0600);
  }

  FakeFileSystem files_;
};

TEST_F(FakeFileSystemTest, APowerLossTakesWhatWasNotSynced) {
  auto file = Create("/log");
  ASSERT_THAT(file->Append("safe"), IsOk());
  ASSERT_THAT(file->Sync(), IsOk());
  ASSERT_THAT(files_.SyncDir("/"), IsOk());
  ASSERT_THAT(file->Append("lost"), IsOk());
  ASSERT_THAT(Create("/nameless")->Sync(), IsOk());
  files_.SimulatePowerLoss();
  EXPECT_THAT(files_.ReadFile("/log"), IsOkAndHolds("safe"));
  EXPECT_THAT(files_.ReadFile("/nameless"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(file->Append("x"), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(FakeFileSystemTest, NothingWorksWithoutPower) {
  files_.CutPower();
  EXPECT_THAT(files_.OpenAppend("/log", 0600), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(files_.SyncDir("/"), StatusIs(absl::StatusCode::kDataLoss));
  files_.Reboot();
  EXPECT_THAT(files_.OpenAppend("/log", 0600), IsOk());
}

TEST_F(FakeFileSystemTest, APowerLossMayTearAWrite) {
  auto file = Create("/log");
  ASSERT_THAT(files_.SyncDir("/"), IsOk());
  ASSERT_THAT(file->Append("abcdef"), IsOk());
  files_.SimulatePowerLoss([](uint64_t bytes) { return bytes / 2; });
  EXPECT_EQ(files_.ContentOf("/log"), "abc");
}

TEST_F(FakeFileSystemTest, AnUnsyncedTruncationIsUndone) {
  auto file = Create("/log");
  ASSERT_THAT(file->Append("abcdef"), IsOk());
  ASSERT_THAT(file->Sync(), IsOk());
  ASSERT_THAT(files_.SyncDir("/"), IsOk());
  ASSERT_THAT(file->Truncate(2), IsOk());
  ASSERT_THAT(file->Append("X"), IsOk());
  files_.SimulatePowerLoss();
  EXPECT_EQ(files_.ContentOf("/log"), "abcdef");
}

TEST_F(FakeFileSystemTest, AFullDiskTakesPartOfAWriteAndSpaceComesBack) {
  files_.SetFreeSpace(4);
  auto file = Create("/log");
  EXPECT_THAT(file->Append("abcdef"), StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(file->Size(), 4u);
  ASSERT_THAT(file->Truncate(0), IsOk());
  EXPECT_THAT(file->Append("abcd"), IsOk());
}

TEST_F(FakeFileSystemTest, FailsAndDamagesAsTold) {
  auto file = Create("/log");
  ASSERT_THAT(file->Append("abc"), IsOk());
  files_.FailSyncs(absl::DataLossError("EIO"));
  EXPECT_THAT(file->Sync(), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(files_.SyncDir("/"), StatusIs(absl::StatusCode::kDataLoss));
  files_.FlipBit("/log", 1, 0);
  EXPECT_EQ(files_.ContentOf("/log"), "acc");
  files_.ZeroRange("/log", 0, 2);
  EXPECT_EQ(files_.ContentOf("/log"), std::string("\0\0c", 3));
  files_.TruncateFile("/log", 1);
  EXPECT_EQ(files_.ContentOf("/log").size(), 1u);
  files_.FailReads("/log", 0, 1);
  EXPECT_THAT(files_.ReadAt("/log", 0, 1), StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace podferry
