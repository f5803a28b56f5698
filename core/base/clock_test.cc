#include "core/base/clock.h"

#include "absl/time/clock.h"
#include "core/base/testing/fake_clock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

TEST(RealClockTest, NowIsTheTimeOfDay) {
  EXPECT_LT(absl::AbsDuration(RealClock().Now() - absl::Now()), absl::Minutes(1));
}

TEST(RealClockTest, MonotonicNeverGoesBack) {
  RealClock clock;
  absl::Duration last = clock.Monotonic();
  for (int i = 0; i < 1000; ++i) {
    const absl::Duration now = clock.Monotonic();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(FakeClockTest, StandsStillUntilAdvanced) {
  FakeClock clock;
  const absl::Time start = clock.Now();
  const absl::Duration monotonic = clock.Monotonic();
  EXPECT_EQ(clock.Now(), start);
  clock.Advance(absl::Seconds(90));
  EXPECT_EQ(clock.Now(), start + absl::Seconds(90));
  EXPECT_EQ(clock.Monotonic(), monotonic + absl::Seconds(90));
}

TEST(FakeClockTest, ATimeOfDayThatJumpsLeavesMonotonicAlone) {
  FakeClock clock;
  const absl::Duration monotonic = clock.Monotonic();
  clock.SetNow(clock.Now() - absl::Hours(24));
  EXPECT_EQ(clock.Monotonic(), monotonic);
}

}  // namespace
}  // namespace podferry
