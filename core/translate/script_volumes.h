// The part of a script that brings volumes which are no files of its own, and runs what the pod has
// the pool run outside of its containers. Bash, like script_renderer.h, whose part it is. Pure.

#ifndef PODFERRY_CORE_TRANSLATE_SCRIPT_VOLUMES_H_
#define PODFERRY_CORE_TRANSLATE_SCRIPT_VOLUMES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/translate/job_plan.h"

namespace podferry {

struct VolumesScript {
  std::string functions;  // prepare_volumes and end_volumes, with their variables
  std::vector<absl::string_view> pieces;
};

VolumesScript RenderVolumes(const JobPlan& plan);

// A line of the function that describes a container.
std::string RenderMount(const JobPlan& plan, const PlannedMount& mount);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_SCRIPT_VOLUMES_H_
