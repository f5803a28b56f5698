// What a script says about Apptainer: see script_runtime.h, whose part this is.

#ifndef PODFERRY_CORE_TRANSLATE_SCRIPT_APPTAINER_H_
#define PODFERRY_CORE_TRANSLATE_SCRIPT_APPTAINER_H_

#include <string>

#include "core/translate/job_plan.h"

namespace podferry {

// Lines of variables: how Apptainer is called.
std::string ApptainerVariables(const JobPlan& plan);

// Lines of variables: what images.bash, and who fetches for it, know of the containers' images.
std::string FetchVariables(const JobPlan& plan);

// The same, and where Apptainer looks for them.
std::string ImageVariables(const JobPlan& plan);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_SCRIPT_APPTAINER_H_
