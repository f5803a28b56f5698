// Who wants to know when a connection comes and goes (Bus::WatchConnection). Owned by a Bus; loop
// thread only. Watchers run from tasks of the loop, in the order of what happened.

#ifndef PODFERRY_CORE_NATS_CONNECTION_WATCHERS_H_
#define PODFERRY_CORE_NATS_CONNECTION_WATCHERS_H_

#include <memory>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "core/nats/bus.h"
#include "core/os/event_loop.h"

namespace podferry {

class ConnectionWatchers {
 public:
  explicit ConnectionWatchers(EventLoop& loop) : loop_(loop) {}
  ConnectionWatchers(const ConnectionWatchers&) = delete;
  ConnectionWatchers& operator=(const ConnectionWatchers&) = delete;

  // The watcher hears of the present state, if that is `connected`, and of each change from here
  // on, until the handle is gone.
  [[nodiscard]] std::unique_ptr<Bus::Handle> Add(absl::AnyInvocable<void(bool)> watcher,
                                                 bool connected);

  void Tell(bool connected);

 private:
  struct Watch {
    absl::AnyInvocable<void(bool)> watcher;
    bool told = false;
  };
  class WatchHandle;

  static void TellOne(const std::weak_ptr<Watch>& weak, bool connected);

  EventLoop& loop_;
  std::vector<std::weak_ptr<Watch>> watches_;  // each owned by its handle
};

}  // namespace podferry

#endif  // PODFERRY_CORE_NATS_CONNECTION_WATCHERS_H_
