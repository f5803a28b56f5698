// The runtime `host`: containers are processes on the pool's own file system, under bubblewrap,
// with no image. What that means for a plan; how it is done stands in bash/host.bash. Pure.

#ifndef PODFERRY_CORE_TRANSLATE_RUNTIME_HOST_H_
#define PODFERRY_CORE_TRANSLATE_RUNTIME_HOST_H_

#include "core/pod/field_path.h"
#include "core/pool/build_config.h"
#include "core/translate/job_plan.h"
#include "core/translate/supported_fields.h"

namespace podferry {

void PlanHostRuntime(const BuildConfig& config, JobPlan* plan);

// Without an image there is no entrypoint: a container must bring a command.
void CheckHostContainer(const Container& container, const FieldPath& path, FieldReport* report);

// Whether the container needs a file system of its own, and so bubblewrap.
bool NeedsBubblewrap(const PlannedContainer& container);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_RUNTIME_HOST_H_
