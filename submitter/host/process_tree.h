// All that is left of a job's processes, found in /proc: what carries the sandbox in its
// environment (the script and what it starts), what is in the script's session (containers whose
// environment was cleared), and everything below these. Processes of other users cannot be looked
// into and are no job's of ours. Linux. The functions block; any thread.

#ifndef PODFERRY_SUBMITTER_HOST_PROCESS_TREE_H_
#define PODFERRY_SUBMITTER_HOST_PROCESS_TREE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/os/process.h"

namespace podferry {

// `script`, if it is known: the leader of the job's session, alive or not.
std::vector<ProcessIdentity> ProcessesOf(const std::string& sandbox,
                                         const std::optional<ProcessIdentity>& script);

// The process that was started for this sandbox, by its environment: the one whose parent is not of
// the job. Nothing when there is none.
std::optional<ProcessIdentity> ScriptOf(const std::string& sandbox);

// Kills all of them, and again those that they made meanwhile, until none is left. UNAVAILABLE when
// some do not go (a process that hangs in the kernel).
absl::Status KillAll(const std::string& sandbox, const std::optional<ProcessIdentity>& script);

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_HOST_PROCESS_TREE_H_
