// What a pod says of itself to its containers: the values of fieldRef and resourceFieldRef that can
// be told without a cluster. interLink resolves most of them before we see the pod; this answers
// for those it drops. Pure, any thread.

#ifndef PODFERRY_CORE_TRANSLATE_DOWNWARD_API_H_
#define PODFERRY_CORE_TRANSLATE_DOWNWARD_API_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "core/pod/pod.h"

namespace podferry {

// "metadata.name", "metadata.labels", "metadata.annotations['key']", "spec.nodeName",
// "status.podIP"... Nothing for a field that cannot be told; a label that is not set is "".
std::optional<std::string> PodFieldValue(const Pod& pod, absl::string_view field_path);

// "limits.cpu", "requests.memory"... of a container, in units of the divisor ("" is 1), rounded up
// as the kubelet does. Nothing where the container does not say (the kubelet would give the node's
// capacity), or for a divisor that is no quantity.
std::optional<std::string> ContainerResourceValue(const Container& container,
                                                  absl::string_view resource,
                                                  absl::string_view divisor);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_DOWNWARD_API_H_
