// An event loop that runs when a test says so, with the time of a FakeClock. The test's thread is
// the loop thread; Post() may come from any.

#ifndef PODFERRY_CORE_OS_TESTING_FAKE_EVENT_LOOP_H_
#define PODFERRY_CORE_OS_TESTING_FAKE_EVENT_LOOP_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "core/base/testing/fake_clock.h"
#include "core/os/event_loop.h"

namespace podferry {

class FakeEventLoop final : public EventLoop {
 public:
  explicit FakeEventLoop(FakeClock& clock);
  ~FakeEventLoop() override;

  void Post(absl::AnyInvocable<void()> task) override;
  [[nodiscard]] Timer RunAfter(absl::Duration delay, absl::AnyInvocable<void()> task) override;
  bool OnLoopThread() const override { return true; }

  // Runs posted tasks and due timers until none is left. Time stands still.
  void RunUntilIdle();

  // Moves the clock by `duration`, stopping at each timer on the way to run it (and what it posts)
  // at the time it was set for.
  void Advance(absl::Duration duration);

  // For code with real threads behind it (the journal's writer): runs tasks as other threads post
  // them until `condition` holds; false if it does not within `timeout` of real time.
  bool RunUntil(absl::FunctionRef<bool()> condition, absl::Duration timeout = absl::Seconds(30));

  size_t pending_timers() const;

 private:
  struct Timers;

  bool RunOneTask();
  bool RunOneDueTimer();

  FakeClock& clock_;
  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<absl::AnyInvocable<void()>> tasks_;
  std::shared_ptr<Timers> timers_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_OS_TESTING_FAKE_EVENT_LOOP_H_
