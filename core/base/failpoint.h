// Places where a daemon dies when a fault test says so: at Failpoint("plugin.journal.before"), if
// the environment says PODFERRY_FAILPOINT=plugin.journal.before, the process kills itself with
// SIGKILL. Otherwise a pass costs one branch. Any thread.
//
//   PODFERRY_FAILPOINT=NAME            dies at the first pass
//   PODFERRY_FAILPOINT=NAME:3          dies at the third pass
//   PODFERRY_FAILPOINT=NAME=sleep:500  every pass takes 500 ms longer (NAME:3=...: the third only)
//   PODFERRY_FAILPOINT=NAME=stop       stops itself (SIGSTOP) at the first pass; SIGCONT goes on
//
// This is no seam for tests: nothing can be registered, no result changed, no code run. All it can
// do is what a kernel does to a process at any moment anyway, at a moment that can be named. The
// variable is read once; one that cannot be read ends the process at once, or a misspelt test would
// pass.

#ifndef PODFERRY_CORE_BASE_FAILPOINT_H_
#define PODFERRY_CORE_BASE_FAILPOINT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/base/optimization.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace podferry {

namespace failpoint_internal {

enum class Action { kKill, kSleep, kStop };

struct Plan {
  std::string name;
  int64_t pass = 1;         // Counted from 1.
  bool every_pass = false;  // Ignore `pass`.
  Action action = Action::kKill;
  absl::Duration sleep;
};

// The plan that a value of PODFERRY_FAILPOINT describes; nothing where it makes no sense.
std::optional<Plan> ParsePlan(absl::string_view text);

// The plan of this process; null: none.
const Plan* ArmedPlan();
void Pass(const Plan& plan, absl::string_view name);

}  // namespace failpoint_internal

inline void Failpoint(absl::string_view name) {
  static const failpoint_internal::Plan* const plan = failpoint_internal::ArmedPlan();
  if (ABSL_PREDICT_FALSE(plan != nullptr)) failpoint_internal::Pass(*plan, name);
}

}  // namespace podferry

#endif  // PODFERRY_CORE_BASE_FAILPOINT_H_
