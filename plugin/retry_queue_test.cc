#include "plugin/retry_queue.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/testing/fake_clock.h"
#include "core/os/testing/fake_event_loop.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class RetryQueueTest : public testing::Test {
 protected:
  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  std::vector<std::string> ran_;
  RetryQueue queue_{loop_, clock_, 2, [this](const std::string& key) { ran_.push_back(key); }};
};

TEST_F(RetryQueueTest, RunsEachKeyWhenItsTimeHasCome) {
  queue_.Set("b", absl::Seconds(2));
  queue_.Set("a", absl::Seconds(1));
  loop_.RunUntilIdle();
  EXPECT_THAT(ran_, IsEmpty());
  loop_.Advance(absl::Seconds(1));
  EXPECT_THAT(ran_, ElementsAre("a"));
  loop_.Advance(absl::Seconds(1));
  EXPECT_THAT(ran_, ElementsAre("a", "b"));
}

TEST_F(RetryQueueTest, ANewTimeReplacesTheOldOne) {
  queue_.Set("a", absl::Hours(1));
  queue_.Set("a", absl::Seconds(1));
  loop_.Advance(absl::Seconds(1));
  EXPECT_THAT(ran_, ElementsAre("a"));
  loop_.Advance(absl::Hours(2));
  EXPECT_THAT(ran_, ElementsAre("a"));
  queue_.Done();
  queue_.Set("b", absl::Seconds(1));
  queue_.Set("b", absl::Seconds(3));
  loop_.Advance(absl::Seconds(2));
  EXPECT_THAT(ran_, ElementsAre("a"));
  queue_.Remove("b");
  loop_.Advance(absl::Hours(1));
  EXPECT_THAT(ran_, ElementsAre("a"));
}

TEST_F(RetryQueueTest, NoMoreThanTheLimitIsUnderWay) {
  for (int i = 0; i < 5; ++i) queue_.Set(absl::StrCat(i), absl::Milliseconds(i));
  loop_.Advance(absl::Seconds(1));
  EXPECT_THAT(ran_, ElementsAre("0", "1"));
  queue_.Done();
  loop_.RunUntilIdle();
  EXPECT_THAT(ran_, ElementsAre("0", "1", "2"));
  queue_.Done();
  queue_.Done();
  loop_.RunUntilIdle();
  EXPECT_EQ(ran_.size(), 5u);
  EXPECT_EQ(queue_.under_way(), 2u);
}

}  // namespace
}  // namespace podferry
