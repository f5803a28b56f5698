// A deadline that moves at every request and hardly ever passes. Moving it later costs a store, as
// the timer beneath is left alone and looks again when it fires. Internal to core/http; loop
// thread.

#ifndef PODFERRY_CORE_HTTP_LAZY_DEADLINE_H_
#define PODFERRY_CORE_HTTP_LAZY_DEADLINE_H_

#include <utility>
//
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"

namespace podferry::http_internal {

class LazyDeadline {
 public:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;

  // `on_passed` is called once each time the deadline passes, never after the destructor, which it
  // may lead to.
  LazyDeadline(boost::asio::io_context& context, absl::AnyInvocable<void()> on_passed);
  ~LazyDeadline();
  LazyDeadline(const LazyDeadline&) = delete;
  LazyDeadline& operator=(const LazyDeadline&) = delete;

  // So long from now; Time::max() for what is too long to tell.
  static Time After(absl::Duration delay);

  void Set(Time deadline);
  void SetAfter(absl::Duration delay) { Set(After(delay)); }
  void Clear() { state_->deadline = Time::max(); }

 private:
  using Timer = boost::asio::basic_waitable_timer<Clock, boost::asio::wait_traits<Clock>,
                                                  boost::asio::io_context::executor_type>;
  struct State {
    State(boost::asio::io_context& context, absl::AnyInvocable<void()> callback)
        : timer(context), on_passed(std::move(callback)) {}
    Timer timer;
    absl::AnyInvocable<void()> on_passed;
    bool alive = true;
    Time deadline = Time::max();
    Time armed_for = Time::max();  // when the timer fires; at or before `deadline`
  };
  static void Arm(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_;
};

}  // namespace podferry::http_internal

#endif  // PODFERRY_CORE_HTTP_LAZY_DEADLINE_H_
