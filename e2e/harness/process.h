#ifndef PODFERRY_E2E_HARNESS_PROCESS_H_
#define PODFERRY_E2E_HARNESS_PROCESS_H_

#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "e2e/harness/user.h"

namespace podferry::e2e {

// A real program that belongs to a test: started with a log file, ended by its process id when the
// object goes. For the test's thread only.
class Process {
 public:
  struct Options {
    std::vector<std::string> argv;
    std::map<std::string, std::string> env;  // beside the test's own
    std::string log;                         // stdout and stderr are appended to it
    std::optional<User> user = {};           // nothing: the test's own
    bool keep_stdin_open = false;            // a pipe, until this object goes; else /dev/null
  };

  // Ends the test program when the process cannot be started.
  static std::unique_ptr<Process> Start(Options options);

  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  // SIGKILL, when it still runs.
  ~Process();

  pid_t pid() const { return pid_; }
  void Signal(int signal);
  // SIGKILL and waits for the end.
  void Kill();
  // Waits for the end: the exit code, 128 + n for a signal, or nothing at the deadline.
  std::optional<int> WaitForExit(absl::Duration deadline);
  bool Running();
  // True while SIGSTOP holds it.
  bool Stopped() const;
  // Resident memory in bytes.
  int64_t ResidentBytes() const;

 private:
  Process(pid_t pid, int stdin_end) : pid_(pid), stdin_end_(stdin_end) {}

  pid_t pid_;
  int stdin_end_;  // -1: none
  std::optional<int> exit_;
};

}  // namespace podferry::e2e

#endif  // PODFERRY_E2E_HARNESS_PROCESS_H_
