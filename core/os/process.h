// Processes that outlive the daemon that started them. A process is named by what nothing else ever
// has: the boot of the machine, the pid, and the tick it started at; a pid alone is used again.
//
// The functions may be called from any thread and do not block beyond a fork.

#ifndef PODFERRY_CORE_OS_PROCESS_H_
#define PODFERRY_CORE_OS_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace podferry {

struct ProcessIdentity {
  std::string boot_id;      // /proc/sys/kernel/random/boot_id
  pid_t pid = 0;            // In our PID namespace.
  uint64_t start_time = 0;  // Clock ticks after boot: field 22 of /proc/PID/stat, see proc(5).

  // "BOOT_ID/PID/START_TIME", for journals; Parse reads it back or says INVALID_ARGUMENT.
  std::string ToString() const;
  static absl::StatusOr<ProcessIdentity> Parse(absl::string_view text);

  friend bool operator==(const ProcessIdentity&, const ProcessIdentity&) = default;
};

absl::StatusOr<ProcessIdentity> OwnIdentity();

// The identity of whatever has `pid` now; NOT_FOUND if nothing has.
absl::StatusOr<ProcessIdentity> IdentityOf(pid_t pid);

// Whether that very process still runs. One that ended but was not waited for (a zombie) does not.
bool IsAlive(const ProcessIdentity& identity);

// Sends a signal to that very process; NOT_FOUND when it is gone, never a signal to another that
// has its pid now.
absl::Status Signal(const ProcessIdentity& leader, int signal);

// Sends a signal to the process group that `leader` (from StartDetached) leads, also when the
// leader has ended and left others behind. NOT_FOUND when nobody is left. Processes that made a
// session of their own are not reached.
absl::Status SignalGroup(const ProcessIdentity& leader, int signal);

struct DetachedCommand {
  std::vector<std::string> argv;  // argv[0] without '/' is looked up in our PATH.
  // The whole environment; nothing: ours.
  std::optional<std::vector<std::pair<std::string, std::string>>> env;
  std::string cwd;  // Empty: ours.
  // Paths; outputs are created (mode 0600) or appended to. Empty: /dev/null. Relative ones are
  // meant from our folder, not from `cwd`.
  std::string stdin_path;
  std::string stdout_path;
  std::string stderr_path;  // The same path as stdout_path shares its file description.
};

// Starts a process in a session and group of its own which lives on when we end. It gets no file
// descriptor of ours but the three above, and default signals. Errors: NOT_FOUND, PERMISSION_DENIED
// (no such program, folder or file, or not ours to use), INVALID_ARGUMENT (arguments longer than
// the kernel takes), UNAVAILABLE (no more processes); with an error, nothing runs.
absl::StatusOr<ProcessIdentity> StartDetached(const DetachedCommand& command);

namespace process_internal {

struct ProcStat {
  char state = '?';
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  uint64_t start_time = 0;
};

// Reads a line of /proc/PID/stat, whose second field may hold any byte, ")" and blanks included.
absl::StatusOr<ProcStat> ParseProcStat(absl::string_view line);

}  // namespace process_internal
}  // namespace podferry

#endif  // PODFERRY_CORE_OS_PROCESS_H_
