// What a plan says about the runtime `host` alone. A value.

#ifndef PODFERRY_CORE_TRANSLATE_HOST_PLAN_H_
#define PODFERRY_CORE_TRANSLATE_HOST_PLAN_H_

#include <string>

namespace podferry {

struct HostPlan {
  std::string bwrap_executable;
  bool needs_bubblewrap = false;  // some container cannot run as mere processes
};

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_HOST_PLAN_H_
