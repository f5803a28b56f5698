#include "core/nats/connection_watchers.h"

#include <algorithm>
#include <utility>

namespace podferry {

class ConnectionWatchers::WatchHandle final : public Bus::Handle {
 public:
  explicit WatchHandle(std::shared_ptr<Watch> watch) : watch_(std::move(watch)) {}

 private:
  std::shared_ptr<Watch> watch_;
};

std::unique_ptr<Bus::Handle> ConnectionWatchers::Add(absl::AnyInvocable<void(bool)> watcher,
                                                     bool connected) {
  auto watch = std::make_shared<Watch>();
  watch->watcher = std::move(watcher);
  watches_.erase(std::remove_if(watches_.begin(), watches_.end(),
                                [](const std::weak_ptr<Watch>& w) { return w.expired(); }),
                 watches_.end());
  const std::weak_ptr<Watch> weak = watch;
  watches_.push_back(weak);
  if (connected) loop_.Post([weak] { TellOne(weak, true); });
  return std::make_unique<WatchHandle>(std::move(watch));
}

void ConnectionWatchers::Tell(bool connected) {
  loop_.Post([watches = watches_, connected] {
    for (const std::weak_ptr<Watch>& watch : watches) TellOne(watch, connected);
  });
}

void ConnectionWatchers::TellOne(const std::weak_ptr<Watch>& weak, bool connected) {
  // Held during the call: a watcher may drop its own handle.
  const std::shared_ptr<Watch> watch = weak.lock();
  if (watch == nullptr || watch->told == connected) return;
  watch->told = connected;
  watch->watcher(connected);
}

}  // namespace podferry
