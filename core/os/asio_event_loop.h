// The event loop of the daemons: one boost::asio::io_context, run by one thread.
//
// main() owns it, builds everything on it, calls Run(), and destroys it last. This header only
// forward-declares Asio; who needs context() includes boost/asio/io_context.hpp itself.

#ifndef PODFERRY_CORE_OS_ASIO_EVENT_LOOP_H_
#define PODFERRY_CORE_OS_ASIO_EVENT_LOOP_H_

#include <initializer_list>
#include <memory>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "core/os/event_loop.h"

namespace boost::asio {
class io_context;
}  // namespace boost::asio

namespace podferry {

class AsioEventLoop final : public EventLoop {
 public:
  // Also makes the process ignore SIGPIPE and SIGXFSZ: a peer that went away and a file that may
  // not grow are errors of write(), not the end of a daemon.
  AsioEventLoop();
  ~AsioEventLoop() override;

  void Post(absl::AnyInvocable<void()> task) override;
  [[nodiscard]] Timer RunAfter(absl::Duration delay, absl::AnyInvocable<void()> task) override;
  bool OnLoopThread() const override;

  // Runs the loop on the calling thread until Stop(); it does not end for lack of work. Once: after
  // a Stop(), be it before or during a Run(), every further Run() returns at once, so that a stop
  // that comes early is not lost.
  void Run();

  // Lets Run() return after the task that is running now, for good. Any thread.
  void Stop();

  // Runs what is ready now, without waiting; for tests that share their thread with a real loop.
  void RunReady();

  // Calls `callback` on the loop with the number of each of these signals that arrives. One call
  // per loop and signal set; the default action is back when the subscription ends.
  [[nodiscard]] Subscription OnSignals(std::initializer_list<int> signals,
                                       absl::AnyInvocable<void(int)> callback);

  // Calls `callback` on the loop whenever `fd` is readable, until the subscription ends, which it
  // must before `fd` is closed. The callback reads what is there: it is level-triggered. Loop
  // thread.
  [[nodiscard]] Subscription OnReadable(int fd, absl::AnyInvocable<void()> callback);

  boost::asio::io_context& context();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_OS_ASIO_EVENT_LOOP_H_
