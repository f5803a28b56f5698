#include "core/os/worker_pool.h"

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/os/asio_event_loop.h"
#include "core/os/testing/inline_worker_pool.h"
#include "core/os/testing/run_until.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

TEST(WorkerPoolTest, WorksElsewhereAndReportsOnTheLoop) {
  AsioEventLoop loop;
  ThreadWorkerPool pool(loop, 2);
  std::thread::id worker;
  std::string answer;
  RunOnPool(
      pool,
      [&] {
        worker = std::this_thread::get_id();
        return std::make_unique<std::string>("done");
      },
      [&](std::unique_ptr<std::string> result) { answer = *result; });
  EXPECT_TRUE(RunUntil(loop, [&] { return !answer.empty(); }));
  EXPECT_EQ(answer, "done");
  EXPECT_NE(worker, std::this_thread::get_id());
}

TEST(WorkerPoolTest, RunsWorksSideBySide) {
  AsioEventLoop loop;
  ThreadWorkerPool pool(loop, 2);
  std::promise<void> first, second;
  int done = 0;
  // Each waits for the other: on one thread this would never end.
  pool.Run([&] { first.set_value(), second.get_future().wait(); }, [&] { ++done; });
  pool.Run([&] { second.set_value(), first.get_future().wait(); }, [&] { ++done; });
  EXPECT_TRUE(RunUntil(loop, [&] { return done == 2; }));
}

TEST(WorkerPoolTest, DestructionWaitsForRunningWorkAndTellsNobody) {
  AsioEventLoop loop;
  std::promise<void> begun, go_on;
  bool finished = false, done = false;
  auto pool = std::make_unique<ThreadWorkerPool>(loop, 1);
  pool->Run([&] { begun.set_value(), go_on.get_future().wait(), finished = true; },
            [&] { done = true; });
  begun.get_future().wait();
  std::thread release([&] { go_on.set_value(); });
  pool.reset();
  release.join();
  EXPECT_TRUE(finished);
  loop.RunReady();
  EXPECT_FALSE(done);
}

TEST(WorkerPoolTest, TheInlinePoolStillReportsLater) {
  AsioEventLoop loop;
  InlineWorkerPool pool(loop);
  bool worked = false, done = false;
  pool.Run([&] { worked = true; }, [&] { done = true; });
  EXPECT_TRUE(worked);
  EXPECT_FALSE(done);
  loop.RunReady();
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace podferry
