#include "tools/load/latencies.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry::load {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(LatenciesTest, FindsPercentiles) {
  std::vector<uint32_t> sorted;
  for (uint32_t i = 1; i <= 100; ++i) sorted.push_back(i);
  EXPECT_EQ(Percentile(sorted, 0.5), 50u);
  EXPECT_EQ(Percentile(sorted, 0.99), 99u);
  EXPECT_EQ(Percentile(sorted, 1), 100u);
  EXPECT_EQ(Percentile(sorted, 0), 1u);
  EXPECT_EQ(Percentile({7}, 0.5), 7u);
  EXPECT_EQ(Percentile({}, 0.5), 0u);
}

TEST(LatenciesTest, ReportsEveryFigure) {
  Outcome outcome;
  outcome.latencies_us = {3000, 1000, 2000, 4000};
  outcome.codes = {{200, 3}, {503, 1}};
  outcome.broken = 2;
  outcome.first_error = "503 busy";
  outcome.elapsed = absl::Seconds(2);
  outcome.cpu = absl::Milliseconds(250);
  EXPECT_FALSE(AllGood(outcome));
  EXPECT_THAT(Report(outcome, 10),
              AllOf(HasSubstr("answered  4 in 2.00 s\n"), HasSubstr("HTTP 503  1\n"),
                    HasSubstr("broken    2\n"), HasSubstr("rate      2 requests/s\n"),
                    HasSubstr("pods      20 pods/s\n"), HasSubstr("p50       2.000 ms\n"),
                    HasSubstr("max       4.000 ms\n"), HasSubstr("own CPU   0.25 s\n"),
                    HasSubstr("first error: 503 busy\n")));
}

TEST(LatenciesTest, ARunIsGoodIfEveryAnswerWas200) {
  Outcome outcome;
  outcome.codes = {{200, 3}};
  EXPECT_TRUE(AllGood(outcome));
  outcome.broken = 1;
  EXPECT_FALSE(AllGood(outcome));
}

}  // namespace
}  // namespace podferry::load
