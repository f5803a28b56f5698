// Values of a pod as the kubelet reads them. Pure, any thread.

#ifndef PODFERRY_CORE_TRANSLATE_KUBELET_VALUES_H_
#define PODFERRY_CORE_TRANSLATE_KUBELET_VALUES_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace podferry {

// The number of "SIGTERM", "SIGRTMIN+3"...; 0 if there is no such signal.
int SignalNumber(absl::string_view name);

// The address that an httpGet of the kubelet asks, for a host and a path as they stand in the pod.
std::string ProbeUrl(absl::string_view scheme, absl::string_view host, int32_t port,
                     absl::string_view path);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_KUBELET_VALUES_H_
