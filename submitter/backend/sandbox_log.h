// Logs of jobs whose sandbox (core/translate/sandbox.h) is a folder that is visible here: files
// that grow while containers write, and beside each the marks that say when it had which size.

#ifndef PODFERRY_SUBMITTER_BACKEND_SANDBOX_LOG_H_
#define PODFERRY_SUBMITTER_BACKEND_SANDBOX_LOG_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "core/os/file_system.h"
#include "core/os/file_watcher.h"
#include "core/os/worker_pool.h"
#include "submitter/backend/log_source.h"

namespace podferry {

struct SandboxLogQuery {
  std::string sandbox;
  int index = 0;
  std::string container;
  int attempt = -1;  // -1: the newest; -2: the one before it
};

// Reads a piece; blocks. An attempt that is not there (yet) is a piece that does not exist, except
// for the one before (-2): NOT_FOUND. `end` is said when the attempt was over before its size was
// taken, so no byte can follow.
absl::StatusOr<LogPiece> ReadSandboxLog(FileSystem& file_system, const SandboxLogQuery& query,
                                        const LogRange& range);

// The same as a LogSource. All that is passed must outlive it.
std::unique_ptr<LogSource> NewSandboxLog(SandboxLogQuery query, FileSystem& file_system,
                                         WorkerPool& pool, FileWatcher& watcher);

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_BACKEND_SANDBOX_LOG_H_
