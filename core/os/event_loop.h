// The one thread that owns a daemon's state. Everything that happens elsewhere (a worker, a network
// library's thread) comes back by Post(); nothing on the loop may block.
//
// Owned by main(); given to constructors as a reference, and it outlives what it is given to.
// Production: core/os/asio_event_loop.h. Tests: core/os/testing/fake_event_loop.h.

#ifndef PODFERRY_CORE_OS_EVENT_LOOP_H_
#define PODFERRY_CORE_OS_EVENT_LOOP_H_

#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"

namespace podferry {

// Holds on to something that a destructor ends: a pending timer, a watch. Move only; an empty one
// does nothing. Ending it twice, or after it has fired, is harmless.
class Subscription {
 public:
  Subscription() = default;
  explicit Subscription(absl::AnyInvocable<void()> cancel) : cancel_(std::move(cancel)) {}
  Subscription(Subscription&& other) noexcept : cancel_(std::exchange(other.cancel_, nullptr)) {}
  Subscription& operator=(Subscription&& other) noexcept {
    if (this != &other) {
      Cancel();
      cancel_ = std::exchange(other.cancel_, nullptr);
    }
    return *this;
  }
  ~Subscription() { Cancel(); }

  void Cancel() {
    if (absl::AnyInvocable<void()> cancel = std::exchange(cancel_, nullptr)) cancel();
  }

 private:
  absl::AnyInvocable<void()> cancel_;
};

using Timer = Subscription;

class EventLoop {
 public:
  virtual ~EventLoop() = default;

  // Runs `task` on the loop thread, later, in the order of the calls. Any thread. Tasks that wait
  // when the loop is destroyed are destroyed without being run.
  virtual void Post(absl::AnyInvocable<void()> task) = 0;

  // Runs `task` once after `delay` by the monotonic clock; destroying (or cancelling) the timer
  // before that prevents it. A delay of zero or less is still later, never inline. Loop thread
  // only, as is destroying the timer; the timer may be destroyed by its own task, or after the
  // loop.
  [[nodiscard]] virtual Timer RunAfter(absl::Duration delay, absl::AnyInvocable<void()> task) = 0;

  // Whether the caller runs on the loop: for assertions. Before the loop runs, every thread does.
  virtual bool OnLoopThread() const = 0;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_OS_EVENT_LOOP_H_
