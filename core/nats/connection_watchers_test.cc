#include "core/nats/connection_watchers.h"

#include <memory>
#include <vector>

#include "core/base/testing/fake_clock.h"
#include "core/os/testing/fake_event_loop.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ConnectionWatchersTest : public testing::Test {
 protected:
  std::unique_ptr<Bus::Handle> Watch(std::vector<bool>& seen, bool connected) {
    return watchers_.Add([&seen](bool now) { seen.push_back(now); }, connected);
  }

  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  ConnectionWatchers watchers_{loop_};
};

TEST_F(ConnectionWatchersTest, TellsEachChangeLaterAndInOrder) {
  std::vector<bool> seen;
  const auto handle = Watch(seen, false);
  watchers_.Tell(true);
  watchers_.Tell(false);
  watchers_.Tell(true);
  EXPECT_THAT(seen, IsEmpty());
  loop_.RunUntilIdle();
  EXPECT_THAT(seen, ElementsAre(true, false, true));
}

TEST_F(ConnectionWatchersTest, NeverTellsTheSameTwiceNorALossBeforeAConnection) {
  std::vector<bool> seen;
  const auto handle = Watch(seen, false);
  watchers_.Tell(false);
  watchers_.Tell(true);
  watchers_.Tell(true);
  loop_.RunUntilIdle();
  EXPECT_THAT(seen, ElementsAre(true));
}

TEST_F(ConnectionWatchersTest, OneThatBeginsLateHearsOfThePresentState) {
  std::vector<bool> early, late;
  const auto first = Watch(early, false);
  watchers_.Tell(true);
  const auto second = Watch(late, true);
  loop_.RunUntilIdle();
  watchers_.Tell(false);
  loop_.RunUntilIdle();
  EXPECT_THAT(early, ElementsAre(true, false));
  EXPECT_THAT(late, ElementsAre(true, false));
}

TEST_F(ConnectionWatchersTest, AnEndedWatchHearsNothingEvenOfWhatWasUnderWay) {
  std::vector<bool> seen;
  auto handle = Watch(seen, false);
  watchers_.Tell(true);
  handle.reset();
  loop_.RunUntilIdle();
  EXPECT_THAT(seen, IsEmpty());
}

TEST_F(ConnectionWatchersTest, AWatcherMayEndItself) {
  int calls = 0;
  std::unique_ptr<Bus::Handle> handle;
  handle = watchers_.Add(
      [&](bool) {
        ++calls;
        handle.reset();
      },
      false);
  watchers_.Tell(true);
  watchers_.Tell(false);
  loop_.RunUntilIdle();
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace podferry
