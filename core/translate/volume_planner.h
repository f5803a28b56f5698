// From a pod's volume to the folders and files it is made of. Refuses, by its field path, what a
// pool cannot give. Pure, any thread.

#ifndef PODFERRY_CORE_TRANSLATE_VOLUME_PLANNER_H_
#define PODFERRY_CORE_TRANSLATE_VOLUME_PLANNER_H_

#include "core/pod/field_path.h"
#include "core/pod/retrieved_pod.h"
#include "core/translate/job_plan.h"
#include "core/translate/supported_fields.h"

namespace podferry {

// `path` is that of the volume ("spec.volumes[0]").
PlannedVolume PlanVolume(const RetrievedPod& pod, const BuildConfig& config, const Volume& volume,
                         const FieldPath& path, FieldReport* report);

// Adds a folder below a volume of files, with its parents, unless it is there.
void AddFolder(absl::string_view path, PlannedVolume* volume);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_VOLUME_PLANNER_H_
