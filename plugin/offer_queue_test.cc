#include "plugin/offer_queue.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

size_t PopAll(OfferQueue& queue, absl::Duration now) {
  size_t popped = 0;
  while (queue.Pop(now).has_value()) ++popped;
  return popped;
}

OfferQueue Full(int jobs) {
  OfferQueue queue;
  for (int i = 0; i < jobs; ++i) queue.Push(absl::StrCat(i));
  return queue;
}

TEST(OfferQueueTest, GivesJobsInOrderUpToTheWindow) {
  OfferQueue queue = Full(1000);
  EXPECT_EQ(queue.Pop(absl::Seconds(1)), "0");
  EXPECT_EQ(queue.Pop(absl::Seconds(1)), "1");
  EXPECT_EQ(PopAll(queue, absl::Seconds(1)), OfferQueue::kWindow - 2);
  queue.Succeeded();
  EXPECT_EQ(PopAll(queue, absl::Seconds(1)), 1u);
  queue.Dropped();
  EXPECT_EQ(PopAll(queue, absl::Seconds(1)), 1u);
}

TEST(OfferQueueTest, AfterAFailureAFewTryWithGrowingPauses) {
  OfferQueue queue = Full(1000);
  absl::Duration now = absl::Seconds(1);
  PopAll(queue, now);
  // All that were under way fail together.
  for (size_t i = 0; i < OfferQueue::kWindow; ++i) queue.Failed(now);
  EXPECT_EQ(queue.Pop(now), std::nullopt);
  EXPECT_EQ(queue.next_try(), now + OfferQueue::kFirstPause);
  absl::Duration last_pause;
  for (int round = 0; round < 12; ++round) {
    const absl::Duration pause = queue.next_try() - now;
    EXPECT_GE(pause, last_pause);
    EXPECT_LE(pause, OfferQueue::kLongestPause);
    last_pause = pause;
    now = queue.next_try();
    ASSERT_EQ(PopAll(queue, now), OfferQueue::kProbes);
    for (size_t i = 0; i < OfferQueue::kProbes; ++i) queue.Failed(now);
  }
  EXPECT_EQ(last_pause, OfferQueue::kLongestPause);
  queue.Encourage();
  ASSERT_EQ(PopAll(queue, now), OfferQueue::kProbes);
  queue.Succeeded();
  EXPECT_GT(PopAll(queue, now), OfferQueue::kProbes);
}

TEST(OfferQueueTest, WithoutJobsThereIsNothingToWaitFor) {
  OfferQueue queue;
  EXPECT_EQ(queue.next_try(), absl::InfiniteDuration());
}

}  // namespace
}  // namespace podferry
