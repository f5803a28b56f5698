// Forks and executes one program. For process.cc and command_runner.cc; any thread.

#ifndef PODFERRY_CORE_OS_SPAWN_H_
#define PODFERRY_CORE_OS_SPAWN_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace podferry {

struct SpawnRequest {
  std::vector<std::string> argv;
  std::optional<std::vector<std::pair<std::string, std::string>>> env;
  std::string cwd;
  // What becomes its standard input, output and error; nothing else is inherited.
  int stdin_fd = -1;
  int stdout_fd = -1;
  int stderr_fd = -1;
  bool new_session = false;  // Otherwise a new process group only.
};

// Starts the program in a process group of its own, with default signals and an empty signal mask,
// and returns once it is executed. The caller waits for the child. Errors: see StartDetached().
absl::StatusOr<pid_t> Spawn(const SpawnRequest& request);

}  // namespace podferry

#endif  // PODFERRY_CORE_OS_SPAWN_H_
