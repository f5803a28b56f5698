#include "core/resources/effective_requests.h"

#include "absl/strings/match.h"

namespace podferry {
namespace {

ResourceList Parsed(const StringMap& text) {
  Issues ignored;
  return ParseResourceList(text, "", &ignored);
}

// Resources that a pod may ask for as a whole.
bool IsPodLevel(const std::string& name) {
  return name == kCpu || name == kMemory || absl::StartsWith(name, "hugepages-");
}

// The most that any moment of the init sequence needs; what goes on running is added to `running`.
ResourceList InitRequests(const std::vector<Container>& init_containers, ResourceList& running) {
  ResourceList most;
  ResourceList sidecars;
  for (const Container& container : init_containers) {
    ResourceList now = ContainerRequests(container);
    if (container.IsSidecar()) {
      Add(now, running);
      Add(now, sidecars);
      now = sidecars;
    } else {
      Add(sidecars, now);
    }
    RaiseTo(now, most);
  }
  return most;
}

void ApplyPodLevel(const ResourceRequirements& resources, ResourceList& requests) {
  for (const auto& [name, amount] : Parsed(resources.limits)) {
    if (IsPodLevel(name)) requests.emplace(name, amount);
  }
  for (const auto& [name, amount] : Parsed(resources.requests)) {
    if (IsPodLevel(name)) requests[name] = amount;
  }
}

}  // namespace

ResourceList ContainerRequests(const Container& container) {
  ResourceList requests = Parsed(container.resources.requests);
  for (const auto& [name, limit] : Parsed(container.resources.limits)) {
    requests.emplace(name, limit);
  }
  return requests;
}

ResourceList EffectiveRequests(const PodSpec& spec) {
  ResourceList requests;
  for (const Container& container : spec.containers) Add(ContainerRequests(container), requests);
  const ResourceList init = InitRequests(spec.init_containers, requests);
  RaiseTo(init, requests);
  ApplyPodLevel(spec.resources, requests);
  Add(Parsed(spec.overhead), requests);
  return requests;
}

ResourceList PoolDemand(const PodSpec& spec) {
  ResourceList demand = EffectiveRequests(spec);
  demand[kPods] = Quantity::FromInt(1);
  return demand;
}

}  // namespace podferry
