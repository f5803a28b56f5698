#include "core/os/asio_event_loop.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <initializer_list>
#include <memory>
#include <thread>
#include <utility>

#include "glog/logging.h"

namespace podferry {
namespace asio = boost::asio;
using boost::system::error_code;

struct AsioEventLoop::State {
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(context);
  std::atomic<std::thread::id> thread{};
};

namespace {

// A pending wait. Only Asio's handler owns it, so that it goes away with the io_context at the
// latest; subscriptions refer to it weakly and may therefore outlive the loop.
struct TimerWait {
  explicit TimerWait(asio::io_context& context) : timer(context) {}
  asio::steady_timer timer;
  absl::AnyInvocable<void()> task;
  bool cancelled = false;
};

struct SignalWait {
  explicit SignalWait(asio::io_context& context) : signals(context) {}
  asio::signal_set signals;
  absl::AnyInvocable<void(int)> callback;
  bool cancelled = false;
};

struct ReadableWait {
  explicit ReadableWait(asio::io_context& context) : descriptor(context) {}
  // The descriptor is not ours to close.
  ~ReadableWait() {
    if (descriptor.is_open()) descriptor.release();
  }
  asio::posix::stream_descriptor descriptor;
  absl::AnyInvocable<void()> callback;
  bool cancelled = false;
};

void WaitForSignal(std::shared_ptr<SignalWait> wait) {
  SignalWait& it = *wait;
  it.signals.async_wait([wait = std::move(wait)](const error_code& error, int signal) {
    if (error || wait->cancelled) return;
    wait->callback(signal);
    if (!wait->cancelled) WaitForSignal(wait);
  });
}

void WaitUntilReadable(std::shared_ptr<ReadableWait> wait) {
  ReadableWait& it = *wait;
  it.descriptor.async_wait(asio::posix::descriptor_base::wait_read,
                           [wait = std::move(wait)](const error_code& error) {
                             if (error || wait->cancelled) return;
                             wait->callback();
                             if (!wait->cancelled) WaitUntilReadable(wait);
                           });
}

}  // namespace

AsioEventLoop::AsioEventLoop() : state_(std::make_unique<State>()) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

AsioEventLoop::~AsioEventLoop() = default;

void AsioEventLoop::Post(absl::AnyInvocable<void()> task) {
  asio::post(state_->context, [task = std::move(task)]() mutable { task(); });
}

Timer AsioEventLoop::RunAfter(absl::Duration delay, absl::AnyInvocable<void()> task) {
  // The clamp keeps "infinite" from overflowing the clock.
  const absl::Duration bounded = std::clamp(delay, absl::ZeroDuration(), absl::Hours(24 * 365));
  auto wait = std::make_shared<TimerWait>(state_->context);
  wait->task = std::move(task);
  wait->timer.expires_after(absl::ToChronoNanoseconds(bounded));
  std::weak_ptr<TimerWait> weak = wait;
  TimerWait& it = *wait;
  it.timer.async_wait([wait = std::move(wait)](const error_code& error) {
    if (!error && !wait->cancelled) wait->task();
  });
  return Timer([weak = std::move(weak)] {
    if (std::shared_ptr<TimerWait> wait = weak.lock()) {
      wait->cancelled = true;
      wait->timer.cancel();
    }
  });
}

bool AsioEventLoop::OnLoopThread() const {
  const std::thread::id thread = state_->thread.load();
  return thread == std::thread::id() || thread == std::this_thread::get_id();
}

void AsioEventLoop::Run() {
  state_->thread.store(std::this_thread::get_id());
  state_->context.run();
}

void AsioEventLoop::Stop() { state_->context.stop(); }

void AsioEventLoop::RunReady() {
  if (state_->context.stopped()) state_->context.restart();
  state_->context.poll();
}

Subscription AsioEventLoop::OnSignals(std::initializer_list<int> signals,
                                      absl::AnyInvocable<void(int)> callback) {
  auto wait = std::make_shared<SignalWait>(state_->context);
  wait->callback = std::move(callback);
  for (int signal : signals) {
    error_code error;
    wait->signals.add(signal, error);
    LOG_IF(FATAL, error) << "cannot wait for signal " << signal << ": " << error.message();
  }
  std::weak_ptr<SignalWait> weak = wait;
  WaitForSignal(std::move(wait));
  return Subscription([weak = std::move(weak)] {
    if (std::shared_ptr<SignalWait> wait = weak.lock()) {
      wait->cancelled = true;
      wait->signals.clear();
      wait->signals.cancel();
    }
  });
}

Subscription AsioEventLoop::OnReadable(int fd, absl::AnyInvocable<void()> callback) {
  auto wait = std::make_shared<ReadableWait>(state_->context);
  error_code error;
  wait->descriptor.assign(fd, error);
  LOG_IF(FATAL, error) << "cannot wait for descriptor " << fd << ": " << error.message();
  wait->callback = std::move(callback);
  std::weak_ptr<ReadableWait> weak = wait;
  WaitUntilReadable(std::move(wait));
  return Subscription([weak = std::move(weak)] {
    if (std::shared_ptr<ReadableWait> wait = weak.lock()) {
      wait->cancelled = true;
      wait->descriptor.release();
    }
  });
}

asio::io_context& AsioEventLoop::context() { return state_->context; }

}  // namespace podferry
