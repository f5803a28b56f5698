// Makes the backend that the command line names.

#ifndef PODFERRY_SUBMITTER_BACKEND_FACTORY_H_
#define PODFERRY_SUBMITTER_BACKEND_FACTORY_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/os/event_loop.h"
#include "core/os/exit_watcher.h"
#include "core/os/file_system.h"
#include "core/os/file_watcher.h"
#include "core/os/worker_pool.h"
#include "submitter/backend/backend.h"

namespace podferry {

// What backends are made from; all of it outlives them.
struct BackendParts {
  FileSystem& file_system;
  FileWatcher& file_watcher;
  ExitWatcher& exit_watcher;
  WorkerPool& pool;
  const Clock& clock;
  EventLoop& loop;
};

struct BackendSettings {
  std::string sandboxes;            // an absolute folder for what jobs write
  std::vector<std::string> hidden;  // folders and files that no job may see; "" is none
  absl::Duration fake_run_time;     // of `fake`: how long its jobs take
};

// The names that users may give; `fake` is not among them.
std::vector<std::string> BackendNames();

// INVALID_ARGUMENT, listing the names, for another one.
absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(absl::string_view name,
                                                     const BackendSettings& settings,
                                                     const BackendParts& parts);

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_BACKEND_FACTORY_H_
