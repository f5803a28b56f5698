#include "plugin/pool_directory.h"

#include <string>

#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr absl::Duration kGrace = absl::Minutes(15);
const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

ResourceReport Report(const std::string& id, uint64_t epoch = 1, uint64_t number = 1,
                      uint64_t last_event = 0) {
  ResourceReport report;
  report.by = {id, epoch};
  report.backend = "host";
  report.backend_id = "backend";
  report.number = number;
  report.time = kNow + absl::Seconds(number);
  report.capacity = {{"cpu", "4"}, {"memory", "8Gi"}};
  report.last_event_number = last_event;
  return report;
}

ConfigAnnouncement Config(const std::string& id, const std::string& toml, uint64_t number = 1) {
  ConfigAnnouncement config;
  config.by = {id, 1};
  config.number = number;
  config.build_config = toml;
  config.time = kNow + absl::Seconds(number);
  return config;
}

// Seconds of silence in ticks as the feed makes them.
void Silence(PoolDirectory& directory, absl::Duration duration) {
  for (absl::Duration d; d < duration; d += absl::Seconds(5)) directory.OnTick(absl::Seconds(5));
}

void Live(PoolDirectory& directory, const std::string& pool, const std::string& id,
          uint64_t number = 1) {
  directory.OnReport(pool, Report(id, 1, number), kNow);
  directory.OnConfig(pool, Config(id, ""), kNow);
}

TEST(PoolDirectoryTest, FetchesASnapshotOfWhatItDoesNotKnow) {
  PoolDirectory directory(kGrace);
  EXPECT_TRUE(directory.OnReport("a", Report("S1"), kNow).sync) << "a new submitter";
  EXPECT_TRUE(directory.OnReport("a", Report("S1", 1, 2), kNow).sync) << "not got yet";
  directory.OnSynced("a", {"S1", 1}, 0);
  EXPECT_FALSE(directory.OnReport("a", Report("S1", 1, 3), kNow).sync);
  EXPECT_TRUE(directory.OnReport("a", Report("S1", 1, 4, 7), kNow).sync) << "a gap";
  EXPECT_FALSE(directory.OnReport("a", Report("S1", 1, 2, 9), kNow).sync) << "an old report";
  directory.OnSynced("a", {"S1", 1}, 7);
  EXPECT_FALSE(directory.OnEvents("a", {"S1", 1}, 8, 9, kNow).sync);
  EXPECT_FALSE(directory.OnEvents("a", {"S1", 1}, 5, 9, kNow).sync) << "a repetition";
  EXPECT_TRUE(directory.OnEvents("a", {"S1", 1}, 11, 12, kNow).sync) << "a gap";
  EXPECT_TRUE(directory.OnEvents("a", {"S1", 2}, 1, 1, kNow).sync) << "a new epoch";
  EXPECT_FALSE(directory.OnEvents("a", {"S1", 1}, 90, 90, kNow).sync) << "an old epoch";
  directory.OnSynced("a", {"S1", 2}, 1);
  directory.OnReconnected();
  EXPECT_TRUE(directory.OnReport("a", Report("S1", 2, 1, 1), kNow).sync);
}

TEST(PoolDirectoryTest, SaysWhyAJobWaits) {
  PoolDirectory directory(kGrace);
  EXPECT_EQ(directory.Waiting("a").reason, "PoolUnknown");
  directory.OnReport("a", Report("S1"), kNow);
  EXPECT_EQ(directory.Waiting("a").reason, "PoolConfigMissing");
  directory.OnConfig("a", Config("S1", "not = [toml"), kNow);
  EXPECT_EQ(directory.Waiting("a").reason, "PoolConfigMissing");
  EXPECT_THAT(directory.Waiting("a").message, HasSubstr("cannot be read"));
  directory.OnConfig("a", Config("S1", "", 2), kNow);
  EXPECT_THAT(directory.Waiting("a").reason, IsEmpty());
  Silence(directory, absl::Seconds(40));
  EXPECT_EQ(directory.Waiting("a").reason, "PoolSilent");
  EXPECT_TRUE(directory.OnReport("a", Report("S1", 1, 3), kNow).revived);
  EXPECT_THAT(directory.Waiting("a").reason, IsEmpty());
  ResourceReport farewell = Report("S1", 1, 4);
  farewell.farewell = Farewell::kDrain;
  directory.OnReport("a", farewell, kNow);
  EXPECT_EQ(directory.Waiting("a").reason, "PoolLeft");
}

TEST(PoolDirectoryTest, TheVersionGrowsWithEveryReason) {
  PoolDirectory directory(kGrace);
  uint64_t version = directory.version();
  directory.OnReport("a", Report("S1"), kNow);
  EXPECT_GT(directory.version(), version);
  version = directory.version();
  directory.OnConfig("a", Config("S1", ""), kNow);
  EXPECT_GT(directory.version(), version);
  const uint64_t before = directory.version();
  directory.OnReport("a", Report("S1", 1, 2), kNow);
  EXPECT_EQ(directory.version(), before) << "nothing new";
  Silence(directory, absl::Seconds(40));
  EXPECT_GT(directory.version(), before);
}

TEST(PoolDirectoryTest, AConfigThatCannotBeReadLeavesTheLastOneInForce) {
  PoolDirectory directory(kGrace);
  Live(directory, "a", "S1");
  const auto config = directory.Find("a")->config;
  directory.OnConfig("a", Config("S1", "not = [toml", 2), kNow);
  EXPECT_EQ(directory.Find("a")->config, config);
  EXPECT_THAT(directory.Waiting("a").reason, IsEmpty());
}

TEST(PoolDirectoryTest, APoolIsLostAfterTheGraceAndNeverWithoutOne) {
  for (absl::Duration grace : {kGrace, absl::ZeroDuration()}) {
    PoolDirectory directory(grace);
    Live(directory, "a", "S1");
    Silence(directory, absl::Minutes(14));
    EXPECT_FALSE(directory.Lost("a", "S1"));
    Silence(directory, absl::Minutes(2));
    EXPECT_EQ(directory.Lost("a", "S1"), grace == kGrace);
    Live(directory, "a", "S1", 2);
    EXPECT_FALSE(directory.Lost("a", "S1"));
  }
}

TEST(PoolDirectoryTest, HoldsWhenSeveralPoolsFallSilentAtOnceAndNoneIsLeft) {
  PoolDirectory directory(kGrace);
  Live(directory, "a", "S1");
  Silence(directory, absl::Seconds(5));
  Live(directory, "b", "S2");
  Silence(directory, absl::Hours(5));
  EXPECT_TRUE(directory.Holding());
  EXPECT_FALSE(directory.Lost("a", "S1"));
  EXPECT_FALSE(directory.Lost("b", "S2"));
  // One comes back: the other has its whole grace before it.
  Live(directory, "b", "S2", 2);
  EXPECT_FALSE(directory.Holding());
  EXPECT_FALSE(directory.Lost("a", "S1"));
  for (int i = 0; i < 16; ++i) {
    Silence(directory, absl::Minutes(1));
    Live(directory, "b", "S2", static_cast<uint64_t>(3 + i));
  }
  EXPECT_TRUE(directory.Lost("a", "S1"));
}

TEST(PoolDirectoryTest, DoesNotHoldForOnePoolAloneOrOneThatWasSilentBefore) {
  PoolDirectory directory(kGrace);
  Live(directory, "a", "S1");
  Live(directory, "b", "S2");
  for (int i = 0; i < 10; ++i) {
    Silence(directory, absl::Minutes(1));
    Live(directory, "b", "S2", static_cast<uint64_t>(2 + i));
  }
  // Only now b falls silent, alone.
  Silence(directory, absl::Minutes(6));
  EXPECT_FALSE(directory.Holding());
  EXPECT_TRUE(directory.Lost("a", "S1"));
  EXPECT_FALSE(directory.Lost("b", "S2"));
  Silence(directory, absl::Minutes(10));
  EXPECT_TRUE(directory.Lost("b", "S2"));
}

TEST(PoolDirectoryTest, APoolThatTookItsLeaveIsNoReasonToHold) {
  PoolDirectory directory(kGrace);
  Live(directory, "a", "S1");
  Live(directory, "b", "S2");
  ResourceReport farewell = Report("S2", 1, 2);
  farewell.farewell = Farewell::kDrain;
  directory.OnReport("b", farewell, kNow);
  Silence(directory, absl::Minutes(16));
  EXPECT_FALSE(directory.Holding());
  EXPECT_TRUE(directory.Lost("a", "S1"));
}

TEST(PoolDirectoryTest, AddsUpWhatTheLivePoolsOffer) {
  PoolDirectory directory(kGrace);
  EXPECT_THAT(directory.TotalCapacity(), IsEmpty());
  Live(directory, "a", "S1");
  Live(directory, "a", "S2");  // of the same pool: its total, not one more
  ResourceReport big = Report("S3");
  big.capacity = {{"cpu", "500m"}, {"nvidia.com/gpu", "2"}};
  directory.OnReport("b", big, kNow);
  EXPECT_THAT(directory.TotalCapacity(), ElementsAre(Pair("cpu", "4500m"), Pair("memory", "8Gi"),
                                                     Pair("nvidia.com/gpu", "2")));
}

TEST(PoolDirectoryTest, SeesThatSubmittersDisagree) {
  PoolDirectory directory(kGrace);
  Live(directory, "a", "S1");
  ResourceReport other = Report("S2", 1, 2);
  directory.OnReport("a", other, kNow);
  EXPECT_FALSE(directory.Find("a")->disagreement());
  other.number = 3;
  other.capacity["cpu"] = "5";
  directory.OnReport("a", other, kNow);
  EXPECT_TRUE(directory.Find("a")->disagreement());
}

TEST(PoolDirectoryTest, ShowsTheOriginalsSubmittersAsLegacy) {
  PoolDirectory directory(kGrace);
  directory.OnForeignReport("old", R"({"quotas": {"cpu": "4"}, "labels": ["k=v"]})",
                            absl::InvalidArgumentError("no envelope"));
  EXPECT_TRUE(directory.Find("old")->legacy);
  EXPECT_EQ(directory.Find("old")->legacy_quotas, R"({"cpu":"4"})");
  EXPECT_EQ(directory.Waiting("old").reason, "PoolLegacy");
  EXPECT_THAT(directory.TotalCapacity(), IsEmpty());
  Live(directory, "old", "S1");  // it has moved over
  EXPECT_FALSE(directory.Find("old")->legacy);
}

TEST(PoolDirectoryTest, SaysThatAPoolSpeaksAnotherVersion) {
  PoolDirectory directory(kGrace);
  directory.OnForeignReport("new", "\x08\x63",
                            absl::FailedPreconditionError("speaks 99, this build speaks 1 to 1"));
  EXPECT_EQ(directory.Waiting("new").reason, "PoolIncompatible");
  EXPECT_THAT(directory.Waiting("new").message, HasSubstr("99"));
}

TEST(PoolDirectoryTest, IsRestoredWithItsConfigAndItsSilence) {
  PoolDirectory directory(kGrace);
  Live(directory, "a", "S1");
  Silence(directory, absl::Minutes(10));
  const std::string text = ToJson(*directory.Find("a"));
  PoolDirectory restored(kGrace);
  ASSERT_THAT(restored.Restore("a", text), IsOk());
  EXPECT_NE(restored.Find("a")->config, nullptr);
  EXPECT_EQ(restored.FindSubmitter("a", "S1")->backend_id, "backend");
  Silence(restored, absl::Minutes(4));
  EXPECT_FALSE(restored.Lost("a", "S1"));
  Silence(restored, absl::Minutes(2));
  EXPECT_TRUE(restored.Lost("a", "S1"));
  EXPECT_THAT(restored.Restore("b", "{"), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(restored.Restore("b", R"({"submitters":[{"epoch":1}]})"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("submitters[0].id")));
}

TEST(PoolDirectoryTest, NamesThoseThatHaveBeenSilentForLong) {
  PoolDirectory directory(kGrace);
  Live(directory, "a", "S1");
  Silence(directory, absl::Hours(2));
  Live(directory, "a", "S2");
  EXPECT_THAT(directory.SilentSince(absl::Hours(1)), ElementsAre(Pair("a", "S1")));
  directory.Remove("a", "S1");
  EXPECT_EQ(directory.FindSubmitter("a", "S1"), nullptr);
  EXPECT_NE(directory.FindSubmitter("a", "S2"), nullptr);
}

TEST(PoolDirectoryTest, AGrowingSilenceIsWrittenNowAndThen) {
  PoolDirectory directory(kGrace);
  Live(directory, "a", "S1");
  int writes = 0;
  for (int i = 0; i < 120; ++i) {
    writes += static_cast<int>(directory.OnTick(absl::Seconds(5)).size());
  }
  EXPECT_EQ(writes, 10);
}

}  // namespace
}  // namespace podferry
