// Runs programs to their end and hands back what they said: sbatch, condor_q, podman. No shell is
// involved. Commands of backends go through this interface, so that tests can script the answers
// (core/os/testing/fake_command_runner.h).

#ifndef PODFERRY_CORE_OS_COMMAND_RUNNER_H_
#define PODFERRY_CORE_OS_COMMAND_RUNNER_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/os/event_loop.h"
#include "core/os/worker_pool.h"

namespace podferry {

struct Command {
  std::vector<std::string> argv;  // argv[0] without '/' is looked up in our PATH. Never a secret:
                                  // every user of the machine can read it.
  std::string stdin_data;
  // The whole environment; nothing: ours.
  std::optional<std::vector<std::pair<std::string, std::string>>> env;
  std::string cwd;  // Empty: ours.
  absl::Duration timeout = absl::Seconds(60);
  size_t max_output =
      16 << 20;  // Bytes of stdout, and of stderr; what is more is read and dropped.
};

struct CommandResult {
  int exit_code = 0;  // 0..255; -1 if a signal ended it.
  int signal = 0;     // The signal that ended it, or 0.
  std::string out;
  std::string err;
  bool timed_out = false;   // We killed its process group.
  bool truncated = false;   // It said more than max_output.
  absl::Duration duration;  // From fork to exit.

  bool ok() const { return exit_code == 0 && signal == 0 && !timed_out; }
};

class CommandRunner {
 public:
  using Done = absl::AnyInvocable<void(absl::StatusOr<CommandResult>)>;

  virtual ~CommandRunner() = default;

  // Runs `command`, then `done` on the event loop. A program that ran, however it ended, is a
  // result. NOT_FOUND or PERMISSION_DENIED: no such program, or it may not be run: it certainly did
  // nothing. UNAVAILABLE: out of processes or files; it did not start. CANCELLED: the runner is
  // closing; the program may have had effects. Loop thread.
  virtual void Run(Command command, Done done) = 0;
};

class PosixCommandRunner final : public CommandRunner {
 public:
  // At most `parallel` programs run at a time; others wait (their timeout has not begun).
  PosixCommandRunner(EventLoop& loop, int parallel);
  // Kills what still runs, and waits for it. No `done` is called afterwards.
  ~PosixCommandRunner() override;

  void Run(Command command, Done done) override;

 private:
  int stop_fd_;  // An eventfd: readable when the runner is being destroyed.
  std::unique_ptr<ThreadWorkerPool> pool_;
};

// Runs `command` and waits for it: for worker threads and command lines. When `stop_fd` (if any)
// becomes readable the process group is killed and the status is CANCELLED.
absl::StatusOr<CommandResult> RunCommand(const Command& command, int stop_fd = -1);

}  // namespace podferry

#endif  // PODFERRY_CORE_OS_COMMAND_RUNNER_H_
