#include "core/nats/outbound_queue.h"

#include <deque>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::SizeIs;

TEST(OutboundQueueTest, TakesNothingToSendWithoutAConnection) {
  OutboundQueue queue(10, 1000);
  EXPECT_THAT(queue.Publish("a", "", "x"), StatusIs(absl::StatusCode::kUnavailable));
  queue.Open();
  EXPECT_THAT(queue.Publish("a", "", "x"), IsOk());
  EXPECT_EQ(queue.Shut(), 1u);
  EXPECT_THAT(queue.Publish("a", "", "x"), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(queue.queued(), 0u);
}

TEST(OutboundQueueTest, RemembersSubscriptionsForTheNextConnection) {
  OutboundQueue queue(10, 1000);
  queue.Subscribe(1, "a", "");
  queue.Subscribe(2, "b", "group");
  queue.Unsubscribe(1);
  const auto first = queue.Open();
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_EQ(first.at(2).subject, "b");
  EXPECT_EQ(first.at(2).group, "group");
  queue.Subscribe(3, "c", "");
  queue.Unsubscribe(2);
  std::deque<Outbound> batch;
  ASSERT_TRUE(queue.Take(batch));
  ASSERT_THAT(batch, SizeIs(2));
  EXPECT_EQ(batch[0].kind, Outbound::Kind::kSubscribe);
  EXPECT_EQ(batch[1].kind, Outbound::Kind::kUnsubscribe);
  queue.Shut();
  const auto second = queue.Open();
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_EQ(second.at(3).subject, "c");
}

TEST(OutboundQueueTest, CountsWhatIsBeingSentUntilItIsDone) {
  OutboundQueue queue(2, 1000);
  queue.Open();
  EXPECT_THAT(queue.Publish("a", "", "x"), IsOk());
  EXPECT_THAT(queue.Publish("a", "", "x"), IsOk());
  EXPECT_THAT(queue.Publish("a", "", "x"), StatusIs(absl::StatusCode::kResourceExhausted));
  std::deque<Outbound> batch;
  ASSERT_TRUE(queue.Take(batch));
  EXPECT_THAT(queue.Publish("a", "", "x"), StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(queue.refused(), 2u);
  queue.Done(batch);
  EXPECT_THAT(queue.Publish("a", "", std::string(1000, 'x')), IsOk());
  EXPECT_THAT(queue.Publish("a", "", "x"), StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(queue.queued(), 1u);
}

TEST(OutboundQueueTest, AnInterruptEndsTheWaitUntilTheNextConnection) {
  OutboundQueue queue(10, 1000);
  queue.Open();
  std::deque<Outbound> batch;
  std::thread interrupter([&] { queue.Interrupt(); });
  EXPECT_FALSE(queue.Take(batch));
  interrupter.join();
  EXPECT_THAT(queue.Publish("a", "", "x"), IsOk());
  EXPECT_FALSE(queue.Take(batch));
  queue.Shut();
  queue.ClearInterrupt();
  queue.Open();
  queue.Ping(7, absl::Seconds(1));
  ASSERT_TRUE(queue.Take(batch));
  ASSERT_THAT(batch, SizeIs(1));
  EXPECT_EQ(batch[0].id, 7u);
}

TEST(OutboundQueueTest, KeepsTheOrderOfTheCallsAcrossThreads) {
  OutboundQueue queue(100000, 1 << 20);
  queue.Open();
  std::thread loop([&] {
    for (int i = 0; i < 10000; ++i) {
      EXPECT_THAT(queue.Publish(absl::StrCat(i), "", ""), IsOk());
    }
  });
  int next = 0;
  std::deque<Outbound> batch;
  while (next < 10000 && queue.Take(batch)) {
    for (const Outbound& command : batch) EXPECT_EQ(command.subject, absl::StrCat(next++));
    queue.Done(batch);
  }
  loop.join();
  EXPECT_EQ(queue.queued(), 0u);
}

}  // namespace
}  // namespace podferry
