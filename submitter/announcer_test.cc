#include "submitter/announcer.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "submitter/test_site.h"

namespace podferry {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

TEST(AnnouncerTest, AnnouncesItselfAtLaunchAndRegularly) {
  TestSite site;
  ASSERT_THAT(site.reports, Not(IsEmpty()));
  const ResourceReport& report = site.reports.back();
  EXPECT_EQ(report.pool, "pool-a");
  EXPECT_EQ(report.backend, "fake");
  EXPECT_THAT(report.capacity,
              UnorderedElementsAre(Pair("cpu", "4"), Pair("memory", "8Gi"), Pair("pods", "110")));
  ASSERT_THAT(site.configs, Not(IsEmpty()));
  site.reports.clear();
  site.configs.clear();
  site.loop().Advance(absl::Seconds(61));
  EXPECT_THAT(site.reports, SizeIs(6));
  EXPECT_THAT(site.configs, SizeIs(1));
  for (size_t i = 1; i < site.reports.size(); ++i) {
    EXPECT_GT(site.reports[i].number, site.reports[i - 1].number);
  }
}

TEST(AnnouncerTest, AnnouncesItselfAfterEachReconnectionAndWhenAPluginIsNew) {
  TestSite site;
  site.hub().StopServer();
  site.loop().Advance(absl::Seconds(5));
  site.reports.clear();
  site.configs.clear();
  site.hub().StartServer();
  site.loop().Advance(absl::Milliseconds(100));
  EXPECT_THAT(site.reports, Not(IsEmpty()));
  EXPECT_THAT(site.configs, Not(IsEmpty()));
  site.reports.clear();
  site.configs.clear();
  site.Ask<SyncReply>(site.subjects().Sync(site.kPool), SyncRequest{.from = site.plugin});
  EXPECT_THAT(site.reports, SizeIs(1));
  EXPECT_THAT(site.configs, SizeIs(1));
}

TEST(AnnouncerTest, TellsWhatItsJobsUse) {
  TestSite site;
  site.RunJob("a");
  site.RunJob("b");
  site.loop().Advance(absl::Seconds(1));
  EXPECT_THAT(site.reports.back().used,
              UnorderedElementsAre(Pair("cpu", "1"), Pair("memory", "128Mi"), Pair("pods", "2")));
  EXPECT_EQ(site.reports.back().jobs, 2u);
  site.backend().End(site.Key("a"), 0);
  site.loop().Advance(absl::Seconds(1));
  EXPECT_THAT(site.reports.back().used, testing::Contains(Pair("pods", "1")));
}

TEST(AnnouncerTest, ANewBuildConfigIsAnnouncedAtOnceAndWithoutItsSecrets) {
  TestSite site;
  BuildConfig config;
  config.shub_proxy.master_token = "hush";
  config.resources = {{"cpu", "64"}, {"gpus", "2"}};
  config.node.labels = {"zone=a"};
  site.daemon().SetConfig(config);
  site.loop().RunUntilIdle();
  EXPECT_THAT(site.reports.back().capacity, testing::Contains(Pair("cpu", "64")));
  EXPECT_THAT(site.reports.back().capacity, testing::Contains(Pair("nvidia.com/gpu", "2")));
  EXPECT_THAT(site.reports.back().labels, ElementsAre("zone=a"));
  EXPECT_THAT(site.configs.back().build_config, HasSubstr("64"));
  EXPECT_THAT(site.configs.back().build_config, Not(HasSubstr("hush")));
}

TEST(AnnouncerTest, ResourcesOfTheFileWinOverFlagsAndFlagsOverTheBackend) {
  BuildConfig config;
  config.resources = {{"cpu", "1"}};
  EXPECT_THAT(PoolCapacity(config, {{"cpu", "2"}, {"memory", "2Gi"}, {"gpus", "1"}},
                           {{"cpu", "3"}, {"memory", "3Gi"}, {"pods", "3"}}),
              UnorderedElementsAre(Pair("cpu", "1"), Pair("memory", "2Gi"), Pair("pods", "3"),
                                   Pair("nvidia.com/gpu", "1")));
}

}  // namespace
}  // namespace podferry
