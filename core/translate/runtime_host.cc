#include "core/translate/runtime_host.h"

namespace podferry {

void PlanHostRuntime(const BuildConfig& config, JobPlan* plan) {
  plan->bwrap_executable = config.runtime.bwrap_executable;
  plan->path_folders = config.volumes.additional_directories_in_path;
}

void CheckHostContainer(const Container& container, const FieldPath& path, FieldReport* report) {
  if (!container.command.empty()) return;
  const FieldPath command = path / "command";
  report->Refuse(command.ToString(),
                 "missing: this pool runs pods without their images (runtime.kind is host), so "
                 "there is no entrypoint; give the container a command");
}

bool NeedsBubblewrap(const PlannedContainer& container) {
  return !container.mounts.empty() || container.read_only_root ||
         !container.dropped_capabilities.empty();
}

}  // namespace podferry
