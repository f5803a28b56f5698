#include "core/os/testing/fake_event_loop.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace podferry {

struct FakeEventLoop::Timers {
  // By the time they are due, then by age.
  std::map<std::pair<absl::Duration, int64_t>, absl::AnyInvocable<void()>> pending;
  int64_t next_id = 0;
};

FakeEventLoop::FakeEventLoop(FakeClock& clock)
    : clock_(clock), timers_(std::make_shared<Timers>()) {}

FakeEventLoop::~FakeEventLoop() {
  // What a task holds may cancel timers or post when it is destroyed: the members are still there.
  auto tasks = std::move(tasks_);
  tasks.clear();
  auto pending = std::move(timers_->pending);
  pending.clear();
}

void FakeEventLoop::Post(absl::AnyInvocable<void()> task) {
  std::lock_guard<std::mutex> lock(mutex_);
  tasks_.push_back(std::move(task));
  posted_.notify_all();
}

Timer FakeEventLoop::RunAfter(absl::Duration delay, absl::AnyInvocable<void()> task) {
  const std::pair key{clock_.Monotonic() + std::max(delay, absl::ZeroDuration()),
                      timers_->next_id++};
  timers_->pending.emplace(key, std::move(task));
  return Timer([timers = std::weak_ptr<Timers>(timers_), key] {
    // The node outlives the lock: destroying its task may cancel other timers.
    if (auto it = timers.lock()) auto node = it->pending.extract(key);
  });
}

void FakeEventLoop::RunUntilIdle() {
  while (RunOneTask() || RunOneDueTimer()) {
  }
}

void FakeEventLoop::Advance(absl::Duration duration) {
  RunUntilIdle();
  const absl::Duration end = clock_.Monotonic() + duration;
  while (!timers_->pending.empty() && timers_->pending.begin()->first.first <= end) {
    clock_.Advance(timers_->pending.begin()->first.first - clock_.Monotonic());
    RunUntilIdle();
  }
  clock_.Advance(end - clock_.Monotonic());
  RunUntilIdle();
}

bool FakeEventLoop::RunUntil(absl::FunctionRef<bool()> condition, absl::Duration timeout) {
  const auto deadline = std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(timeout);
  while (!condition()) {
    if (RunOneTask() || RunOneDueTimer()) continue;
    std::unique_lock<std::mutex> lock(mutex_);
    if (!posted_.wait_until(lock, deadline, [this] { return !tasks_.empty(); })) return false;
  }
  return true;
}

size_t FakeEventLoop::pending_timers() const { return timers_->pending.size(); }

bool FakeEventLoop::RunOneTask() {
  absl::AnyInvocable<void()> task;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (tasks_.empty()) return false;
    task = std::move(tasks_.front());
    tasks_.pop_front();
  }
  task();
  return true;
}

bool FakeEventLoop::RunOneDueTimer() {
  auto first = timers_->pending.begin();
  if (first == timers_->pending.end() || first->first.first > clock_.Monotonic()) return false;
  auto node = timers_->pending.extract(first);
  node.mapped()();
  return true;
}

}  // namespace podferry
