// A pool without threads: work runs inside Run(), `done` is posted to the loop as in the real one.

#ifndef PODFERRY_CORE_OS_TESTING_INLINE_WORKER_POOL_H_
#define PODFERRY_CORE_OS_TESTING_INLINE_WORKER_POOL_H_

#include <utility>

#include "core/os/event_loop.h"
#include "core/os/worker_pool.h"

namespace podferry {

class InlineWorkerPool final : public WorkerPool {
 public:
  explicit InlineWorkerPool(EventLoop& loop) : loop_(loop) {}

  void Run(absl::AnyInvocable<void()> work, absl::AnyInvocable<void()> done) override {
    work();
    loop_.Post(std::move(done));
  }

 private:
  EventLoop& loop_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_OS_TESTING_INLINE_WORKER_POOL_H_
