// The part of a script that looks after containers which run: the variables of probes and hooks, a
// function for what each of them does, and the pieces of bash/ that call these. Bash, like
// script_renderer.h, whose part it is. Pure.

#ifndef PODFERRY_CORE_TRANSLATE_SCRIPT_CARE_H_
#define PODFERRY_CORE_TRANSLATE_SCRIPT_CARE_H_

#include <string>

#include "core/translate/job_plan.h"

namespace podferry {

// True if some container has a probe or a hook.
bool NeedsCare(const JobPlan& plan);

// True if a container's last words may be read from somewhere.
bool NeedsMessages(const JobPlan& plan);

// True if some probe or hook runs a command in its container (enter_container).
bool EntersContainers(const JobPlan& plan);

// Variables, for every script.
std::string RenderCareVariables(const JobPlan& plan);

// Functions, for a script that needs care.
std::string RenderCareFunctions(const JobPlan& plan);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_SCRIPT_CARE_H_
