// The runtime `host`: containers are processes on the pool's own file system, under bubblewrap,
// with no image. What that means for a plan; how it is done stands in bash/host.bash. Pure.

#ifndef PODFERRY_CORE_TRANSLATE_RUNTIME_HOST_H_
#define PODFERRY_CORE_TRANSLATE_RUNTIME_HOST_H_

#include "core/translate/runtime.h"

namespace podferry {

const Runtime* HostRuntime();

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_RUNTIME_HOST_H_
