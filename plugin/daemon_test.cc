#include "plugin/daemon.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "plugin/store_keys.h"
#include "plugin/testing/daemon_under_test.h"

namespace podferry {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr char kUid[] = "6ba7b810-9dad-41d1-80b4-00c04fd430c8";

TEST(DaemonTest, KeepsItsOriginAndTakesAHigherEpochEachTime) {
  DaemonUnderTest plugin;
  const std::string origin = plugin.daemon->origin();
  const uint64_t epoch = plugin.daemon->epoch();
  ASSERT_THAT(plugin.Restart(), IsOk());
  EXPECT_EQ(plugin.daemon->origin(), origin);
  EXPECT_GT(plugin.daemon->epoch(), epoch);
}

TEST(DaemonTest, AnOriginThatIsGivenMustBeTheStores) {
  DaemonUnderTest plugin;
  DaemonOptions options = DaemonUnderTest::DefaultOptions();
  options.origin = "another";
  EXPECT_THAT(plugin.Restart(options), StatusIs(absl::StatusCode::kFailedPrecondition));
  plugin.disk = std::make_shared<MemoryStore::Disk>();
  ASSERT_THAT(plugin.Restart(options), IsOk());
  EXPECT_EQ(plugin.daemon->origin(), "another");
}

TEST(DaemonTest, WithALostStoreAndItsOriginItFindsItsJobsAgain) {
  DaemonUnderTest plugin;
  plugin.StartSubmitter();
  plugin.Ask("POST", "/create", CreateBody(kUid));
  DaemonOptions options = DaemonUnderTest::DefaultOptions();
  options.origin = plugin.daemon->origin();
  plugin.disk = std::make_shared<MemoryStore::Disk>();
  ASSERT_THAT(plugin.Restart(options), IsOk());
  plugin.loop.Advance(absl::Seconds(15));
  EXPECT_THAT(plugin.Get("/status", StatusBody(kUid)), HasSubstr(R"("name":"main")"));
  EXPECT_EQ(plugin.Ask("POST", "/delete", StatusBody(kUid))->status(), 200);
  plugin.loop.Advance(absl::Seconds(1));
  EXPECT_TRUE(plugin.submitter_disk.jobs[kUid].tombstone);
}

TEST(DaemonTest, IsHealthyWithoutNatsButNotWithoutItsStore) {
  DaemonUnderTest plugin;
  EXPECT_THAT(plugin.Get("/healthz"),
              AllOf(HasSubstr(R"("ready":true)"), HasSubstr(R"("nats":"connected")")));
  plugin.hub.StopServer();
  plugin.loop.RunUntilIdle();
  EXPECT_THAT(plugin.Get("/healthz"),
              AllOf(HasSubstr(R"("ready":true)"), HasSubstr(R"("nats":"disconnected")")));
  plugin.store->SetHealth({.ready = false, .reason = "the device failed", .damage = {"seg 1"}});
  const auto health = plugin.Ask("GET", "/healthz");
  EXPECT_EQ(health->status(), 503);
  EXPECT_THAT(health->body(), AllOf(HasSubstr("the device failed"), HasSubstr("seg 1")));
}

TEST(DaemonTest, DamagedRecordsShowAndTheOthersAreKept) {
  DaemonUnderTest plugin;
  plugin.Ask("POST", "/create", CreateBody(kUid));
  (*plugin.disk)[JobStoreKey("torn")] = R"({"version":1,)";
  (*plugin.disk)[PoolStoreKey("torn")] = "x";
  ASSERT_THAT(plugin.Restart(), IsOk());
  const auto health = plugin.Ask("GET", "/healthz");
  EXPECT_EQ(health->status(), 503);
  EXPECT_THAT(health->body(), AllOf(HasSubstr("record job/torn"), HasSubstr("record pool/torn")));
  EXPECT_THAT(plugin.Get("/status", StatusBody(kUid)), HasSubstr(kUid));
  EXPECT_EQ(plugin.Ask("POST", "/create", CreateBody("another-uid"))->status(), 200);
}

TEST(DaemonTest, AfterARestartAQueuedJobWaitsForItsPoll) {
  DaemonUnderTest plugin;
  plugin.Ask("POST", "/create", CreateBody(kUid));
  ASSERT_THAT(plugin.Restart(), IsOk());
  plugin.StartSubmitter();
  plugin.loop.Advance(absl::Minutes(1));
  EXPECT_EQ(plugin.hub.CountPublished("p.create.>"), 0);
  plugin.Get("/status", StatusBody(kUid));
  plugin.loop.RunUntilIdle();
  EXPECT_EQ(plugin.hub.CountPublished("p.create.>"), 1);
}

TEST(DaemonTest, ThePoolsConfigSurvivesARestart) {
  DaemonUnderTest plugin;
  plugin.StartSubmitter();
  plugin.hub.AddFault({.what = Fault::kDrop, .subject = "p.config.>"});
  ASSERT_THAT(plugin.Restart(), IsOk());
  EXPECT_EQ(plugin.Ask("POST", "/create", CreateBody(kUid))->status(), 200);
  plugin.loop.RunUntilIdle();
  EXPECT_EQ(plugin.submitter_disk.jobs[kUid].started, 1u);
}

TEST(DaemonTest, CountsWhatHappens) {
  DaemonUnderTest plugin;
  plugin.StartSubmitter();
  plugin.Ask("POST", "/create", CreateBody(kUid));
  plugin.Ask("POST", "/create", "{}");
  const std::string metrics = plugin.Get("/metrics");
  for (const char* line :
       {R"(podferry_plugin_creates_total{result="accepted"} 1)",
        R"(podferry_plugin_creates_total{result="refused"} 1)",
        R"(podferry_plugin_jobs{phase="Submitted",pool="pool-a"} 1)",
        "podferry_plugin_offers_total 1", "podferry_plugin_reservations_total 1",
        "podferry_plugin_dispatch_seconds_count 1", "podferry_plugin_pools_reachable 1",
        "podferry_plugin_nats_connected 1", "podferry_plugin_tombstones_waiting 0"}) {
    EXPECT_THAT(metrics, HasSubstr(line));
  }
}

}  // namespace
}  // namespace podferry
