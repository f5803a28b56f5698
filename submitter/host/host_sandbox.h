// One job's sandbox on this machine, as the host backend uses it beside what the script itself
// keeps there (core/translate/sandbox.h):
//
//   job.json   the job's description: lets a submitter without its records know the job again
//   job.sh     the script
//   script.log what the script itself says
//   host.pid   the process that was started for it (ProcessIdentity::ToString)
//
// All functions block and belong on the worker pool; for one sandbox, one at a time.

#ifndef PODFERRY_SUBMITTER_HOST_HOST_SANDBOX_H_
#define PODFERRY_SUBMITTER_HOST_HOST_SANDBOX_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/job/job_request.h"
#include "core/job/job_status.h"
#include "core/os/exit_watcher.h"
#include "core/os/file_system.h"
#include "core/os/process.h"
#include "submitter/backend/backend.h"
#include "submitter/host/job_environment.h"

namespace podferry {

struct SandboxView {
  enum class Kind {
    kNothing,  // no sandbox, or nothing was ever started in it
    kDeleted,  // only the fence of a deleted job
    kAlive,    // `process` runs, or is about to
    kEnded,    // it has ended, and said how
    kDied,     // it has ended without a word: Close() it
  };
  Kind kind = Kind::kNothing;
  std::optional<ProcessIdentity> process;     // known for all but kNothing, as a rule
  JobStatus status;                           // of kAlive and kEnded
  std::shared_ptr<const JobDescription> job;  // where job.json could be read
};

// `job`: the description, if it is known already.
SandboxView LookAt(FileSystem& file_system, const std::string& sandbox, const JobKey& key,
                   std::shared_ptr<const JobDescription> job);

// Ends what a script that died has left behind, and writes its `finished` for it. `exit`: how it
// ended, where that is known.
absl::Status Close(FileSystem& file_system, const std::string& sandbox, const SandboxView& view,
                   const ProcessExit& exit);

// LookAt(), and Close() what has died.
SandboxView Settle(FileSystem& file_system, const std::string& sandbox, const JobKey& key,
                   std::shared_ptr<const JobDescription> job, const ProcessExit& exit = {});

// Starts the script, unless something was started there before; the view says which. Errors: the
// file system's and StartDetached()'s; with one, nothing runs.
absl::StatusOr<SandboxView> StartIn(FileSystem& file_system, const std::string& sandbox,
                                    const Submission& submission, const Environment& environment);

// Makes the fence, so that nothing begins there from now on; then what there is.
absl::StatusOr<SandboxView> Fence(FileSystem& file_system, const std::string& sandbox,
                                  const JobKey& key);

// Kills all that is left of the job and removes all but the fence. UNAVAILABLE: something lives on.
absl::Status Demolish(FileSystem& file_system, const std::string& sandbox,
                      const std::optional<ProcessIdentity>& process);

// Removes fences of jobs deleted more than a day ago, and folders in which nothing was started.
// Those of `in_use` are left alone.
void PruneSandboxes(FileSystem& file_system, const std::string& root,
                    const absl::flat_hash_set<JobKey>& in_use, absl::Time now);

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_HOST_HOST_SANDBOX_H_
