// The runtime `apptainer`: each container is one call of Apptainer or Singularity, from an image of
// the site's cache. What that means for a plan; how it is done stands in bash/apptainer.bash. Pure.

#ifndef PODFERRY_CORE_TRANSLATE_RUNTIME_APPTAINER_H_
#define PODFERRY_CORE_TRANSLATE_RUNTIME_APPTAINER_H_

#include "core/translate/runtime.h"

namespace podferry {

const Runtime* ApptainerRuntime();

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_RUNTIME_APPTAINER_H_
