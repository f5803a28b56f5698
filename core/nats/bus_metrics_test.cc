#include "core/nats/bus_metrics.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::HasSubstr;

TEST(BusMetricsTest, CountersFollowTheStatsAndGaugesShowThem) {
  Registry registry;
  BusMetrics metrics(registry, "control");
  BusStats stats;
  stats.sent_messages = 3;
  stats.connected = true;
  stats.queued = 7;
  metrics.Update(stats);
  stats.sent_messages = 5;
  stats.losses = 1;
  stats.connected = false;
  metrics.Update(stats);
  metrics.Update(stats);
  const std::string text = registry.Render();
  EXPECT_THAT(text, HasSubstr("podferry_nats_sent_messages_total{bus=\"control\"} 5\n"));
  EXPECT_THAT(text, HasSubstr("podferry_nats_losses_total{bus=\"control\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("podferry_nats_dropped_slow_total{bus=\"control\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("podferry_nats_connected{bus=\"control\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("podferry_nats_queued_messages{bus=\"control\"} 7\n"));
}

TEST(BusMetricsTest, TwoBusesShareNamesButNotSeries) {
  Registry registry;
  BusMetrics control(registry, "control");
  BusMetrics bulk(registry, "bulk");
  BusStats stats;
  stats.sent_bytes = 9;
  bulk.Update(stats);
  EXPECT_THAT(registry.Render(), HasSubstr("podferry_nats_sent_bytes_total{bus=\"bulk\"} 9\n"));
  EXPECT_THAT(registry.Render(), HasSubstr("podferry_nats_sent_bytes_total{bus=\"control\"} 0\n"));
}

}  // namespace
}  // namespace podferry
