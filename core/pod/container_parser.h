// The part of the pod parser that reads v1.Container.

#ifndef PODFERRY_CORE_POD_CONTAINER_PARSER_H_
#define PODFERRY_CORE_POD_CONTAINER_PARSER_H_

#include "core/json/value.h"
#include "core/pod/container.h"

namespace podferry::pod_json {

void ReadContainer(const json::Value& value, Container& container);
void ReadResources(const json::Value& value, ResourceRequirements& resources);

}  // namespace podferry::pod_json

#endif  // PODFERRY_CORE_POD_CONTAINER_PARSER_H_
