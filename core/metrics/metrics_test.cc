#include "core/metrics/metrics.h"

#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(MetricsTest, RendersTheTextFormat) {
  Registry registry;
  registry.AddCounter("podferry_creates_total", "Pods accepted.").Increment(3);
  registry.AddGauge("podferry_jobs", "Jobs in the table.", {{"state", "Running"}}).Set(2);
  registry.AddGauge("podferry_jobs", "Jobs in the table.", {{"state", "Queued"}}).Add(-1);
  EXPECT_THAT(registry.Render(), HasSubstr("# HELP podferry_creates_total Pods accepted.\n"
                                           "# TYPE podferry_creates_total counter\n"
                                           "podferry_creates_total 3\n"));
  EXPECT_THAT(registry.Render(), HasSubstr("podferry_jobs{state=\"Running\"} 2\n"));
  EXPECT_THAT(registry.Render(), HasSubstr("podferry_jobs{state=\"Queued\"} -1\n"));
  EXPECT_LT(registry.Render().find("podferry_creates"), registry.Render().find("podferry_jobs"));
}

TEST(MetricsTest, AHistogramCountsIntoItsBuckets) {
  Registry registry;
  Histogram& latency = registry.AddHistogram("sync_seconds", "fdatasync.", {0.1, 1});
  latency.Observe(0.05);
  latency.Observe(0.5);
  latency.Observe(5);
  const std::string text = registry.Render();
  EXPECT_THAT(text, HasSubstr("sync_seconds_count 3\n"));
  EXPECT_THAT(text, HasSubstr("sync_seconds_sum 5.55\n"));
  EXPECT_THAT(text, HasSubstr("sync_seconds_bucket{le=\"0.1\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("sync_seconds_bucket{le=\"1\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("sync_seconds_bucket{le=\"+Inf\"} 3\n"));
}

TEST(MetricsTest, TheSameNameAndLabelsAreTheSameMetric) {
  Registry registry;
  Counter& first = registry.AddCounter("offers_total", "Offers.", {{"pool", "a"}});
  Counter& again = registry.AddCounter("offers_total", "Another help.", {{"pool", "a"}});
  Counter& other = registry.AddCounter("offers_total", "Offers.", {{"pool", "b"}});
  EXPECT_EQ(&first, &again);
  EXPECT_NE(&first, &other);
  again.Increment();
  EXPECT_EQ(first.value(), 1);
  EXPECT_EQ(other.value(), 0);
  EXPECT_THAT(registry.Render(), Not(HasSubstr("Another help.")));
}

TEST(MetricsTest, ARemovedSeriesIsGoneAndMayComeBack) {
  Registry registry;
  Gauge& gone = registry.AddGauge("pool_pods", "Pods.", {{"pool", "a"}});
  gone.Set(5);
  registry.AddGauge("pool_pods", "Pods.", {{"pool", "b"}}).Set(7);
  registry.Remove(gone);
  EXPECT_THAT(registry.Render(), Not(HasSubstr("pool=\"a\"")));
  EXPECT_THAT(registry.Render(), HasSubstr("pool_pods{pool=\"b\"} 7\n"));
  EXPECT_EQ(registry.AddGauge("pool_pods", "Pods.", {{"pool", "a"}}).value(), 0);
}

TEST(MetricsTest, LabelValuesAreEscaped) {
  Registry registry;
  registry.AddGauge("pool_pods", "Pods.", {{"pool", "a\"b\\c\nd"}}).Set(1);
  EXPECT_THAT(registry.Render(), HasSubstr("pool_pods{pool=\"a\\\"b\\\\c\\nd\"} 1\n"));
}

TEST(MetricsTest, ACounterNeverGoesDown) {
  Registry registry;
  Counter& counter = registry.AddCounter("x_total", "X.");
  counter.Increment(2);
  counter.Increment(-1);
  EXPECT_EQ(counter.value(), 2);
}

TEST(MetricsTest, ManyThreadsCountAndRenderAtOnce) {
  Registry registry;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&registry, t] {
      for (int i = 0; i < 500; ++i) {
        registry.AddCounter("x_total", "X.").Increment();
        Gauge& own = registry.AddGauge("y", "Y.", {{"thread", std::to_string(t)}});
        own.Set(i);
        if (i % 50 == 0) registry.Render();
        registry.Remove(own);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(registry.AddCounter("x_total", "X.").value(), 2000);
}

TEST(MetricsDeathTest, MistakesInNamesEndTheProgram) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(Registry().AddCounter("no spaces", ""), "no spaces");
  EXPECT_DEATH(
      {
        Registry registry;
        registry.AddCounter("x", "");
        registry.AddGauge("x", "");
      },
      "metric x");
}

}  // namespace
}  // namespace podferry
