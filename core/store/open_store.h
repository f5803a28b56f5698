// The store that --state names.

#ifndef PODFERRY_CORE_STORE_OPEN_STORE_H_
#define PODFERRY_CORE_STORE_OPEN_STORE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/os/event_loop.h"
#include "core/os/file_system.h"
#include "core/os/worker_pool.h"
#include "core/store/store.h"

namespace podferry {

// Opens DIR, or redis+unix:/path, or redis://host:port. A folder is created with mode 0700 and
// locked for as long as the store lives; its log lies in DIR/journal. A log that is empty although
// DIR/used or a damaged piece says that it was not is reported as lost by health(). Blocks.
// INVALID_ARGUMENT: a URL of another kind; UNAVAILABLE: another process holds the folder (the
// message says which), or no server; otherwise the errors of the stores' own Open().
absl::StatusOr<std::unique_ptr<Store>> OpenStore(const std::string& state, FileSystem& file_system,
                                                 EventLoop& loop, WorkerPool& pool);

// Removes what a journal's recovery put aside (NAME.damaged) longer ago than 90 days. Whether there
// was any, old or new: evidence that the journal has held something. Blocks.
bool RemoveOldDamaged(const std::string& folder, FileSystem& file_system, absl::Time now);

}  // namespace podferry

#endif  // PODFERRY_CORE_STORE_OPEN_STORE_H_
