// From a pod's annotations to what the pool runs for it outside of its containers, and to volumes
// that annotations replace. Refuses, by its path, what the pool does not allow. Pure, any thread.

#ifndef PODFERRY_CORE_TRANSLATE_OUTSIDE_PLANNER_H_
#define PODFERRY_CORE_TRANSLATE_OUTSIDE_PLANNER_H_

#include "absl/strings/string_view.h"
#include "core/pod/retrieved_pod.h"
#include "core/pool/build_config.h"
#include "core/translate/job_plan.h"
#include "core/translate/supported_fields.h"

namespace podferry {

// Commands before and beside the containers, and a word on every annotation that says how a pod is
// run but is not followed here.
void PlanCommands(const Pod& pod, const BuildConfig& config, JobPlan* plan, FieldReport* report);

// Whether an annotation says what the volume is (fuse.vk.io/..., cvmfs.vk.io/...); if so, adds it.
bool PlanAnnotatedVolume(const ObjectMeta& pod, const BuildConfig& config, absl::string_view name,
                         JobPlan* plan, FieldReport* report);

// The folder at /cache: that of the user whom the pod's label names, or an empty one.
void PlanCache(const ObjectMeta& pod, const BuildConfig& config, JobPlan* plan,
               FieldReport* report);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_OUTSIDE_PLANNER_H_
