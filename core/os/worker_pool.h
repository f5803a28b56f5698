// A few threads for work that blocks (subprocesses, files), so that the event loop never does.
//
// Owned by main(), destroyed before the event loop and after everything whose work it runs.

#ifndef PODFERRY_CORE_OS_WORKER_POOL_H_
#define PODFERRY_CORE_OS_WORKER_POOL_H_

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "core/os/event_loop.h"

namespace podferry {

class WorkerPool {
 public:
  virtual ~WorkerPool() = default;

  // Runs `work` on some thread of the pool, then `done` on the event loop. Works start in the order
  // of the calls but run side by side. Any thread. `done` does not run once the pool is destroyed.
  virtual void Run(absl::AnyInvocable<void()> work, absl::AnyInvocable<void()> done) = 0;
};

// Runs `work` on the pool and hands its result to `done` on the loop:
//   RunOnPool(pool, [path] { return ReadConfig(path); }, [this](Config config) { ... });
template <typename Work, typename Done>
void RunOnPool(WorkerPool& pool, Work work, Done done) {
  using Result = decltype(work());
  auto result = std::make_shared<std::unique_ptr<Result>>();
  pool.Run(
      [work = std::move(work), result]() mutable { *result = std::make_unique<Result>(work()); },
      [done = std::move(done), result]() mutable { done(std::move(**result)); });
}

class ThreadWorkerPool final : public WorkerPool {
 public:
  ThreadWorkerPool(EventLoop& loop, int threads);
  // Waits for work that runs now; drops what has not begun. Loop thread.
  ~ThreadWorkerPool() override;

  void Run(absl::AnyInvocable<void()> work, absl::AnyInvocable<void()> done) override;

 private:
  struct Job {
    absl::AnyInvocable<void()> work;
    absl::AnyInvocable<void()> done;
  };

  void RunJobs();

  EventLoop& loop_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // Loop thread only.
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;   // Guarded by mutex_.
  bool stopping_ = false;  // Guarded by mutex_.
  std::vector<std::thread> threads_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_OS_WORKER_POOL_H_
