#include "plugin/job_table.h"

#include <memory>
#include <string>
#include <vector>

#include "core/base/testing/fake_clock.h"
#include "core/base/testing/status_matchers.h"
#include "core/os/testing/fake_event_loop.h"
#include "core/store/testing/memory_store.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "plugin/store_keys.h"

namespace podferry {
namespace {

using Persist = Outcome::Persist;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

JobRecord Record(const std::string& uid) {
  JobRecord record;
  record.job.key = {"origin", uid};
  record.status.key = record.job.key;
  record.status.phase = JobPhase::kQueued;
  record.created_at = absl::UnixEpoch();
  return record;
}

class JobTableTest : public testing::Test {
 protected:
  JobTableTest() { Restart(); }

  void Restart() {
    table_ = nullptr;
    store_ = std::make_unique<MemoryStore>(loop_, disk_);
    table_ = std::make_unique<JobTable>(loop_, clock_, *store_);
    absl::Status status = absl::UnknownError("not called");
    table_->Load([&](absl::Status loaded) { status = loaded; });
    loop_.RunUntilIdle();
    ASSERT_THAT(status, IsOk());
  }

  void Create(const std::string& uid) {
    table_->Create(Record(uid), {Mutation::Put(BodyStoreKey(uid), "body")},
                   [this](absl::Status status) { results_.push_back(status); });
    loop_.RunUntilIdle();
  }

  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  std::shared_ptr<MemoryStore::Disk> disk_ = std::make_shared<MemoryStore::Disk>();
  std::unique_ptr<MemoryStore> store_;
  std::unique_ptr<JobTable> table_;
  std::vector<absl::Status> results_;
};

TEST_F(JobTableTest, WhatIsCreatedSurvivesARestart) {
  Create("u1");
  EXPECT_THAT(results_, ElementsAre(IsOk()));
  Restart();
  ASSERT_NE(table_->Find("u1"), nullptr);
  EXPECT_EQ(table_->Find("u1")->record, Record("u1"));
  EXPECT_FALSE(table_->Find("u1")->vouched);
  EXPECT_EQ(table_->CountOf(JobPhase::kQueued), 1u);
}

TEST_F(JobTableTest, WithAFullDiskNothingIsLeftOfACreate) {
  store_->FailWrites(absl::ResourceExhaustedError("the disk is full"));
  Create("u1");
  EXPECT_THAT(results_, ElementsAre(StatusIs(absl::StatusCode::kResourceExhausted)));
  EXPECT_EQ(table_->Find("u1"), nullptr);
  EXPECT_EQ(table_->CountOf(JobPhase::kQueued), 0u);
  EXPECT_THAT(*disk_, SizeIs(0));
}

TEST_F(JobTableTest, EventsWaitUntilWhatComesBeforeThemIsDurable) {
  Create("u1");
  store_->HoldWrites();
  std::vector<std::string> order;
  Job* job = table_->Find("u1");
  job->record.owner = "S1";
  table_->Commit(*job, Persist::kBefore, {}, [&](Job&) { order.push_back("durable"); });
  table_->Post("u1", [&](Job*) { order.push_back("first"); });
  table_->Post("u1", [&](Job*) { order.push_back("second"); });
  loop_.RunUntilIdle();
  EXPECT_THAT(order, SizeIs(0));
  store_->ReleaseWrites();
  loop_.RunUntilIdle();
  EXPECT_THAT(order, ElementsAre("durable", "first", "second"));
  Restart();
  EXPECT_EQ(table_->Find("u1")->record.owner, "S1");
}

TEST_F(JobTableTest, AWriteThatFailsIsDoneAgainUntilItSucceeds) {
  Create("u1");
  store_->FailWrites(absl::UnavailableError("not now"));
  bool durable = false;
  Job* job = table_->Find("u1");
  job->record.owner = "S1";
  table_->Commit(*job, Persist::kBefore, {}, [&](Job&) { durable = true; });
  loop_.Advance(absl::Seconds(10));
  EXPECT_FALSE(durable);
  EXPECT_TRUE(table_->Find("u1")->busy);
  store_->FailWrites(absl::OkStatus());
  loop_.Advance(absl::Seconds(2));
  EXPECT_TRUE(durable);
}

TEST_F(JobTableTest, WhatNobodyWaitsForIsWrittenInTheEnd) {
  Create("u1");
  store_->FailWrites(absl::ResourceExhaustedError("full"));
  Job* job = table_->Find("u1");
  bool ran = false;
  job->record.status.phase = JobPhase::kRunning;
  table_->Commit(*job, Persist::kLater, {}, [&](Job&) { ran = true; });
  EXPECT_TRUE(ran);
  loop_.Advance(absl::Seconds(3));
  job->record.status.phase = JobPhase::kSucceeded;
  table_->Commit(*job, Persist::kLater);
  store_->FailWrites(absl::OkStatus());
  loop_.Advance(absl::Seconds(3));
  EXPECT_EQ(table_->CountOf(JobPhase::kSucceeded), 1u);
  Restart();
  EXPECT_EQ(table_->Find("u1")->record.status.phase, JobPhase::kSucceeded);
}

TEST_F(JobTableTest, AnErasedJobIsGoneAndItsEventsAreTold) {
  Create("u1");
  store_->HoldWrites();
  table_->Commit(*table_->Find("u1"), Persist::kBefore);
  bool told = false;
  table_->Post("u1", [&](Job* job) { told = job == nullptr; });
  table_->Erase("u1");
  EXPECT_TRUE(told);
  store_->ReleaseWrites();
  loop_.RunUntilIdle();
  EXPECT_THAT(*disk_, SizeIs(0));
}

TEST_F(JobTableTest, DamagedRecordsAreReportedAndTheOthersAreKept) {
  Create("good");
  (*disk_)[JobStoreKey("torn")] = R"({"version":1,"uid":"to)";
  (*disk_)[JobStoreKey("other")] = disk_->at(JobStoreKey("good"));
  Restart();
  EXPECT_EQ(table_->size(), 1u);
  EXPECT_NE(table_->Find("good"), nullptr);
  EXPECT_THAT(table_->damage(), ElementsAre(HasSubstr("job/other"), HasSubstr("job/torn")));
  EXPECT_EQ(disk_->count(JobStoreKey("torn")), 1u) << "it is left for who can read it";
}

}  // namespace
}  // namespace podferry
