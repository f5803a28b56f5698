// The security contexts of a pod and a container as one plan: what the container says wins. Pure.

#ifndef PODFERRY_CORE_TRANSLATE_SECURITY_PLANNER_H_
#define PODFERRY_CORE_TRANSLATE_SECURITY_PLANNER_H_

#include "core/pod/container.h"
#include "core/pod/field_path.h"
#include "core/pod/pod.h"
#include "core/pool/build_config.h"
#include "core/translate/security_plan.h"
#include "core/translate/supported_fields.h"

namespace podferry {

PlannedSecurity PlanSecurity(const PodSecurityContext& pod, const SecurityContext& container);

// Reports what the pool's runtime makes of the contexts' fields.
void CheckPodSecurity(const PodSecurityContext& security, FieldReport* report);
void CheckContainerSecurity(const RuntimeOptions& runtime, const SecurityContext& security,
                            const FieldPath& path, FieldReport* report);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_SECURITY_PLANNER_H_
