// Tells when a process ends, whether it is our child or one that an earlier life of the daemon
// started. Loop thread only.

#ifndef PODFERRY_CORE_OS_EXIT_WATCHER_H_
#define PODFERRY_CORE_OS_EXIT_WATCHER_H_

#include <memory>
#include <optional>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "core/os/asio_event_loop.h"
#include "core/os/event_loop.h"
#include "core/os/process.h"

namespace podferry {

// How a process ended. Both are unknown when it was not our child: only a parent is told.
struct ProcessExit {
  std::optional<int> exit_code;
  std::optional<int> signal;

  friend bool operator==(const ProcessExit&, const ProcessExit&) = default;
};

class ExitWatcher {
 public:
  using Callback = absl::AnyInvocable<void(ProcessExit)>;

  virtual ~ExitWatcher() = default;

  // Calls `callback` once, later, when that process has ended (or if it already has). Ending the
  // subscription forgets the callback; a child is waited for all the same, so that no zombie stays.
  // One watch per process.
  [[nodiscard]] virtual Subscription Watch(const ProcessIdentity& process, Callback callback) = 0;
};

class PosixExitWatcher final : public ExitWatcher {
 public:
  // A pidfd per process, in the loop, up to half of the descriptors we may have; beyond that, and
  // where the kernel has none (before 5.3), /proc is looked at every `poll_interval`.
  explicit PosixExitWatcher(AsioEventLoop& loop,
                            absl::Duration poll_interval = absl::Milliseconds(200),
                            bool use_pidfd = true);
  ~PosixExitWatcher() override;

  [[nodiscard]] Subscription Watch(const ProcessIdentity& process, Callback callback) override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_OS_EXIT_WATCHER_H_
