// What a job's script is told to hide from its containers: the value of kHideVariable
// (core/translate/sandbox.h). Reads the file system to resolve links; any thread.

#ifndef PODFERRY_SUBMITTER_HOST_HIDDEN_PATHS_H_
#define PODFERRY_SUBMITTER_HOST_HIDDEN_PATHS_H_

#include <string>
#include <vector>

namespace podferry {

// Empty paths and "/" are left out, and so is what lies below another.
std::string HiddenPaths(const std::vector<std::string>& paths);

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_HOST_HIDDEN_PATHS_H_
