// From one container of a pod to the process it is: arguments, environment, folder and mounts.
// Refuses, by its field path, what cannot be honoured. Pure, any thread.

#ifndef PODFERRY_CORE_TRANSLATE_CONTAINER_PLANNER_H_
#define PODFERRY_CORE_TRANSLATE_CONTAINER_PLANNER_H_

#include <vector>

#include "core/pod/field_path.h"
#include "core/pod/retrieved_pod.h"
#include "core/translate/job_plan.h"
#include "core/translate/supported_fields.h"

namespace podferry {

// `path` is that of the container ("spec.containers[0]"), `volumes` what was planned for the pod's;
// mount points that lie inside another volume of the container are added to that volume.
PlannedContainer PlanContainer(const RetrievedPod& pod, const Container& container, Role role,
                               const FieldPath& path, std::vector<PlannedVolume>* volumes,
                               FieldReport* report);

// Notes what of the container's fields the runtime does not honour.
void CheckContainerFields(const Container& container, const FieldPath& path, FieldReport* report);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_CONTAINER_PLANNER_H_
