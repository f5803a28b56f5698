#include "core/translate/runtime_host.h"

#include <algorithm>

namespace podferry {
namespace {

// Whether the container needs a file system of its own.
bool NeedsBubblewrap(const PlannedContainer& container) {
  return !container.mounts.empty() || container.read_only_root ||
         !container.security.dropped_capabilities.empty();
}

class Host : public Runtime {
 public:
  // Without an image there is no entrypoint: a container must bring a command.
  void CheckContainer(const BuildConfig& /*config*/, const Container& container,
                      const FieldPath& path, FieldReport* report) const override {
    if (!container.command.empty()) return;
    const FieldPath command = path / "command";
    report->Refuse(command.ToString(),
                   "missing: this pool runs pods without their images (runtime.kind is host), so "
                   "there is no entrypoint; give the container a command");
  }

  void Plan(const BuildConfig& config, JobPlan* plan, FieldReport* /*report*/) const override {
    plan->host.bwrap_executable = config.runtime.bwrap_executable;
    plan->host.needs_bubblewrap =
        std::any_of(plan->containers.begin(), plan->containers.end(), NeedsBubblewrap);
    for (PlannedContainer& container : plan->containers) {
      if (container.working_dir.empty()) container.working_dir = "/";
    }
  }
};

}  // namespace

const Runtime* HostRuntime() {
  static const Host* const kHost = new Host();
  return kHost;
}

}  // namespace podferry
