// What a whole pod asks for, as Kubernetes' scheduler counts it (component-helpers'
// resource.PodRequests): the containers together, or the largest step of the init sequence if that
// is more; sidecars count from their start to the end; a limit without a request is the request;
// the pod's own resources replace the sum; overhead is on top. Pure; quantities that do not parse
// count as zero, the validator has refused them.

#ifndef PODFERRY_CORE_RESOURCES_EFFECTIVE_REQUESTS_H_
#define PODFERRY_CORE_RESOURCES_EFFECTIVE_REQUESTS_H_

#include "core/pod/pod.h"
#include "core/resources/resource_list.h"

namespace podferry {

ResourceList ContainerRequests(const Container& container);

ResourceList EffectiveRequests(const PodSpec& spec);

// What a pod takes from a pool: its effective requests and one of "pods".
ResourceList PoolDemand(const PodSpec& spec);

}  // namespace podferry

#endif  // PODFERRY_CORE_RESOURCES_EFFECTIVE_REQUESTS_H_
