#include "core/translate/runtime.h"

#include "core/translate/runtime_apptainer.h"
#include "core/translate/runtime_host.h"
#include "core/translate/runtime_podman.h"

namespace podferry {

const Runtime* FindRuntime(RuntimeKind kind) {
  switch (kind) {
    case RuntimeKind::kHost:
      return HostRuntime();
    case RuntimeKind::kApptainer:
      return ApptainerRuntime();
    case RuntimeKind::kPodman:
      return PodmanRuntime();
  }
  return nullptr;
}

std::vector<RuntimeKind> AvailableRuntimes() {
  std::vector<RuntimeKind> available;
  for (const RuntimeKind kind :
       {RuntimeKind::kHost, RuntimeKind::kApptainer, RuntimeKind::kPodman}) {
    if (FindRuntime(kind) != nullptr) available.push_back(kind);
  }
  return available;
}

}  // namespace podferry
