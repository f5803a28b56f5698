#include "core/store/local_store.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/base/testing/fake_clock.h"
#include "core/base/testing/status_matchers.h"
#include "core/os/testing/fake_event_loop.h"
#include "core/os/testing/fake_file_system.h"
#include "core/os/testing/inline_worker_pool.h"
#include "core/store/testing/store_contract_test.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kFolder[] = "/state/journal";

class LocalStoreHarness : public StoreHarness {
 public:
  explicit LocalStoreHarness(uint64_t segment_bytes = 64 << 20) {
    options_.journal.folder = kFolder;
    options_.journal.segment_bytes = segment_bytes;
    options_.journal.disk_full_wait = absl::ZeroDuration();
    options_.journal.disk_full_retry = absl::Milliseconds(1);
    options_.min_dead_bytes = segment_bytes;
    Reopen();
  }

  Store& store() override { return *store_; }
  LocalStore& local() { return *store_; }
  void Reopen() override {
    store_.reset();
    absl::StatusOr<std::unique_ptr<LocalStore>> store =
        LocalStore::Open(options_, files_, loop_, pool_);
    EXPECT_THAT(store, IsOk());
    if (store.ok()) store_ = *std::move(store);
  }
  bool RunUntil(absl::FunctionRef<bool()> condition) override { return loop_.RunUntil(condition); }

  absl::Status Write(std::vector<Mutation> batch) {
    std::optional<absl::Status> result;
    store_->Write(std::move(batch), [&](absl::Status status) { result = status; });
    EXPECT_TRUE(RunUntil([&] { return result.has_value(); }));
    return *result;
  }
  absl::StatusOr<std::string> Read(const std::string& key) {
    std::optional<absl::StatusOr<std::string>> result;
    store_->Read(key, [&](absl::StatusOr<std::string> value) { result = value; });
    EXPECT_TRUE(RunUntil([&] { return result.has_value(); }));
    return *result;
  }
  Store::Entries ScanAll() {
    std::optional<Store::Entries> result;
    store_->Scan("", [&](absl::StatusOr<Store::Entries> entries) { result = *entries; });
    EXPECT_TRUE(RunUntil([&] { return result.has_value(); }));
    return *result;
  }
  std::vector<std::string> FilesLike(const std::string& part) {
    std::vector<std::string> paths;
    const absl::StatusOr<std::vector<std::string>> names = files_.ListDir(kFolder);
    for (const std::string& name : *names) {
      if (absl::StrContains(name, part)) paths.push_back(absl::StrCat(kFolder, "/", name));
    }
    return paths;
  }

  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  FakeFileSystem files_;
  InlineWorkerPool pool_{loop_};
  LocalStoreOptions options_;
  std::unique_ptr<LocalStore> store_;
};

INSTANTIATE_TEST_SUITE_P(Local, StoreContractTest,
                         testing::Values([] { return std::make_unique<LocalStoreHarness>(); }));

// Small segments: compaction runs all the time.
INSTANTIATE_TEST_SUITE_P(LocalCompacting, StoreContractTest,
                         testing::Values([] { return std::make_unique<LocalStoreHarness>(8000); }));

TEST(LocalStoreTest, AcknowledgedWritesSurviveAPowerLoss) {
  LocalStoreHarness harness;
  ASSERT_THAT(harness.Write({Mutation::Put("a", "1"), Mutation::Put("b", "2")}), IsOk());
  ASSERT_THAT(harness.Write({Mutation::Delete("a")}), IsOk());
  harness.files_.SimulatePowerLoss();
  harness.Reopen();
  EXPECT_THAT(harness.Read("a"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(harness.Read("b"), IsOkAndHolds("2"));
}

TEST(LocalStoreTest, CompactionKeepsTheLogNearTheSizeOfItsContent) {
  LocalStoreHarness harness(20000);
  ASSERT_THAT(harness.Write({Mutation::Put("long-lived", "here from the start")}), IsOk());
  ASSERT_THAT(harness.Write({Mutation::Put("deleted", "gone")}), IsOk());
  ASSERT_THAT(harness.Write({Mutation::Delete("deleted")}), IsOk());
  for (int i = 0; i < 500; ++i) {
    ASSERT_THAT(
        harness.Write({Mutation::Put(absl::StrCat("job/", i % 10), std::string(1000, 'x'))}),
        IsOk());
  }
  EXPECT_GT(harness.local().stats().dropped_segments, 10u);
  EXPECT_LT(harness.local().stats().total_bytes, 80000u);
  for (int round = 0; round < 2; ++round) {
    EXPECT_THAT(harness.ScanAll(), SizeIs(11));
    EXPECT_THAT(harness.Read("long-lived"), IsOkAndHolds("here from the start"));
    harness.files_.SimulatePowerLoss();
    harness.Reopen();
  }
}

TEST(LocalStoreTest, CompactionDoesNotOvertakeWritesInFlight) {
  LocalStoreHarness harness(2000);
  for (int i = 0; i < 300; ++i) {
    // Many at a time, so that copies and writes of the same keys wait together.
    int done = 0;
    for (int key = 0; key < 5; ++key) {
      harness.store().Write(
          {Mutation::Put(absl::StrCat(key), absl::StrCat(i, std::string(100, '.')))},
          [&](absl::Status status) {
            EXPECT_THAT(status, IsOk());
            ++done;
          });
    }
    ASSERT_TRUE(harness.RunUntil([&] { return done == 5; }));
  }
  EXPECT_GT(harness.local().stats().dropped_segments, 10u);
  harness.Reopen();
  for (int key = 0; key < 5; ++key) {
    EXPECT_EQ(harness.Read(absl::StrCat(key)).value_or("").substr(0, 3), "299");
  }
}

TEST(LocalStoreTest, LargeValuesLeaveTheDiskWhenTheyAreReplacedOrDeleted) {
  LocalStoreHarness harness;
  const std::string large(100 << 10, 'L');
  ASSERT_THAT(harness.Write({Mutation::Put("a", large), Mutation::Put("b", large)}), IsOk());
  EXPECT_THAT(harness.FilesLike("body-"), SizeIs(2));
  ASSERT_THAT(harness.Write({Mutation::Put("a", "small"), Mutation::Delete("b")}), IsOk());
  harness.Reopen();  // Waits for the writer.
  EXPECT_THAT(harness.FilesLike("body-"), IsEmpty());
  EXPECT_TRUE(harness.local().health().ready);
}

TEST(LocalStoreTest, ACorruptJournalDegradesHealthAndKeepsWhatIsReadable) {
  LocalStoreHarness harness;
  ASSERT_THAT(harness.Write({Mutation::Put("a", "1")}), IsOk());
  ASSERT_THAT(harness.Write({Mutation::Put("b", "2")}), IsOk());
  harness.store_.reset();
  harness.files_.FlipBit(harness.FilesLike(".log")[0], 40, 0);
  harness.Reopen();
  EXPECT_THAT(harness.Read("b"), IsOkAndHolds("2"));
  const StoreHealth health = harness.local().health();
  EXPECT_FALSE(health.ready);
  EXPECT_THAT(health.reason, HasSubstr("damaged"));
  EXPECT_THAT(health.damage, SizeIs(1));
}

TEST(LocalStoreTest, ATornTailIsReportedButNotHeldAgainstReadiness) {
  LocalStoreHarness harness;
  ASSERT_THAT(harness.Write({Mutation::Put("a", "1")}), IsOk());
  harness.store_.reset();
  const std::string path = harness.FilesLike(".log")[0];
  harness.files_.TruncateFile(path, harness.files_.ContentOf(path).size() - 1);
  harness.Reopen();
  EXPECT_TRUE(harness.local().health().ready);
  EXPECT_THAT(harness.local().health().damage, SizeIs(1));
}

TEST(LocalStoreTest, BitRotUnderARunningStoreIsDataLossAndShows) {
  LocalStoreHarness harness;
  ASSERT_THAT(harness.Write({Mutation::Put("a", "1"), Mutation::Put("b", "2")}), IsOk());
  harness.files_.FlipBit(harness.FilesLike(".log")[0], 40, 0);
  EXPECT_THAT(harness.Read("a"), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(harness.ScanAll(), SizeIs(1));
  EXPECT_FALSE(harness.local().health().ready);
  ASSERT_THAT(harness.Write({Mutation::Put("a", "again")}), IsOk());
  EXPECT_TRUE(harness.local().health().ready);
}

TEST(LocalStoreTest, AFullDiskFailsWritesUntilThereIsSpace) {
  LocalStoreHarness harness;
  harness.files_.SetFreeSpace(10);
  EXPECT_THAT(harness.Write({Mutation::Put("a", std::string(100, 'x'))}),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_FALSE(harness.local().health().ready);
  harness.files_.SetFreeSpace(-1);
  EXPECT_THAT(harness.Write({Mutation::Put("a", "x")}), IsOk());
  EXPECT_TRUE(harness.local().health().ready);
}

TEST(LocalStoreTest, AFailedDiskIsFinal) {
  LocalStoreHarness harness;
  harness.files_.FailSyncs(absl::DataLossError("EIO"));
  EXPECT_THAT(harness.Write({Mutation::Put("a", "x")}), StatusIs(absl::StatusCode::kDataLoss));
  harness.files_.FailSyncs(absl::OkStatus());
  EXPECT_THAT(harness.Write({Mutation::Put("a", "x")}), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_FALSE(harness.local().health().ready);
}

}  // namespace
}  // namespace podferry
