// An exit watcher whose processes end when a test says so.

#ifndef PODFERRY_CORE_OS_TESTING_FAKE_EXIT_WATCHER_H_
#define PODFERRY_CORE_OS_TESTING_FAKE_EXIT_WATCHER_H_

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "core/os/event_loop.h"
#include "core/os/exit_watcher.h"
#include "core/os/process.h"

namespace podferry {

class FakeExitWatcher final : public ExitWatcher {
 public:
  explicit FakeExitWatcher(EventLoop& loop) : loop_(loop) {}

  [[nodiscard]] Subscription Watch(const ProcessIdentity& process, Callback callback) override {
    const std::string key = process.ToString();
    (*watches_)[key] = std::move(callback);
    return Subscription([watches = watches_, key] { watches->erase(key); });
  }

  // Ends `process`; its callback (if anyone watches) is posted to the loop.
  void End(const ProcessIdentity& process, ProcessExit exit) {
    loop_.Post([watches = watches_, key = process.ToString(), exit] {
      if (auto watch = watches->extract(key)) watch.mapped()(exit);
    });
  }

  bool IsWatched(const ProcessIdentity& process) const {
    return watches_->count(process.ToString()) > 0;
  }

 private:
  EventLoop& loop_;
  std::shared_ptr<std::map<std::string, Callback>> watches_ =
      std::make_shared<std::map<std::string, Callback>>();
};

}  // namespace podferry

#endif  // PODFERRY_CORE_OS_TESTING_FAKE_EXIT_WATCHER_H_
