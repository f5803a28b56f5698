// Plans a container's probes, its lifecycle hooks and where its termination message is read.
// Refuses, by its field path, what cannot be done. Pure, any thread.

#ifndef PODFERRY_CORE_TRANSLATE_PROBE_PLANNER_H_
#define PODFERRY_CORE_TRANSLATE_PROBE_PLANNER_H_

#include "core/pod/container.h"
#include "core/pod/expansion.h"
#include "core/pod/field_path.h"
#include "core/translate/job_plan.h"
#include "core/translate/probe_plan.h"
#include "core/translate/supported_fields.h"

namespace podferry {

// `env` knows the container's variables: the commands of probes are expanded with them, those of
// hooks are not, as the kubelet has it. `path` is that of the container.
PlannedCare PlanCare(const Container& container, Role role, const VariableLookup& env,
                     const FieldPath& path, FieldReport* report);

PlannedMessage PlanMessage(const Container& container, const FieldPath& path, FieldReport* report);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_PROBE_PLANNER_H_
