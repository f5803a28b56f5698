#include "core/os/worker_pool.h"

#include <memory>
#include <mutex>
#include <utility>

namespace podferry {

ThreadWorkerPool::ThreadWorkerPool(EventLoop& loop, int threads) : loop_(loop) {
  threads_.reserve(threads);
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { RunJobs(); });
}

ThreadWorkerPool::~ThreadWorkerPool() {
  *alive_ = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadWorkerPool::Run(absl::AnyInvocable<void()> work, absl::AnyInvocable<void()> done) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    jobs_.push_back({std::move(work), std::move(done)});
  }
  wake_.notify_one();
}

void ThreadWorkerPool::RunJobs() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (stopping_) return;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job.work();
    job.work = nullptr;  // What it holds goes before `done` can run.
    loop_.Post([alive = alive_, done = std::move(job.done)]() mutable {
      if (*alive) done();
    });
    lock.lock();
  }
}

}  // namespace podferry
