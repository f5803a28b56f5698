#include "core/os/spawn.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/status_macros.h"
#include "core/os/unique_fd.h"

extern char** environ;

namespace podferry {
namespace {

// Where in the child something went wrong.
enum class Step : int { kDescriptors, kSession, kFolder, kExecute };

struct ChildError {
  Step step;
  int error;
};

// All that the child needs, made before the fork: between fork and exec of a process with threads
// only async-signal-safe functions may be called, so nothing may be allocated there.
struct ChildPlan {
  std::string program;
  std::vector<char*> argv;
  std::vector<std::string> env_strings;
  std::vector<char*> env;
  const char* cwd = nullptr;
  int fds[3];
  int error_fd = -1;  // Where ChildErrors are told; closed by exec.
  bool new_session = false;
};

absl::Status SpawnError(int error, const std::string& what) {
  const std::string text = absl::StrCat(what, ": ", std::generic_category().message(error));
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return absl::NotFoundError(text);
    case EACCES:
    case EPERM:
    case ENOEXEC:
      return absl::PermissionDeniedError(text);
    case E2BIG:
      return absl::InvalidArgumentError(text);
    default:
      return absl::UnavailableError(text);
  }
}

// As execvp() would find it, but in the parent, where memory may be allocated.
absl::StatusOr<std::string> FindProgram(const std::string& name) {
  if (name.empty()) return absl::NotFoundError("no program named");
  if (name.find('/') != std::string::npos) return name;
  const char* path = getenv("PATH");
  bool denied = false;
  for (absl::string_view folder : absl::StrSplit(path != nullptr ? path : "/usr/bin:/bin", ':')) {
    std::string candidate = absl::StrCat(folder.empty() ? "." : folder, "/", name);
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    denied = denied || errno == EACCES;
  }
  return SpawnError(denied ? EACCES : ENOENT, name);
}

[[noreturn]] void FailInChild(const ChildPlan& plan, Step step) {
  const ChildError error = {step, errno};
  ssize_t unused = write(plan.error_fd, &error, sizeof(error));
  (void)unused;
  _exit(127);
}

void ResetSignals() {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) sigaction(signal, &action, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Descriptors from `first` on are closed, as far as exec does not do it.
void CloseFrom(int first, int except) {
  const auto close_between = [](unsigned low, unsigned high) {
    return low > high || syscall(SYS_close_range, low, high, 0) == 0;
  };
  if (close_between(first, except - 1) && close_between(except + 1, ~0u)) return;
  // Linux before 5.9.
  const long limit = std::min<long>(sysconf(_SC_OPEN_MAX), 65536);
  for (int fd = first; fd < limit; ++fd) {
    if (fd != except) close(fd);
  }
}

[[noreturn]] void RunChild(const ChildPlan& plan) {
  // The parent blocked all signals across the fork, so that no handler of its runs here.
  ResetSignals();
  if (plan.new_session ? setsid() < 0 : setpgid(0, 0) != 0) FailInChild(plan, Step::kSession);
  for (int target = 0; target < 3; ++target) {
    // All four were moved above 2 before the fork, so none is overwritten here.
    if (dup2(plan.fds[target], target) < 0) FailInChild(plan, Step::kDescriptors);
  }
  CloseFrom(3, plan.error_fd);
  if (plan.cwd != nullptr && chdir(plan.cwd) != 0) FailInChild(plan, Step::kFolder);
  execve(plan.program.c_str(), plan.argv.data(), plan.env.data());
  FailInChild(plan, Step::kExecute);
}

// A copy of `fd` that is above the standard three and closed by exec.
absl::StatusOr<UniqueFd> MoveUp(int fd) {
  const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  if (copy < 0) return SpawnError(errno, "duplicate a descriptor");
  return UniqueFd(copy);
}

pid_t ForkWithSignalsBlocked(const ChildPlan& plan) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t child = fork();
  if (child == 0) RunChild(plan);
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return child;
}

absl::Status ToStatus(const ChildError& error, const SpawnRequest& request) {
  switch (error.step) {
    case Step::kFolder:
      return SpawnError(error.error, absl::StrCat("enter ", request.cwd));
    case Step::kExecute:
      return SpawnError(error.error, absl::StrCat("execute ", request.argv[0]));
    case Step::kDescriptors:
    case Step::kSession:
      break;
  }
  return absl::UnavailableError(
      absl::StrCat("start ", request.argv[0], ": ", std::generic_category().message(error.error)));
}

std::vector<std::string> EnvironmentOf(const SpawnRequest& request) {
  std::vector<std::string> strings;
  if (!request.env.has_value()) {
    for (char** variable = environ; *variable != nullptr; ++variable) {
      strings.emplace_back(*variable);
    }
    return strings;
  }
  for (const auto& [name, value] : *request.env) strings.push_back(absl::StrCat(name, "=", value));
  return strings;
}

// All but the descriptors. Refers to `request`.
absl::StatusOr<ChildPlan> MakePlan(const SpawnRequest& request) {
  if (request.argv.empty()) return absl::InvalidArgumentError("no program named");
  ChildPlan plan;
  PODFERRY_ASSIGN_OR_RETURN(plan.program, FindProgram(request.argv[0]));
  for (const std::string& argument : request.argv) {
    plan.argv.push_back(const_cast<char*>(argument.c_str()));
  }
  plan.argv.push_back(nullptr);
  plan.env_strings = EnvironmentOf(request);
  for (std::string& variable : plan.env_strings) plan.env.push_back(variable.data());
  plan.env.push_back(nullptr);
  if (!request.cwd.empty()) plan.cwd = request.cwd.c_str();
  plan.new_session = request.new_session;
  return plan;
}

// Returns when the child has executed its program, or says why it could not.
absl::Status AwaitExec(int error_fd, pid_t child, const SpawnRequest& request) {
  ChildError error;
  const ssize_t got = RetryInterrupted([&] { return read(error_fd, &error, sizeof(error)); });
  if (got == 0) return absl::OkStatus();  // exec closed the pipe.
  RetryInterrupted([&] { return waitpid(child, nullptr, 0); });
  if (got != sizeof(error)) return absl::UnavailableError("the child died before it began");
  return ToStatus(error, request);
}

}  // namespace

absl::StatusOr<pid_t> Spawn(const SpawnRequest& request) {
  PODFERRY_ASSIGN_OR_RETURN(ChildPlan plan, MakePlan(request));
  std::vector<UniqueFd> moved;
  const int given[] = {request.stdin_fd, request.stdout_fd, request.stderr_fd};
  for (int i = 0; i < 3; ++i) {
    PODFERRY_ASSIGN_OR_RETURN(UniqueFd fd, MoveUp(given[i]));
    plan.fds[i] = fd.get();
    moved.push_back(std::move(fd));
  }
  int error_pipe[2];
  if (pipe2(error_pipe, O_CLOEXEC) != 0) return SpawnError(errno, "make a pipe");
  UniqueFd error_read(error_pipe[0]);
  UniqueFd error_write_low(error_pipe[1]);
  PODFERRY_ASSIGN_OR_RETURN(UniqueFd error_write, MoveUp(error_write_low.get()));
  error_write_low.Reset();
  plan.error_fd = error_write.get();

  const pid_t child = ForkWithSignalsBlocked(plan);
  if (child < 0) return SpawnError(errno, "fork");
  error_write.Reset();
  PODFERRY_RETURN_IF_ERROR(AwaitExec(error_read.get(), child, request));
  return child;
}

}  // namespace podferry
