// The part of the pod validator that looks at containers.

#ifndef PODFERRY_CORE_POD_CONTAINER_VALIDATOR_H_
#define PODFERRY_CORE_POD_CONTAINER_VALIDATOR_H_

#include "core/base/issues.h"
#include "core/pod/container.h"
#include "core/pod/field_path.h"
#include "core/pod/pod.h"

namespace podferry {

// `spec` is the pod that `container` belongs to, for the volumes it may mount.
void ValidateContainer(const Container& container, const PodSpec& spec, const FieldPath& path,
                       Issues* issues);

// Quantities that do not parse or are negative, requests over limits.
void ValidateResources(const ResourceRequirements& resources, const FieldPath& path,
                       Issues* issues);
void ValidateQuantities(const StringMap& quantities, const FieldPath& path, Issues* issues);
void ValidateQuantity(const std::string& quantity, const FieldPath& path, Issues* issues);

}  // namespace podferry

#endif  // PODFERRY_CORE_POD_CONTAINER_VALIDATOR_H_
