// Amounts by resource name ("cpu", "memory", "nvidia.com/gpu"), and the few things Kubernetes does
// with them. Plain functions on a map; any thread.

#ifndef PODFERRY_CORE_RESOURCES_RESOURCE_LIST_H_
#define PODFERRY_CORE_RESOURCES_RESOURCE_LIST_H_

#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "core/base/issues.h"
#include "core/pod/container.h"
#include "core/quantity/quantity.h"

namespace podferry {

using ResourceList = std::map<std::string, Quantity>;

inline constexpr char kCpu[] = "cpu";
inline constexpr char kMemory[] = "memory";
inline constexpr char kPods[] = "pods";
inline constexpr char kNvidiaGpu[] = "nvidia.com/gpu";
inline constexpr char kEphemeralStorage[] = "ephemeral-storage";

// Names and quantities as text. What does not parse or is negative is an issue under `path`, and
// left out. "gpus" is written nvidia.com/gpu.
ResourceList ParseResourceList(const StringMap& text, absl::string_view path, Issues* issues);
StringMap ToText(const ResourceList& list);
// "cpu=4, memory=8Gi"; "nothing" when empty.
std::string ToString(const ResourceList& list);

// The amount, or zero where there is none.
Quantity AmountOf(const ResourceList& list, const std::string& name);

void Add(const ResourceList& more, ResourceList& sum);
// Raises each amount of `list` to that of `other`.
void RaiseTo(const ResourceList& other, ResourceList& list);
// What is left of each resource in `whole`; never less than zero. Others in `part` are ignored.
ResourceList Without(const ResourceList& whole, const ResourceList& part);

}  // namespace podferry

#endif  // PODFERRY_CORE_RESOURCES_RESOURCE_LIST_H_
