#include "core/os/file_watcher.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/os/folder_snapshot.h"
#include "core/os/unique_fd.h"

namespace podferry {
namespace {

constexpr int kReadsPerTurn = 4;

constexpr uint32_t kEvents = IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE |
                             IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF |
                             IN_ONLYDIR;

absl::Status CheckFolder(const std::string& folder) {
  struct stat info;
  if (stat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("no folder ", folder));
}

}  // namespace

struct PosixFileWatcher::State : std::enable_shared_from_this<State> {
  struct FolderWatch {
    std::string folder;
    std::shared_ptr<Callback> callback;
    int descriptor = -1;  // Of inotify; -1: the folder is read now and then.
    FolderSnapshot snapshot;

    std::set<std::string> changed;  // Not told yet.
    bool all_changed = false;
    Timer batch;
    bool batching = false;
  };

  State(AsioEventLoop& loop, const Options& options) : loop(loop), options(options) {
    if (!options.use_inotify) return;
    inotify = UniqueFd(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    if (inotify.valid()) readable = loop.OnReadable(inotify.get(), [this] { ReadEvents(); });
  }

  int64_t Add(const std::string& folder, Callback callback) {
    const int64_t id = next_id++;
    FolderWatch& watch = watches[id];
    watch.folder = folder;
    watch.callback = std::make_shared<Callback>(std::move(callback));
    if (inotify.valid() && !IsOnSharedFileSystem(folder)) {
      watch.descriptor = inotify_add_watch(inotify.get(), folder.c_str(), kEvents);
    }
    if (watch.descriptor < 0) {
      watch.snapshot = FolderSnapshot::Take(folder);
      SchedulePoll();
    }
    return id;
  }

  void Remove(int64_t id) {
    auto node = watches.extract(id);
    if (!node) return;
    const int descriptor = node.mapped().descriptor;
    // The same folder watched twice has one descriptor.
    for (const auto& [other, watch] : watches) {
      if (watch.descriptor == descriptor) return;
    }
    if (descriptor >= 0) inotify_rm_watch(inotify.get(), descriptor);
  }

  void ReadEvents() {
    alignas(inotify_event) char buffer[16 << 10];
    ssize_t got;
    // The rest is read in another turn of the loop: whoever writes all the time must not keep us
    // here for ever.
    for (int reads = 0;
         reads < kReadsPerTurn && (got = read(inotify.get(), buffer, sizeof(buffer))) > 0;
         ++reads) {
      for (ssize_t at = 0; at < got;) {
        const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
        at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
        const bool has_name = event->len > 0 && (event->mask & IN_Q_OVERFLOW) == 0;
        Note(event->wd, has_name ? event->name : "");
      }
    }
  }

  // An empty name: anything may have changed. An overflow (wd -1) concerns all folders.
  void Note(int descriptor, const std::string& name) {
    for (auto& [id, watch] : watches) {
      if (watch.descriptor < 0 || (descriptor >= 0 && watch.descriptor != descriptor)) continue;
      if (name.empty()) {
        watch.all_changed = true;
      } else {
        watch.changed.insert(name);
      }
      ScheduleTelling(id, watch);
    }
  }

  void ScheduleTelling(int64_t id, FolderWatch& watch) {
    if (std::exchange(watch.batching, true)) return;
    watch.batch = loop.RunAfter(options.batch, [weak = weak_from_this(), id] {
      if (auto state = weak.lock()) state->Tell(id);
    });
  }

  void Tell(int64_t id) {
    auto it = watches.find(id);
    if (it == watches.end()) return;
    FolderWatch& watch = it->second;
    watch.batching = false;
    const std::set<std::string> names = std::exchange(watch.changed, {});
    const bool all = std::exchange(watch.all_changed, false);
    std::shared_ptr<Callback> callback = watch.callback;  // It may end its own watch.
    (*callback)(all ? std::vector<std::string>()
                    : std::vector<std::string>(names.begin(), names.end()));
  }

  void SchedulePoll() {
    if (std::exchange(polling, true)) return;
    poll = loop.RunAfter(options.poll_interval, [weak = weak_from_this()] {
      if (auto state = weak.lock()) state->Poll();
    });
  }

  void Poll() {
    polling = false;
    for (auto& [id, watch] : watches) {
      if (watch.descriptor >= 0) continue;
      FolderSnapshot now = FolderSnapshot::Take(watch.folder);
      const std::vector<std::string> changed = now.ChangedSince(watch.snapshot);
      watch.snapshot = std::move(now);
      watch.changed.insert(changed.begin(), changed.end());
      if (!changed.empty()) ScheduleTelling(id, watch);
      SchedulePoll();
    }
  }

  AsioEventLoop& loop;
  const Options options;
  UniqueFd inotify;
  Subscription readable;  // Ends before the descriptor is closed.
  std::map<int64_t, FolderWatch> watches;
  int64_t next_id = 0;
  bool polling = false;
  Timer poll;
};

PosixFileWatcher::PosixFileWatcher(AsioEventLoop& loop) : PosixFileWatcher(loop, Options()) {}

PosixFileWatcher::PosixFileWatcher(AsioEventLoop& loop, const Options& options)
    : state_(std::make_shared<State>(loop, options)) {}

PosixFileWatcher::~PosixFileWatcher() {
  state_->readable.Cancel();
  state_->poll.Cancel();
  auto watches = std::move(state_->watches);
  state_->watches.clear();
}

absl::StatusOr<Subscription> PosixFileWatcher::Watch(const std::string& folder, Callback callback) {
  if (absl::Status status = CheckFolder(folder); !status.ok()) return status;
  const int64_t id = state_->Add(folder, std::move(callback));
  return Subscription([weak = std::weak_ptr<State>(state_), id] {
    if (auto state = weak.lock()) state->Remove(id);
  });
}

}  // namespace podferry
