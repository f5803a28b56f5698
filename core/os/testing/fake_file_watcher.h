// A file watcher that tells what a test says has changed.

#ifndef PODFERRY_CORE_OS_TESTING_FAKE_FILE_WATCHER_H_
#define PODFERRY_CORE_OS_TESTING_FAKE_FILE_WATCHER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/os/event_loop.h"
#include "core/os/file_watcher.h"

namespace podferry {

class FakeFileWatcher final : public FileWatcher {
 public:
  explicit FakeFileWatcher(EventLoop& loop) : loop_(loop) {}

  [[nodiscard]] absl::StatusOr<Subscription> Watch(const std::string& folder,
                                                   Callback callback) override {
    const int64_t id = next_id_++;
    (*watches_)[id] = {folder, std::make_shared<Callback>(std::move(callback))};
    return Subscription([watches = watches_, id] { watches->erase(id); });
  }

  // Posts a change to all who watch `folder`.
  void Change(const std::string& folder, std::vector<std::string> names) {
    for (const auto& [id, watch] : *watches_) {
      if (watch.folder != folder) continue;
      loop_.Post([watches = watches_, id = id, names] {
        auto it = watches->find(id);
        if (it == watches->end()) return;
        std::shared_ptr<Callback> callback = it->second.callback;  // It may end its own watch.
        (*callback)(names);
      });
    }
  }

  bool IsWatched(const std::string& folder) const {
    for (const auto& [id, watch] : *watches_) {
      if (watch.folder == folder) return true;
    }
    return false;
  }

 private:
  struct FolderWatch {
    std::string folder;
    std::shared_ptr<Callback> callback;
  };

  EventLoop& loop_;
  int64_t next_id_ = 0;
  std::shared_ptr<std::map<int64_t, FolderWatch>> watches_ =
      std::make_shared<std::map<int64_t, FolderWatch>>();
};

}  // namespace podferry

#endif  // PODFERRY_CORE_OS_TESTING_FAKE_FILE_WATCHER_H_
