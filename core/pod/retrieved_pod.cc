#include "core/pod/retrieved_pod.h"

namespace podferry {
namespace {

const ObjectData* Find(const RetrievedPod& pod, std::vector<ObjectData> ContainerData::*list,
                       absl::string_view name) {
  for (const ContainerData& container : pod.containers) {
    for (const ObjectData& object : container.*list) {
      if (object.name == name) return &object;
    }
  }
  return nullptr;
}

}  // namespace

const ObjectData* FindConfigMap(const RetrievedPod& pod, absl::string_view name) {
  return Find(pod, &ContainerData::config_maps, name);
}

const ObjectData* FindSecret(const RetrievedPod& pod, absl::string_view name) {
  return Find(pod, &ContainerData::secrets, name);
}

const ObjectData* FindProjectedVolume(const RetrievedPod& pod, absl::string_view volume_name) {
  return Find(pod, &ContainerData::projected_volumes, volume_name);
}

}  // namespace podferry
