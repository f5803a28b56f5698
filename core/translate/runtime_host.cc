#include "core/translate/runtime_host.h"

#include <algorithm>

#include "absl/strings/match.h"

namespace podferry {
namespace {

constexpr char kUsualMessagePath[] = "/dev/termination-log";

// Whether the container needs a file system of its own.
bool NeedsBubblewrap(const PlannedContainer& container) {
  return !container.mounts.empty() || container.read_only_root || !container.message.path.empty() ||
         !container.security.dropped_capabilities.empty();
}

// Whether anything that the pod brings for the container names the file.
bool Mentions(const JobPlan& plan, const PlannedContainer& container, const std::string& file) {
  const auto names = [&file](const std::string& text) { return absl::StrContains(text, file); };
  if (std::any_of(container.command.begin(), container.command.end(), names) ||
      std::any_of(container.args.begin(), container.args.end(), names) ||
      std::any_of(container.env.begin(), container.env.end(),
                  [&](const auto& variable) { return names(variable.second); })) {
    return true;
  }
  return std::any_of(
      container.mounts.begin(), container.mounts.end(), [&](const PlannedMount& mount) {
        const std::vector<PlannedFile>& files = plan.volumes[mount.volume].files;
        return std::any_of(files.begin(), files.end(),
                           [&](const PlannedFile& planned) { return names(planned.content); });
      });
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
    for (PlannedContainer& container : plan->containers) {
      if (container.working_dir.empty()) container.working_dir = "/";
      // A mount point in the host's /dev costs as much as all the rest of a container's start.
      if (container.message.path == kUsualMessagePath &&
          !Mentions(*plan, container, kUsualMessagePath)) {
        container.message.path.clear();
      }
    }
    plan->host.needs_bubblewrap =
        std::any_of(plan->containers.begin(), plan->containers.end(), NeedsBubblewrap);
  }
};

}  // namespace

const Runtime* HostRuntime() {
  static const Host* const kHost = new Host();
  return kHost;
}

}  // namespace podferry
