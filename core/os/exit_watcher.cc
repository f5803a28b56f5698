#include "core/os/exit_watcher.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/os/unique_fd.h"

namespace podferry {
namespace {

// Waits for `pid` if it is a child of ours that has ended.
ProcessExit Reap(pid_t pid) {
  ProcessExit exit;
  int status = 0;
  if (RetryInterrupted([&] { return waitpid(pid, &status, WNOHANG); }) != pid) return exit;
  if (WIFEXITED(status)) exit.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) exit.signal = WTERMSIG(status);
  return exit;
}

size_t MaxPidfds() {
  rlimit limit = {};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur / 2 : 0;
}

// A pidfd of that very process; invalid if it is gone, or where the kernel has no pidfds.
UniqueFd OpenPidfd(const ProcessIdentity& process) {
  UniqueFd fd(static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0)));
  if (!fd.valid()) return fd;
  // Opened first, looked at afterwards: the pid was still this process's when it was opened.
  const absl::StatusOr<ProcessIdentity> now = IdentityOf(process.pid);
  if (!now.ok() || *now != process) return UniqueFd();
  return fd;
}

}  // namespace

struct PosixExitWatcher::State : std::enable_shared_from_this<State> {
  struct Entry {
    ProcessIdentity process;
    std::shared_ptr<Callback> callback;  // Null: nobody wants to know.
    UniqueFd pidfd;
    Subscription readable;  // Ends before the descriptor is closed.
  };

  State(AsioEventLoop& loop, absl::Duration poll_interval, bool use_pidfd)
      : loop(loop), poll_interval(poll_interval), max_pidfds(use_pidfd ? MaxPidfds() : 0) {}

  void Add(const ProcessIdentity& process, Callback callback) {
    const std::string key = process.ToString();
    Entry& entry = entries[key];
    entry.process = process;
    entry.callback = std::make_shared<Callback>(std::move(callback));
    if (entry.pidfd.valid()) return;  // Watched before, and forgotten.
    if (entries.size() <= max_pidfds) entry.pidfd = OpenPidfd(process);
    if (entry.pidfd.valid()) {
      entry.readable = loop.OnReadable(entry.pidfd.get(), [weak = weak_from_this(), key] {
        if (auto state = weak.lock()) state->Ended(key);
      });
    } else if (!IsAlive(process)) {
      loop.Post([weak = weak_from_this(), key] {
        if (auto state = weak.lock()) state->Ended(key);
      });
    } else {
      SchedulePoll();
    }
  }

  void Ended(const std::string& key) {
    auto node = entries.extract(key);
    if (!node) return;
    Entry& entry = node.mapped();
    entry.readable.Cancel();
    // Only while the identity holds is the pid the one that ended; a zombie's still is.
    const absl::StatusOr<ProcessIdentity> now = IdentityOf(entry.process.pid);
    const ProcessExit exit =
        now.ok() && *now == entry.process ? Reap(entry.process.pid) : ProcessExit();
    if (entry.callback != nullptr) (*entry.callback)(exit);
  }

  void SchedulePoll() {
    if (polling) return;
    polling = true;
    poll = loop.RunAfter(poll_interval, [this] { Poll(); });
  }

  void Poll() {
    polling = false;
    std::vector<std::string> ended;
    bool some_left = false;
    for (const auto& [key, entry] : entries) {
      if (entry.pidfd.valid()) continue;
      if (IsAlive(entry.process)) {
        some_left = true;
      } else {
        ended.push_back(key);
      }
    }
    if (some_left) SchedulePoll();
    // A callback may destroy the watcher.
    std::shared_ptr<State> keep = shared_from_this();
    for (const std::string& key : ended) Ended(key);
  }

  AsioEventLoop& loop;
  const absl::Duration poll_interval;
  const size_t max_pidfds;
  std::map<std::string, Entry> entries;
  bool polling = false;
  Timer poll;
};

PosixExitWatcher::PosixExitWatcher(AsioEventLoop& loop, absl::Duration poll_interval,
                                   bool use_pidfd)
    : state_(std::make_shared<State>(loop, poll_interval, use_pidfd)) {}

PosixExitWatcher::~PosixExitWatcher() {
  state_->poll.Cancel();
  auto entries = std::move(state_->entries);
  state_->entries.clear();
}

Subscription PosixExitWatcher::Watch(const ProcessIdentity& process, Callback callback) {
  state_->Add(process, std::move(callback));
  return Subscription([weak = std::weak_ptr<State>(state_), key = process.ToString()] {
    auto state = weak.lock();
    if (state == nullptr) return;
    // The entry stays, so that a child is waited for.
    if (auto it = state->entries.find(key); it != state->entries.end()) {
      it->second.callback = nullptr;
    }
  });
}

}  // namespace podferry
