// The environment that a job's script begins with. Of ours it gets what finds programs and homes,
// reaches registries and drives container runtimes; nothing else, because ours holds credentials.

#ifndef PODFERRY_SUBMITTER_HOST_JOB_ENVIRONMENT_H_
#define PODFERRY_SUBMITTER_HOST_JOB_ENVIRONMENT_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace podferry {

using Environment = std::vector<std::pair<std::string, std::string>>;

// Whether a variable of ours is passed on. Pure; any thread.
bool IsPassedOn(absl::string_view name);

// What is passed on of this process' environment, and the sandbox. Before threads change it: call
// it where setenv() cannot run.
Environment JobEnvironment();

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_HOST_JOB_ENVIRONMENT_H_
