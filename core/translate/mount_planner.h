// Where a container sees which volume. Refuses, by its field path, what cannot be mounted. Pure,
// any thread.

#ifndef PODFERRY_CORE_TRANSLATE_MOUNT_PLANNER_H_
#define PODFERRY_CORE_TRANSLATE_MOUNT_PLANNER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/pod/expansion.h"
#include "core/pod/field_path.h"
#include "core/translate/job_plan.h"
#include "core/translate/supported_fields.h"

namespace podferry {

// The mounts of the container at `path` ("spec.containers[0]"), the containing ones first. Mount
// points and sub paths that must be there are added to `volumes`.
std::vector<PlannedMount> PlanMounts(const Container& container, const VariableLookup& env,
                                     const FieldPath& path, std::vector<PlannedVolume>* volumes,
                                     FieldReport* report);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_MOUNT_PLANNER_H_
