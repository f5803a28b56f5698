#include "core/nats/inbound_queue.h"

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/testing/fake_clock.h"
#include "core/os/testing/fake_event_loop.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

Inbound Message(std::string payload) {
  return {.kind = Inbound::Kind::kMessage, .message = {.payload = std::move(payload)}};
}
Inbound Connected() {
  return {.kind = Inbound::Kind::kConnected, .message = {.payload = "connected"}};
}
Inbound Disconnected() {
  return {.kind = Inbound::Kind::kDisconnected, .message = {.payload = "disconnected"}};
}

class InboundQueueTest : public testing::Test {
 protected:
  void Make(size_t max_messages, size_t max_bytes) {
    queue_ = std::make_shared<InboundQueue>(
        loop_, max_messages, max_bytes,
        [this](Inbound inbound) { handled_.push_back(std::move(inbound.message.payload)); });
  }

  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  std::shared_ptr<InboundQueue> queue_;
  std::vector<std::string> handled_;
};

TEST_F(InboundQueueTest, MessagesWaitForTheNewsOfTheirConnection) {
  Make(100, 1 << 20);
  queue_->Push(Message("early"));
  loop_.RunUntilIdle();
  EXPECT_THAT(handled_, SizeIs(0));
  queue_->Open(Connected());
  queue_->Push(Message("then"));
  queue_->Shut(Disconnected());
  queue_->Push(Message("of the next"));
  loop_.RunUntilIdle();
  EXPECT_THAT(handled_, ElementsAre("connected", "early", "then", "disconnected"));
  queue_->Open(Connected());
  loop_.RunUntilIdle();
  EXPECT_THAT(handled_, ElementsAre("connected", "early", "then", "disconnected", "connected",
                                    "of the next"));
}

TEST_F(InboundQueueTest, DropsMessagesBeyondItsBoundsButNeverNews) {
  Make(3, 10000);
  queue_->Open(Connected());
  for (int i = 0; i < 5; ++i) queue_->Push(Message(absl::StrCat(i)));
  queue_->Shut(Disconnected());
  EXPECT_EQ(queue_->dropped(), 3u);
  loop_.RunUntilIdle();
  EXPECT_THAT(handled_, ElementsAre("connected", "0", "1", "disconnected"));
  queue_->Open(Connected());
  queue_->Push(Message(std::string(20000, 'x')));
  EXPECT_EQ(queue_->dropped(), 4u);
  queue_->Push(Message("small"));
  loop_.RunUntilIdle();
  EXPECT_EQ(handled_.back(), "small");
  EXPECT_EQ(queue_->size(), 0u);
}

TEST_F(InboundQueueTest, LetsOtherTasksHaveTheirTurn) {
  Make(10000, 1 << 24);
  queue_->Open(Connected());
  for (int i = 0; i < 1000; ++i) queue_->Push(Message(""));
  size_t handled_at_my_turn = 0;
  loop_.Post([&] { handled_at_my_turn = handled_.size(); });
  loop_.RunUntilIdle();
  EXPECT_EQ(handled_at_my_turn, 256u);
  EXPECT_THAT(handled_, SizeIs(1001));
}

TEST_F(InboundQueueTest, ClosedWhileHandlingItHandlesNothingMore) {
  queue_ = std::make_shared<InboundQueue>(loop_, 100, 1 << 20, [this](Inbound) {
    handled_.push_back("once");
    queue_->Close();
    queue_.reset();
  });
  queue_->Open(Connected());
  queue_->Push(Message("never"));
  loop_.RunUntilIdle();
  EXPECT_THAT(handled_, ElementsAre("once"));
}

TEST_F(InboundQueueTest, TakesFromManyThreadsInTheOrderOfEach) {
  Make(100000, 1 << 26);
  queue_->Open(Connected());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < 1000; ++i) queue_->Push(Message(absl::StrCat(t, ":", 1000 + i)));
    });
  }
  EXPECT_TRUE(loop_.RunUntil([&] { return handled_.size() == 4001; }));
  for (std::thread& thread : threads) thread.join();
  std::vector<std::string> last(4);
  for (size_t i = 1; i < handled_.size(); ++i) {
    std::string& previous = last[handled_[i][0] - '0'];
    EXPECT_LT(previous, handled_[i]);
    previous = handled_[i];
  }
}

}  // namespace
}  // namespace podferry
