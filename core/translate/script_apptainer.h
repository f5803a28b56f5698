// What a script says about Apptainer: see script_runtime.h, whose part this is.

#ifndef PODFERRY_CORE_TRANSLATE_SCRIPT_APPTAINER_H_
#define PODFERRY_CORE_TRANSLATE_SCRIPT_APPTAINER_H_

#include <string>

#include "core/translate/job_plan.h"

namespace podferry {

// Lines of variables: how Apptainer is called.
std::string ApptainerVariables(const JobPlan& plan);

// Lines of variables: the containers' images, and where to look for them.
std::string ImageVariables(const JobPlan& plan);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_SCRIPT_APPTAINER_H_
