#include "plugin/janitor.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "plugin/store_keys.h"
#include "plugin/testing/plugin_under_test.h"

namespace podferry {
namespace {

class JanitorTest : public testing::Test {
 protected:
  JanitorTest() { Restart(); }

  void Restart() {
    janitor_ = nullptr;
    plugin_ = nullptr;
    plugin_ =
        std::make_unique<PluginUnderTest>(loop_, clock_, hub_.Connect("plugin"), disk_, ++epoch_);
    plugin_->Start();
    janitor_ = std::make_unique<Janitor>(
        loop_, clock_, plugin_->table, plugin_->dispatcher,
        [this] { return plugin_->feed.round_trip_works(); }, JanitorOptions{});
    janitor_->Start();
  }

  void Create(const std::string& uid, JobSource source = JobSource::kInterLink) {
    plugin_->Create(uid, "pool", source);
    loop_.RunUntilIdle();
    janitor_->OnWanted(*plugin_->table.Find(uid));
  }

  // interLink polls this pod for so long.
  void Poll(const std::string& uid, absl::Duration duration) {
    for (absl::Duration d; d < duration; d += absl::Seconds(5)) {
      if (Job* job = plugin_->table.Find(uid)) janitor_->OnPoll(*job);
      loop_.Advance(absl::Seconds(5));
    }
  }

  bool Deleted(const std::string& uid) { return plugin_->Record(uid)->tombstone.has_value(); }

  void End(const std::string& uid) {
    Job& job = *plugin_->table.Find(uid);
    job.record.status.phase = JobPhase::kSucceeded;
    job.record.status.changed_at = clock_.Now();
    plugin_->table.Commit(job, Outcome::Persist::kLater);
  }

  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  InMemoryHub hub_{loop_};
  std::shared_ptr<MemoryStore::Disk> disk_ = std::make_shared<MemoryStore::Disk>();
  uint64_t epoch_ = 0;
  std::unique_ptr<PluginUnderTest> plugin_;
  std::unique_ptr<Janitor> janitor_;
};

TEST_F(JanitorTest, AJobWhosePodIsGoneIsDeleted) {
  Create("wanted");
  Create("orphan");
  Create("cli", JobSource::kCli);
  Poll("wanted", absl::Minutes(9));
  EXPECT_FALSE(Deleted("orphan"));
  Poll("wanted", absl::Minutes(3));
  EXPECT_TRUE(Deleted("orphan"));
  EXPECT_FALSE(Deleted("wanted"));
  EXPECT_FALSE(Deleted("cli"));
}

TEST_F(JanitorTest, WithoutPollsNothingIsSaidAboutPods) {
  Create("a");
  Create("b");
  loop_.Advance(absl::Hours(10));  // interLink is down
  EXPECT_FALSE(Deleted("a"));
  Poll("b", absl::Minutes(2));
  EXPECT_FALSE(Deleted("a"));
}

TEST_F(JanitorTest, WhatIsOverIsNotPolledAnyMoreAndStaysForAWeek) {
  Create("over");
  Create("wanted");
  End("over");
  Poll("wanted", absl::Hours(1));
  EXPECT_FALSE(Deleted("over"));
  loop_.Advance(absl::Hours(7 * 24));
  EXPECT_TRUE(Deleted("over"));
  loop_.Advance(absl::Hours(25));
  EXPECT_EQ(plugin_->Record("over"), nullptr);
  EXPECT_EQ(disk_->count(JobStoreKey("over")), 0u);
  EXPECT_NE(plugin_->Record("wanted"), nullptr);
}

TEST_F(JanitorTest, AfterARestartNothingIsBegunUntilItsPodIsAskedFor) {
  Create("a");
  Create("cli", JobSource::kCli);
  Restart();
  EXPECT_FALSE(plugin_->table.Find("a")->vouched);
  EXPECT_TRUE(plugin_->table.Find("cli")->vouched);
  janitor_->OnPoll(*plugin_->table.Find("a"));
  EXPECT_TRUE(plugin_->table.Find("a")->vouched);
}

TEST_F(JanitorTest, APodThatNobodyKnowsIsLostAfterTheGrace) {
  EXPECT_FALSE(janitor_->OnUnknownPoll("u"));
  for (int i = 0; i < 14 * 12; ++i) {
    loop_.Advance(absl::Seconds(5));
    EXPECT_FALSE(janitor_->OnUnknownPoll("u"));
  }
  loop_.Advance(absl::Minutes(2));
  EXPECT_TRUE(janitor_->OnUnknownPoll("u"));
  EXPECT_FALSE(janitor_->OnUnknownPoll("another"));
}

TEST_F(JanitorTest, WhileWeAreCutOffNobodyIsLost) {
  EXPECT_FALSE(janitor_->OnUnknownPoll("u"));
  hub_.StopServer();
  for (int i = 0; i < 60; ++i) {
    loop_.Advance(absl::Minutes(1));
    EXPECT_FALSE(janitor_->OnUnknownPoll("u"));
  }
}

}  // namespace
}  // namespace podferry
