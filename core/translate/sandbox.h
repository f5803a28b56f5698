// The contract between the script and who runs it. The script is started as `bash <file>` with
// PODFERRY_SANDBOX naming a folder that is its own (0700, made by the script when absent). All
// below lies in that folder; every file but `started` and the logs is written to a temporary name
// and renamed, so that a reader never sees half a file.
//
//   started          the fence: made exclusively, as the script's first act. A script that finds it
//                    leaves with kSecondStartExitCode and touches nothing. Who deletes a job makes
//                    it first (content "deleted").
//   script.pid       "boot_id pid start_time" of the script's own process (start_time: field 22 of
//                    /proc/pid/stat). SIGTERM to it is the way to end the job: preStop, SIGTERM to
//                    every container, grace, SIGKILL, statuses and `finished` written.
//   status/<index>.<name>
//                    one file per container (index: two or more digits, init containers first, in
//                    the order of the spec), see ParseContainerFile. Before the first is there, the
//                    container is waiting.
//   logs/<index>.<name>/<attempt>.log
//                    stdout and stderr as written; attempts count from 0, the last ten are kept
//   logs/<index>.<name>/<attempt>.marks
//                    "<unix seconds with fraction> <bytes>" lines: the log's size at that time, one
//                    at the start, one at the end, and every 200 ms where it grew
//   finished         written last, see ParseFinishedFile
//   volumes/ files/ run/ ...   private to the script, and gone when it has ended
//
// PODFERRY_HIDE may name what else lies at the pool and is not for containers that run on its files
// (runtime host): folders and files, physical absolute paths, one a line, with % and newline
// written as %25 and %0A. Under bubblewrap they are empty to a container.
//
// The functions here are pure, for any thread.

#ifndef PODFERRY_CORE_TRANSLATE_SANDBOX_H_
#define PODFERRY_CORE_TRANSLATE_SANDBOX_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/job/job_status.h"

namespace podferry {

inline constexpr int kSecondStartExitCode = 213;
inline constexpr char kSandboxVariable[] = "PODFERRY_SANDBOX";
inline constexpr char kHideVariable[] = "PODFERRY_HIDE";

struct SandboxPaths {
  static std::string Started(absl::string_view sandbox);
  static std::string ScriptPid(absl::string_view sandbox);
  static std::string Finished(absl::string_view sandbox);
  static std::string StatusFolder(absl::string_view sandbox);
  static std::string LogFolder(absl::string_view sandbox);
  static std::string ContainerFile(int index, absl::string_view container);  // "00.main"
  static std::string Status(absl::string_view sandbox, int index, absl::string_view container);
  static std::string Log(absl::string_view sandbox, int index, absl::string_view container,
                         int attempt);
  static std::string Marks(absl::string_view sandbox, int index, absl::string_view container,
                           int attempt);
};

// Reads a status file into a ContainerStatus (name, init, sidecar and image are the caller's to
// fill). "key=value" lines with the keys state (waiting, running, terminated), reason, message
// (percent-encoded), started, finished (unix seconds with fraction), exit, signal, restarts, ready
// (0 or 1), starting (1 while the postStart hook or the startup probe is not done; 0 when absent),
// image_id, and last_* for the attempt before. Unknown keys are ignored; InvalidArgument
// names the line that cannot be read.
absl::StatusOr<ContainerStatus> ParseContainerFile(absl::string_view text);

// "exit=<code>" (0 only if all went well, whatever the reason), "reason=<a FailureReason, or
// Completed>" and "message=<percent-encoded>" lines; `exit` must be there.
struct FinishedFile {
  int exit_code = 0;
  FailureReason failure = FailureReason::kUnspecified;  // kUnspecified: Completed
  std::string message;
};
absl::StatusOr<FinishedFile> ParseFinishedFile(absl::string_view text);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_SANDBOX_H_
