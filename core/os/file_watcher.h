// Tells when files of a folder change: status files of jobs, BuildConfig. Loop thread only.

#ifndef PODFERRY_CORE_OS_FILE_WATCHER_H_
#define PODFERRY_CORE_OS_FILE_WATCHER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/os/asio_event_loop.h"
#include "core/os/event_loop.h"

namespace podferry {

class FileWatcher {
 public:
  // The names (without the folder) that were created, written, replaced or removed, sorted, each
  // once. Empty: something changed, or the folder itself is gone; look at it all.
  using Callback = absl::AnyInvocable<void(const std::vector<std::string>& names)>;

  virtual ~FileWatcher() = default;

  // Calls `callback` on the loop after changes directly in `folder`, until the subscription ends; a
  // burst of changes is one call. A change that falls together with the call of Watch() may or may
  // not be told: read the files after it. NOT_FOUND: no such folder.
  [[nodiscard]] virtual absl::StatusOr<Subscription> Watch(const std::string& folder,
                                                           Callback callback) = 0;
};

class PosixFileWatcher final : public FileWatcher {
 public:
  struct Options {
    absl::Duration batch = absl::Milliseconds(5);  // Changes within this time are one call.
    // inotify does not see what other machines write (NFS, Lustre and the like), and its watches
    // can run out: such folders are read this often instead.
    absl::Duration poll_interval = absl::Seconds(1);
    bool use_inotify = true;
  };

  explicit PosixFileWatcher(AsioEventLoop& loop);
  PosixFileWatcher(AsioEventLoop& loop, const Options& options);
  ~PosixFileWatcher() override;

  [[nodiscard]] absl::StatusOr<Subscription> Watch(const std::string& folder,
                                                   Callback callback) override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_OS_FILE_WATCHER_H_
