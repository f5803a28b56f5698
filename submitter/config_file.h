// The pool's BuildConfig, as the operator's file says it now. An edited file is read again: one
// that was written anew, replaced by another (editors), or swapped with the folder that it lies in
// (Kubernetes' ConfigMaps). What was read counts once it has stayed the same for 100 ms: nobody is
// to work with the half of a file that is being written. One that cannot be read, or has mistakes,
// is reported with all of them, and the last good one stays.
//
// Owned by the daemon; loop thread only.

#ifndef PODFERRY_SUBMITTER_CONFIG_FILE_H_
#define PODFERRY_SUBMITTER_CONFIG_FILE_H_

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "core/os/event_loop.h"
#include "core/os/file_system.h"
#include "core/os/file_watcher.h"
#include "core/os/worker_pool.h"
#include "core/pool/build_config.h"
#include "submitter/lifetime.h"

namespace podferry {

class ConfigFile {
 public:
  // What stands when there is no file: the pool's machines run pods as they are. A batch system's
  // pool wants a file in any case; a workstation's should do without.
  static constexpr char kWithoutFile[] = "[runtime]\nkind = \"host\"\n";

  // Reads the file, blocking. An empty path: kWithoutFile. `strict`: what is unknown in it is a
  // mistake, now and later. Errors: the file system's, or INVALID_ARGUMENT with every mistake in
  // the text.
  static absl::StatusOr<std::unique_ptr<ConfigFile>> Open(std::string path, FileSystem& file_system,
                                                          bool strict = false);

  const BuildConfig& config() const { return config_; }
  // Why the file as it is now is not in use; empty when it is.
  const std::string& problem() const { return problem_; }

  // Calls back on the loop whenever config() or problem() has changed.
  void Watch(FileWatcher& watcher, WorkerPool& pool, EventLoop& loop,
             absl::AnyInvocable<void()> changed);

 private:
  ConfigFile(std::string path, FileSystem& file_system, bool strict, BuildConfig config,
             std::string text)
      : path_(std::move(path)),
        file_system_(file_system),
        strict_(strict),
        config_(std::move(config)),
        text_(std::move(text)) {}

  void WatchFolders();
  void ReadNowAndThen();
  void ReadAgain(bool settled);
  void OnRead(absl::StatusOr<std::string> text, bool settled);
  void OnText(absl::StatusOr<std::string> text);
  void OnProblem(std::string problem);

  const std::string path_;
  FileSystem& file_system_;
  const bool strict_;
  BuildConfig config_;
  std::optional<std::string> text_;  // none: the file was not there
  std::string problem_;
  std::optional<absl::StatusOr<std::string>> unsettled_;  // read, but just now
  FileWatcher* watcher_ = nullptr;
  WorkerPool* pool_ = nullptr;
  EventLoop* loop_ = nullptr;
  absl::AnyInvocable<void()> changed_;
  std::map<std::string, Subscription> watches_;  // by folder
  Timer timer_;
  Timer settle_timer_;
  Lifetime lifetime_;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_CONFIG_FILE_H_
