#include "core/os/command_runner.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/os/spawn.h"
#include "core/os/unique_fd.h"

namespace podferry {
namespace {

using SteadyClock = std::chrono::steady_clock;

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

absl::StatusOr<Pipe> MakePipe() {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) {
    return absl::UnavailableError(
        absl::StrCat("make a pipe: ", std::generic_category().message(errno)));
  }
  return Pipe{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

void SetNonBlocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

// While it lives, SIGPIPE does not end the calling thread's process: a program that stops reading
// is none of our errors. (Daemons ignore the signal anyway; a command line need not.)
class PipeSignalBlock {
 public:
  PipeSignalBlock() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~PipeSignalBlock() {
    const timespec at_once = {};
    while (sigtimedwait(&pipe_, nullptr, &at_once) > 0) continue;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_;
  sigset_t before_;
};

// One program while it runs.
class Running {
 public:
  Running(const Command& command, int stop_fd) : command_(command), stop_fd_(stop_fd) {}

  absl::StatusOr<CommandResult> Run() {
    PODFERRY_ASSIGN_OR_RETURN(Pipe in, MakePipe());
    PODFERRY_ASSIGN_OR_RETURN(Pipe out, MakePipe());
    PODFERRY_ASSIGN_OR_RETURN(Pipe err, MakePipe());
    SpawnRequest request;
    request.argv = command_.argv;
    request.env = command_.env;
    request.cwd = command_.cwd;
    request.stdin_fd = in.read.get();
    request.stdout_fd = out.write.get();
    request.stderr_fd = err.write.get();
    start_ = SteadyClock::now();
    PODFERRY_ASSIGN_OR_RETURN(pid_, Spawn(request));
    in_ = std::move(in.write);
    out_ = std::move(out.read);
    err_ = std::move(err.read);
    out.write.Reset();
    err.write.Reset();
    for (int fd : {in_.get(), out_.get(), err_.get()}) SetNonBlocking(fd);
    Converse();
    return Finish();
  }

 private:
  // Feeds and listens until the program has ended, or time is up. What it left behind may hold its
  // outputs open: their end is not waited for.
  void Converse() {
    if (command_.stdin_data.empty()) in_.Reset();
    const UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
    // Without pidfds (Linux before 5.3) its end is looked for now and then.
    const int longest = pidfd.valid() ? std::numeric_limits<int>::max() : kPollMilliseconds;
    while (true) {
      pollfd fds[] = {{in_.get(), POLLOUT, 0},
                      {out_.get(), POLLIN, 0},
                      {err_.get(), POLLIN, 0},
                      {stop_fd_, POLLIN, 0},
                      {pidfd.get(), POLLIN, 0}};
      const int left = MillisecondsLeft();
      result_.timed_out = left == 0;
      if (result_.timed_out) return;
      const int ready = poll(fds, 5, std::min(left, longest));
      if (ready < 0) continue;
      stopped_ = fds[3].revents != 0;
      if (stopped_) return;
      if (in_.valid() && fds[0].revents != 0) Feed();
      if (out_.valid() && fds[1].revents != 0) Listen(out_, result_.out);
      if (err_.valid() && fds[2].revents != 0) Listen(err_, result_.err);
      if (fds[4].revents != 0 || (!pidfd.valid() && HasEnded())) break;
    }
    while (out_.valid() && Listen(out_, result_.out)) continue;
    while (err_.valid() && Listen(err_, result_.err)) continue;
  }

  void Feed() {
    const std::string& data = command_.stdin_data;
    const ssize_t wrote = write(in_.get(), data.data() + fed_, data.size() - fed_);
    if (wrote > 0) fed_ += wrote;
    const bool failed = wrote < 0 && errno != EAGAIN && errno != EINTR;  // It stopped reading.
    if (failed || fed_ == data.size()) in_.Reset();
  }

  // False when there was nothing to read, for now.
  bool Listen(UniqueFd& fd, std::string& to) {
    char buffer[64 << 10];
    const ssize_t got = RetryInterrupted([&] { return read(fd.get(), buffer, sizeof(buffer)); });
    if (got < 0 && errno == EAGAIN) return false;
    if (got <= 0) {
      fd.Reset();
      return false;
    }
    const size_t kept = std::min<size_t>(got, command_.max_output - to.size());
    to.append(buffer, kept);
    result_.truncated = result_.truncated || kept < static_cast<size_t>(got);
    return true;
  }

  // Without waiting for it, so that its pid stays ours to signal.
  bool HasEnded() {
    siginfo_t info = {};
    return waitid(P_PID, pid_, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid_;
  }

  int MillisecondsLeft() const {
    const absl::Duration left = command_.timeout - absl::FromChrono(SteadyClock::now() - start_);
    if (left <= absl::ZeroDuration()) return 0;
    return static_cast<int>(std::clamp<int64_t>(absl::ToInt64Milliseconds(left), 1, 1 << 30));
  }

  absl::StatusOr<CommandResult> Finish() {
    if (stopped_ || result_.timed_out) kill(-pid_, SIGKILL);
    int status = 0;
    RetryInterrupted([&] { return waitpid(pid_, &status, 0); });
    if (stopped_) return absl::CancelledError(absl::StrCat(command_.argv[0], " was stopped"));
    result_.duration = absl::FromChrono(SteadyClock::now() - start_);
    result_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    result_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return std::move(result_);
  }

  static constexpr int kPollMilliseconds = 5;

  const Command& command_;
  const int stop_fd_;
  SteadyClock::time_point start_;
  pid_t pid_ = -1;
  UniqueFd in_, out_, err_;
  size_t fed_ = 0;
  bool stopped_ = false;
  CommandResult result_;
};

}  // namespace

absl::StatusOr<CommandResult> RunCommand(const Command& command, int stop_fd) {
  if (command.argv.empty()) return absl::InvalidArgumentError("no program named");
  PipeSignalBlock block;
  return Running(command, stop_fd).Run();
}

PosixCommandRunner::PosixCommandRunner(EventLoop& loop, int parallel)
    : stop_fd_(eventfd(0, EFD_CLOEXEC)),
      pool_(std::make_unique<ThreadWorkerPool>(loop, parallel)) {}

PosixCommandRunner::~PosixCommandRunner() {
  const uint64_t one = 1;
  ssize_t unused = write(stop_fd_, &one, sizeof(one));
  (void)unused;
  pool_.reset();
  close(stop_fd_);
}

void PosixCommandRunner::Run(Command command, Done done) {
  RunOnPool(
      *pool_, [command = std::move(command), stop = stop_fd_] { return RunCommand(command, stop); },
      std::move(done));
}

}  // namespace podferry
