// The runtime `podman`, or Docker where the executable is called so: each container of a pod is one
// of theirs, with its image. What that means for a plan; how it is done stands in
// bash/podman*.bash. Pure.

#ifndef PODFERRY_CORE_TRANSLATE_RUNTIME_PODMAN_H_
#define PODFERRY_CORE_TRANSLATE_RUNTIME_PODMAN_H_

#include "absl/strings/string_view.h"
#include "core/translate/runtime.h"

namespace podferry {

const Runtime* PodmanRuntime();

// How a variable's value reaches a container. Most stand in a file of lines, which is read by the
// program that makes the container and means nothing to it. What a line cannot hold is put into
// that program's own environment; that must not change what the program itself does, which runs on
// the host, outside of any container.
enum class VariableRoute { kFile, kEnvironment, kNone };
VariableRoute RouteOf(absl::string_view name, absl::string_view value);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_RUNTIME_PODMAN_H_
