#include "core/os/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/status_macros.h"
#include "core/os/spawn.h"
#include "core/os/unique_fd.h"

namespace podferry {
namespace {

using process_internal::ParseProcStat;
using process_internal::ProcStat;

absl::StatusOr<std::string> ReadSmallFile(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return absl::NotFoundError(absl::StrCat("no ", path));
  char buffer[4096];
  const ssize_t got = RetryInterrupted([&] { return read(fd.get(), buffer, sizeof(buffer)); });
  // A process that is just ending: ESRCH.
  if (got <= 0) return absl::NotFoundError(absl::StrCat("nothing in ", path));
  return std::string(buffer, got);
}

// Does not change while we live, so it is read once.
const absl::StatusOr<std::string>& BootId() {
  static const auto* const boot_id = new absl::StatusOr<std::string>([] {
    absl::StatusOr<std::string> text = ReadSmallFile("/proc/sys/kernel/random/boot_id");
    if (text.ok()) absl::StripAsciiWhitespace(&*text);
    return text;
  }());
  return *boot_id;
}

absl::StatusOr<ProcStat> StatOf(pid_t pid) {
  PODFERRY_ASSIGN_OR_RETURN(std::string line, ReadSmallFile(absl::StrCat("/proc/", pid, "/stat")));
  return ParseProcStat(line);
}

bool HasEnded(const ProcStat& stat) { return stat.state == 'Z' || stat.state == 'X'; }

bool SameBoot(const ProcessIdentity& identity) {
  return BootId().ok() && *BootId() == identity.boot_id;
}

// Whether `identity` still names a process, a zombie included.
bool IsThere(const ProcessIdentity& identity) {
  const absl::StatusOr<ProcStat> stat = StatOf(identity.pid);
  return stat.ok() && stat->start_time == identity.start_time && SameBoot(identity);
}

absl::Status Gone(const ProcessIdentity& identity) {
  return absl::NotFoundError(absl::StrCat("process ", identity.pid, " has ended"));
}

absl::Status SignalResult(int result, const ProcessIdentity& identity) {
  if (result == 0) return absl::OkStatus();
  if (errno == ESRCH) return Gone(identity);
  const std::string text =
      absl::StrCat("signal process ", identity.pid, ": ", std::generic_category().message(errno));
  if (errno == EPERM) return absl::PermissionDeniedError(text);
  return absl::InvalidArgumentError(text);
}

// Whether some process that has not ended is in the group and session of `leader`.
bool HasMembers(pid_t leader) {
  DIR* proc = opendir("/proc");
  if (proc == nullptr) return false;
  bool found = false;
  while (const dirent* entry = readdir(proc)) {
    pid_t pid;
    if (!absl::SimpleAtoi(entry->d_name, &pid)) continue;
    const absl::StatusOr<ProcStat> stat = StatOf(pid);
    if (!stat.ok() || HasEnded(*stat)) continue;
    if (stat->group == leader && stat->session == leader) {
      found = true;
      break;
    }
  }
  closedir(proc);
  return found;
}

absl::StatusOr<UniqueFd> OpenStream(const std::string& path, int flags) {
  const char* name = path.empty() ? "/dev/null" : path.c_str();
  UniqueFd fd(open(name, flags | O_CLOEXEC | O_NOCTTY, 0600));
  if (fd.valid()) return fd;
  const std::string text =
      absl::StrCat("open ", name, ": ", std::generic_category().message(errno));
  if (errno == ENOENT || errno == ENOTDIR) return absl::NotFoundError(text);
  if (errno == EACCES || errno == EPERM) return absl::PermissionDeniedError(text);
  return absl::UnavailableError(text);
}

}  // namespace

namespace process_internal {

absl::StatusOr<ProcStat> ParseProcStat(absl::string_view line) {
  // The name is whatever the program says it is; nothing behind it has a ')'.
  const size_t end_of_name = line.rfind(')');
  if (end_of_name == absl::string_view::npos || line.size() < end_of_name + 3) {
    return absl::InvalidArgumentError("not a line of /proc/PID/stat");
  }
  const std::vector<absl::string_view> fields =
      absl::StrSplit(line.substr(end_of_name + 2), ' ');  // From field 3 on.
  ProcStat stat;
  if (fields.size() < 20 || fields[0].size() != 1 || !absl::SimpleAtoi(fields[1], &stat.parent) ||
      !absl::SimpleAtoi(fields[2], &stat.group) || !absl::SimpleAtoi(fields[3], &stat.session) ||
      !absl::SimpleAtoi(fields[19], &stat.start_time)) {
    return absl::InvalidArgumentError("not a line of /proc/PID/stat");
  }
  stat.state = fields[0][0];
  return stat;
}

}  // namespace process_internal

std::string ProcessIdentity::ToString() const {
  return absl::StrCat(boot_id, "/", pid, "/", start_time);
}

absl::StatusOr<ProcessIdentity> ProcessIdentity::Parse(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '/');
  ProcessIdentity identity;
  if (parts.size() != 3 || parts[0].empty() || !absl::SimpleAtoi(parts[1], &identity.pid) ||
      identity.pid <= 0 || !absl::SimpleAtoi(parts[2], &identity.start_time)) {
    return absl::InvalidArgumentError(absl::StrCat("not a process identity: ", text));
  }
  identity.boot_id = std::string(parts[0]);
  return identity;
}

absl::StatusOr<ProcessIdentity> OwnIdentity() { return IdentityOf(getpid()); }

absl::StatusOr<ProcessIdentity> IdentityOf(pid_t pid) {
  PODFERRY_ASSIGN_OR_RETURN(ProcStat stat, StatOf(pid));
  PODFERRY_ASSIGN_OR_RETURN(std::string boot_id, BootId());
  return ProcessIdentity{std::move(boot_id), pid, stat.start_time};
}

bool IsAlive(const ProcessIdentity& identity) {
  const absl::StatusOr<ProcStat> stat = StatOf(identity.pid);
  return stat.ok() && !HasEnded(*stat) && stat->start_time == identity.start_time &&
         SameBoot(identity);
}

absl::Status Signal(const ProcessIdentity& identity, int signal) {
  // The descriptor pins the process: what is found to be the right one then cannot be replaced by
  // another before the signal is sent. Where there is none (Linux before 5.3), the window is small.
  UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, identity.pid, 0)));
  if (!IsAlive(identity)) return Gone(identity);
  if (pidfd.valid()) {
    const long result = syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, 0);
    return SignalResult(static_cast<int>(result), identity);
  }
  return SignalResult(kill(identity.pid, signal), identity);
}

absl::Status SignalGroup(const ProcessIdentity& leader, int signal) {
  if (!SameBoot(leader)) return Gone(leader);
  // The kernel does not give out a pid that is still the number of a group. So another process with
  // this pid means that the group is gone; none at all, that members may be left.
  if (!IsThere(leader) && IdentityOf(leader.pid).ok()) return Gone(leader);
  if (!IsAlive(leader) && !HasMembers(leader.pid)) return Gone(leader);
  return SignalResult(kill(-leader.pid, signal), leader);
}

absl::StatusOr<ProcessIdentity> StartDetached(const DetachedCommand& command) {
  constexpr int kAppend = O_WRONLY | O_CREAT | O_APPEND;
  PODFERRY_ASSIGN_OR_RETURN(UniqueFd in, OpenStream(command.stdin_path, O_RDONLY));
  PODFERRY_ASSIGN_OR_RETURN(UniqueFd out, OpenStream(command.stdout_path, kAppend));
  UniqueFd err;
  const bool shared = command.stderr_path == command.stdout_path;
  if (!shared) {
    PODFERRY_ASSIGN_OR_RETURN(err, OpenStream(command.stderr_path, kAppend));
  }
  SpawnRequest request;
  request.argv = command.argv;
  request.env = command.env;
  request.cwd = command.cwd;
  request.stdin_fd = in.get();
  request.stdout_fd = out.get();
  request.stderr_fd = shared ? out.get() : err.get();
  request.new_session = true;
  PODFERRY_ASSIGN_OR_RETURN(const pid_t pid, Spawn(request));
  // It is our child and nobody has waited for it, so the pid is its own even if it has ended.
  return IdentityOf(pid);
}

}  // namespace podferry
