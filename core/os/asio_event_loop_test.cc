#include "core/os/asio_event_loop.h"

#include <unistd.h>

#include <csignal>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "core/os/testing/run_until.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::ElementsAre;

TEST(AsioEventLoopTest, RunsTasksOfAnyThreadInOrderOnTheLoopThread) {
  AsioEventLoop loop;
  std::vector<int> seen;
  bool on_loop = false;
  std::thread other([&] {
    loop.Post([&] { seen.push_back(1); });
    loop.Post([&] {
      seen.push_back(2);
      on_loop = loop.OnLoopThread();
      loop.Stop();
    });
  });
  loop.Run();
  other.join();
  EXPECT_THAT(seen, ElementsAre(1, 2));
  EXPECT_TRUE(on_loop);
  bool elsewhere = true;
  std::thread([&] { elsewhere = loop.OnLoopThread(); }).join();
  EXPECT_FALSE(elsewhere);
}

TEST(AsioEventLoopTest, AStopThatComesBeforeTheRunIsNotLost) {
  AsioEventLoop loop;
  bool ran = false;
  loop.Stop();
  loop.Post([&] { ran = true; });
  loop.Run();
  loop.Run();
  EXPECT_FALSE(ran);
}

TEST(AsioEventLoopTest, FiresTimersInTheOrderOfTheirTimes) {
  AsioEventLoop loop;
  std::vector<int> seen;
  Timer late = loop.RunAfter(absl::Milliseconds(20), [&] { seen.push_back(2); });
  Timer soon = loop.RunAfter(absl::Milliseconds(1), [&] { seen.push_back(1); });
  Timer never = loop.RunAfter(absl::InfiniteDuration(), [&] { seen.push_back(3); });
  EXPECT_TRUE(seen.empty());
  EXPECT_TRUE(RunUntil(loop, [&] { return seen.size() == 2; }));
  EXPECT_THAT(seen, ElementsAre(1, 2));
}

TEST(AsioEventLoopTest, ADestroyedTimerDoesNotFireEvenIfItWasDue) {
  AsioEventLoop loop;
  bool fired = false, last = false;
  Timer victim;
  Timer first = loop.RunAfter(absl::ZeroDuration(), [&] { victim.Cancel(); });
  victim = loop.RunAfter(absl::ZeroDuration(), [&] { fired = true; });
  Timer end = loop.RunAfter(absl::Milliseconds(5), [&] { last = true; });
  EXPECT_TRUE(RunUntil(loop, [&] { return last; }));
  EXPECT_FALSE(fired);
}

TEST(AsioEventLoopTest, ATimerMayBeDestroyedByItsOwnTaskAndAfterTheLoop) {
  Timer outlives;
  {
    AsioEventLoop loop;
    std::optional<Timer> own;
    bool fired = false;
    own = loop.RunAfter(absl::ZeroDuration(), [&] {
      own.reset();
      fired = true;
    });
    outlives = loop.RunAfter(absl::Hours(1), [] {});
    EXPECT_TRUE(RunUntil(loop, [&] { return fired; }));
  }
  outlives.Cancel();
}

TEST(AsioEventLoopTest, DestroysWaitingTasksWithoutRunningThem) {
  auto held = std::make_shared<int>(0);
  {
    AsioEventLoop loop;
    loop.Post([held] { ++*held; });
  }
  EXPECT_EQ(*held, 0);
  EXPECT_EQ(held.use_count(), 1);
}

TEST(AsioEventLoopTest, TellsSignalsAndSurvivesABrokenPipe) {
  AsioEventLoop loop;
  std::vector<int> seen;
  Subscription signals = loop.OnSignals({SIGTERM, SIGUSR1}, [&](int s) { seen.push_back(s); });
  raise(SIGPIPE);
  raise(SIGUSR1);
  EXPECT_TRUE(RunUntil(loop, [&] { return seen.size() == 1; }));
  raise(SIGTERM);
  EXPECT_TRUE(RunUntil(loop, [&] { return seen.size() == 2; }));
  EXPECT_THAT(seen, ElementsAre(SIGUSR1, SIGTERM));
}

TEST(AsioEventLoopTest, TellsAgainWhileADescriptorStaysReadable) {
  int pipe_fds[2];
  ASSERT_EQ(pipe(pipe_fds), 0);
  ASSERT_EQ(write(pipe_fds[1], "abc", 3), 3);
  AsioEventLoop loop;
  int calls = 0;
  Subscription watch = loop.OnReadable(pipe_fds[0], [&] {
    char byte;
    EXPECT_EQ(read(pipe_fds[0], &byte, 1), 1);
    if (++calls == 3) watch.Cancel();
  });
  EXPECT_TRUE(RunUntil(loop, [&] { return calls == 3; }));
  ASSERT_EQ(write(pipe_fds[1], "d", 1), 1);  // Nobody reads it; the descriptor is still open.
  loop.RunReady();
  EXPECT_EQ(calls, 3);
  close(pipe_fds[0]);
  close(pipe_fds[1]);
}

}  // namespace
}  // namespace podferry
