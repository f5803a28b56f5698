#include "submitter/records.h"

#include <memory>
#include <string>
#include <vector>

#include "core/base/testing/fake_clock.h"
#include "core/base/testing/status_matchers.h"
#include "core/os/testing/fake_event_loop.h"
#include "core/store/testing/memory_store.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using Write = Records::Write;

class RecordsTest : public ::testing::Test {
 protected:
  RecordsTest() { Open(); }

  // A (re)start of the submitter.
  void Open(const std::string& boot_id = "boot-1") {
    records_.reset();
    store_ = std::make_unique<MemoryStore>(loop_, disk_);
    Records::Open(*store_, clock_, boot_id,
                  [this](absl::StatusOr<std::unique_ptr<Records>> records) {
                    ASSERT_THAT(records.status(), IsOk());
                    records_ = *std::move(records);
                  });
    loop_.RunUntilIdle();
    ASSERT_NE(records_, nullptr);
  }

  Records::Change Reserve(uint32_t round) {
    return [round](JobRecord& record) -> Write {
      record.state.reserved = round;
      return {.kind = Write::Kind::kKeep, .script = "echo"};
    };
  }
  Records::Done Log(const std::string& name) {
    return [this, name](absl::Status status) { log_.push_back(name + ": " + status.ToString()); };
  }

  const JobKey key_{"origin", "uid"};
  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  std::shared_ptr<MemoryStore::Disk> disk_ = std::make_shared<MemoryStore::Disk>();
  std::unique_ptr<MemoryStore> store_;
  std::unique_ptr<Records> records_;
  std::vector<std::string> log_;
};

TEST_F(RecordsTest, KeepsItsIdAndCountsItsStarts) {
  const SubmitterStamp first = records_->self();
  EXPECT_EQ(first.epoch, 1u);
  Open();
  EXPECT_EQ(records_->self().id, first.id);
  EXPECT_EQ(records_->self().epoch, 2u);
}

TEST_F(RecordsTest, ShowsAChangeOnlyOnceItIsDurable) {
  store_->HoldWrites();
  records_->Update(key_, Reserve(1), Log("reserve"));
  loop_.RunUntilIdle();
  EXPECT_EQ(records_->Find(key_), nullptr);
  EXPECT_THAT(log_, SizeIs(0));
  store_->ReleaseWrites();
  loop_.RunUntilIdle();
  ASSERT_NE(records_->Find(key_), nullptr);
  EXPECT_EQ(records_->Find(key_)->state.reserved, 1u);
  EXPECT_THAT(log_, ElementsAre("reserve: OK"));
}

TEST_F(RecordsTest, SurvivesARestartWithItsScript) {
  records_->Update(key_, Reserve(1), Log("reserve"));
  loop_.RunUntilIdle();
  Open();
  ASSERT_NE(records_->Find(key_), nullptr);
  EXPECT_EQ(records_->Find(key_)->state.reserved, 1u);
  absl::StatusOr<std::string> script;
  records_->ReadScript(key_, [&](absl::StatusOr<std::string> read) { script = std::move(read); });
  loop_.RunUntilIdle();
  EXPECT_THAT(script, IsOkAndHolds("echo"));
}

TEST_F(RecordsTest, RunsChangesOfOneJobOneAfterTheOther) {
  store_->HoldWrites();
  std::vector<uint32_t> seen;
  for (int i = 0; i < 3; ++i) {
    records_->Update(
        key_,
        [&](JobRecord& record) -> Write {
          seen.push_back(record.state.reserved);
          ++record.state.reserved;
          return {.kind = Write::Kind::kKeep};
        },
        Log("change"));
  }
  loop_.RunUntilIdle();
  EXPECT_THAT(seen, ElementsAre(0u));
  store_->ReleaseWrites();
  loop_.RunUntilIdle();
  EXPECT_THAT(seen, ElementsAre(0u, 1u, 2u));
  EXPECT_EQ(records_->Find(key_)->state.reserved, 3u);
}

TEST_F(RecordsTest, AnAnswerThatNeedsNoWriteWaitsForTheWriteBeforeIt) {
  store_->HoldWrites();
  records_->Update(key_, Reserve(1), Log("reserve"));
  records_->Update(
      key_, [](JobRecord&) { return Write(); }, Log("repeat"));
  loop_.RunUntilIdle();
  EXPECT_THAT(log_, SizeIs(0));
  store_->ReleaseWrites();
  loop_.RunUntilIdle();
  EXPECT_THAT(log_, ElementsAre("reserve: OK", "repeat: OK"));
}

TEST_F(RecordsTest, AFailedWriteChangesNothing) {
  store_->FailWrites(absl::ResourceExhaustedError("disk full"));
  records_->Update(key_, Reserve(1), Log("reserve"));
  loop_.RunUntilIdle();
  EXPECT_THAT(log_, ElementsAre("reserve: RESOURCE_EXHAUSTED: disk full"));
  EXPECT_EQ(records_->Find(key_), nullptr);
  EXPECT_EQ(records_->size(), 0u);
  store_->FailWrites(absl::OkStatus());
  records_->Update(key_, Reserve(1), Log("again"));
  loop_.RunUntilIdle();
  EXPECT_NE(records_->Find(key_), nullptr);
}

TEST_F(RecordsTest, AChangeMayAskForAnother) {
  records_->Update(key_, Reserve(1), [&](absl::Status) {
    records_->Update(key_, Reserve(2), Log("second"));
    records_->Update(
        key_, [](JobRecord&) { return Write(); }, Log("third"));
  });
  loop_.RunUntilIdle();
  EXPECT_THAT(log_, ElementsAre("second: OK", "third: OK"));
  EXPECT_EQ(records_->Find(key_)->state.reserved, 2u);
}

TEST_F(RecordsTest, RemovesARecordWithItsScript) {
  records_->Update(key_, Reserve(1), Log("reserve"));
  loop_.RunUntilIdle();
  records_->Update(
      key_, [](JobRecord&) -> Write { return {.kind = Write::Kind::kRemove}; }, Log("remove"));
  loop_.RunUntilIdle();
  EXPECT_EQ(records_->Find(key_), nullptr);
  EXPECT_EQ(records_->size(), 0u);
  EXPECT_THAT(*disk_, SizeIs(1));  // the submitter itself
}

TEST_F(RecordsTest, FencesPluginsThatWereReplacedAcrossRestarts) {
  EXPECT_TRUE(records_->Admit({"origin", 3}));
  EXPECT_TRUE(records_->Admit({"origin", 3}));
  EXPECT_FALSE(records_->Admit({"origin", 2}));
  EXPECT_TRUE(records_->Admit({"other", 1}));
  loop_.RunUntilIdle();
  Open();
  EXPECT_FALSE(records_->Admit({"origin", 2}));
  EXPECT_TRUE(records_->Admit({"origin", 4}));
}

TEST_F(RecordsTest, ReportsWhatCannotBeReadAndGoesOn) {
  records_->Update(key_, Reserve(1), Log("reserve"));
  loop_.RunUntilIdle();
  (*disk_)["job/origin.other"] = "{\"job\": 1}";
  Open();
  EXPECT_THAT(records_->unreadable(), SizeIs(1));
  EXPECT_NE(records_->Find(key_), nullptr);
  EXPECT_EQ((*disk_)["job/origin.other"], "{\"job\": 1}");
}

TEST_F(RecordsTest, KnowsRecordsFromBeforeTheMachineWasRestarted) {
  records_->Update(key_, Reserve(1), Log("reserve"));
  loop_.RunUntilIdle();
  Open("boot-1");
  EXPECT_FALSE(records_->IsFromEarlierBoot(*records_->Find(key_)));
  Open("boot-2");
  EXPECT_TRUE(records_->IsFromEarlierBoot(*records_->Find(key_)));
  records_->Update(key_, Reserve(2), Log("reserve"));
  loop_.RunUntilIdle();
  Open("boot-2");
  EXPECT_FALSE(records_->IsFromEarlierBoot(*records_->Find(key_)));
}

TEST_F(RecordsTest, FlushWaitsForAllThatIsUnderWay) {
  store_->HoldWrites();
  records_->Update(key_, Reserve(1), Log("reserve"));
  records_->Flush([&] { log_.push_back("flushed"); });
  loop_.RunUntilIdle();
  EXPECT_THAT(log_, SizeIs(0));
  store_->ReleaseWrites();
  loop_.RunUntilIdle();
  EXPECT_THAT(log_, ElementsAre("reserve: OK", "flushed"));
}

}  // namespace
}  // namespace podferry
