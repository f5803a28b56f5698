#include "core/pod/pod.h"

#include <array>
#include <variant>

namespace podferry {

const std::string& VolumeTypeName(const VolumeSource& source) {
  if (const auto* unknown = std::get_if<UnknownVolume>(&source)) return unknown->type;
  // In the variant's order.
  static const auto* const kNames = new std::array<std::string, std::variant_size_v<VolumeSource>>{
      "",          "emptyDir",    "configMap", "secret",
      "projected", "downwardAPI", "hostPath",  "persistentVolumeClaim",
      "nfs",       "csi",         "ephemeral"};
  return (*kNames)[source.index()];
}

const Volume* FindVolume(const PodSpec& spec, absl::string_view name) {
  for (const Volume& volume : spec.volumes) {
    if (volume.name == name) return &volume;
  }
  return nullptr;
}

std::string PoolOf(const Pod& pod) {
  const std::string* pool = nullptr;
  for (const Toleration& toleration : pod.spec.tolerations) {
    if (toleration.key != kPoolTolerationKey || toleration.op != "Equal") continue;
    if (pool != nullptr && *pool != toleration.value) return "";
    pool = &toleration.value;
  }
  return pool == nullptr ? "" : *pool;
}

}  // namespace podferry
