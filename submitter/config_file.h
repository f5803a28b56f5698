// The pool's BuildConfig, as the operator's file says it now. An edited file is read again; one
// that cannot be read, or has mistakes, is reported with all of them and the last good one stays.
//
// Owned by the daemon; loop thread only.

#ifndef PODFERRY_SUBMITTER_CONFIG_FILE_H_
#define PODFERRY_SUBMITTER_CONFIG_FILE_H_

#include <memory>
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

  // Reads the file, blocking. An empty path: kWithoutFile. Errors: the file system's, or
  // INVALID_ARGUMENT with every mistake in the text.
  static absl::StatusOr<std::unique_ptr<ConfigFile>> Open(std::string path,
                                                          FileSystem& file_system);

  const BuildConfig& config() const { return config_; }

  // Calls back on the loop whenever config() has changed.
  void Watch(FileWatcher& watcher, WorkerPool& pool, absl::AnyInvocable<void()> changed);

 private:
  ConfigFile(std::string path, FileSystem& file_system, BuildConfig config, std::string text)
      : path_(std::move(path)),
        file_system_(file_system),
        config_(std::move(config)),
        text_(std::move(text)) {}

  void ReadAgain();
  void OnText(absl::StatusOr<std::string> text);

  const std::string path_;
  FileSystem& file_system_;
  BuildConfig config_;
  std::string text_;
  WorkerPool* pool_ = nullptr;
  absl::AnyInvocable<void()> changed_;
  Subscription watch_;
  Lifetime lifetime_;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_CONFIG_FILE_H_
