#include "core/nats/pending_requests.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/testing/fake_clock.h"
#include "core/base/testing/status_matchers.h"
#include "core/os/testing/fake_event_loop.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class PendingRequestsTest : public testing::Test {
 protected:
  uint64_t AddOne(absl::Duration timeout) {
    return pending_->AddOne(
        timeout, [this](absl::StatusOr<std::string> r) { results_.push_back(std::move(r)); });
  }
  uint64_t AddMany(absl::Duration timeout) {
    return pending_->AddMany(
        timeout, [this](std::string payload) { answers_.push_back(std::move(payload)); },
        [this] { ++done_; });
  }

  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  std::unique_ptr<PendingRequests> pending_ = std::make_unique<PendingRequests>(loop_);
  std::vector<absl::StatusOr<std::string>> results_;
  std::vector<std::string> answers_;
  int done_ = 0;
};

TEST_F(PendingRequestsTest, TheFirstAnswerCountsAndEndsTheTimer) {
  const uint64_t id = AddOne(absl::Seconds(5));
  EXPECT_TRUE(pending_->Answer(id, "first"));
  EXPECT_FALSE(pending_->Answer(id, "second"));
  loop_.Advance(absl::Minutes(1));
  ASSERT_THAT(results_, SizeIs(1));
  EXPECT_THAT(results_[0], IsOkAndHolds(std::string("first")));
  EXPECT_EQ(loop_.pending_timers(), 0u);
  EXPECT_EQ(pending_->size(), 0u);
}

TEST_F(PendingRequestsTest, SilenceEndsInDeadlineExceeded) {
  AddOne(absl::Seconds(5));
  loop_.Advance(absl::Seconds(4));
  EXPECT_THAT(results_, SizeIs(0));
  loop_.Advance(absl::Seconds(1));
  ASSERT_THAT(results_, SizeIs(1));
  EXPECT_THAT(results_[0], StatusIs(absl::StatusCode::kDeadlineExceeded));
}

TEST_F(PendingRequestsTest, ManyAnswersAreTakenUntilTheTimeIsOver) {
  const uint64_t id = AddMany(absl::Seconds(5));
  EXPECT_TRUE(pending_->Answer(id, "a"));
  EXPECT_TRUE(pending_->Answer(id, "b"));
  EXPECT_EQ(done_, 0);
  loop_.Advance(absl::Seconds(5));
  EXPECT_FALSE(pending_->Answer(id, "late"));
  EXPECT_THAT(answers_, ElementsAre("a", "b"));
  EXPECT_EQ(done_, 1);
}

TEST_F(PendingRequestsTest, ALostConnectionFailsOnlyThoseThatWaitForOne) {
  AddOne(absl::Seconds(5));
  AddOne(absl::Seconds(5));
  const uint64_t many = AddMany(absl::Seconds(5));
  pending_->FailOnes(absl::UnavailableError("lost"));
  ASSERT_THAT(results_, SizeIs(2));
  EXPECT_THAT(results_[1], StatusIs(absl::StatusCode::kUnavailable, "lost"));
  EXPECT_TRUE(pending_->Answer(many, "a"));
  EXPECT_EQ(done_, 0);
}

TEST_F(PendingRequestsTest, WhatIsForgottenIsNeverCalled) {
  const uint64_t one = AddOne(absl::Seconds(5));
  const uint64_t many = AddMany(absl::Seconds(5));
  pending_->Forget(one);
  pending_->Forget(many);
  pending_->Fail(one, absl::InternalError("x"));
  loop_.Advance(absl::Minutes(1));
  EXPECT_THAT(results_, SizeIs(0));
  EXPECT_EQ(done_, 0);
  EXPECT_EQ(loop_.pending_timers(), 0u);
}

TEST_F(PendingRequestsTest, AHandlerMayDestroyItsOwner) {
  uint64_t id =
      pending_->AddOne(absl::Seconds(5), [this](absl::StatusOr<std::string>) { pending_.reset(); });
  pending_->Answer(id, "x");
  EXPECT_EQ(pending_, nullptr);
  pending_ = std::make_unique<PendingRequests>(loop_);
  id = pending_->AddMany(
      absl::Seconds(5), [this](std::string) { pending_.reset(); }, [] { FAIL(); });
  pending_->Answer(id, "x");
  EXPECT_EQ(pending_, nullptr);
}

}  // namespace
}  // namespace podferry
