#include "core/os/testing/fake_event_loop.h"

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "core/base/testing/fake_clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::ElementsAre;

class FakeEventLoopTest : public testing::Test {
 protected:
  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  std::vector<std::string> seen_;
};

TEST_F(FakeEventLoopTest, RunsTasksOnlyWhenTold) {
  loop_.Post([&] {
    seen_.push_back("first");
    loop_.Post([&] { seen_.push_back("third"); });
  });
  loop_.Post([&] { seen_.push_back("second"); });
  EXPECT_TRUE(seen_.empty());
  loop_.RunUntilIdle();
  EXPECT_THAT(seen_, ElementsAre("first", "second", "third"));
}

TEST_F(FakeEventLoopTest, TimersSeeTheTimeTheyWereSetFor) {
  const absl::Duration start = clock_.Monotonic();
  auto note = [&](const char* name) {
    return [&, name] {
      seen_.push_back(absl::StrCat(name, " at ", absl::FormatDuration(clock_.Monotonic() - start)));
    };
  };
  Timer repeated, late = loop_.RunAfter(absl::Seconds(3), note("late"));
  Timer early = loop_.RunAfter(absl::Seconds(1), [&] {
    note("early")();
    repeated = loop_.RunAfter(absl::Seconds(1), note("nested"));
  });
  Timer beyond = loop_.RunAfter(absl::Seconds(6), note("beyond"));
  loop_.Advance(absl::Seconds(5));
  EXPECT_THAT(seen_, ElementsAre("early at 1s", "nested at 2s", "late at 3s"));
  EXPECT_EQ(clock_.Monotonic() - start, absl::Seconds(5));
  EXPECT_EQ(loop_.pending_timers(), 1u);
}

TEST_F(FakeEventLoopTest, ACancelledTimerDoesNotFire) {
  {
    Timer gone = loop_.RunAfter(absl::Seconds(1), [&] { seen_.push_back("gone"); });
  }
  loop_.Advance(absl::Seconds(2));
  EXPECT_TRUE(seen_.empty());
}

TEST_F(FakeEventLoopTest, WaitsForOtherThreads) {
  std::thread other([&] { loop_.Post([&] { seen_.push_back("posted"); }); });
  EXPECT_TRUE(loop_.RunUntil([&] { return !seen_.empty(); }));
  other.join();
  EXPECT_FALSE(loop_.RunUntil([] { return false; }, absl::Milliseconds(1)));
}

}  // namespace
}  // namespace podferry
