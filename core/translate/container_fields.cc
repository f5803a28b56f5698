#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/translate/container_planner.h"

namespace podferry {
namespace {

class Checker {
 public:
  Checker(const FieldPath& path, FieldReport* report) : path_(path), report_(report) {}

  void Note(bool used, absl::string_view field) const {
    if (!used) return;
    report_->Uses(absl::StrCat("spec.containers[].", field),
                  absl::StrCat(path_.ToString(), ".", field));
  }

  // A resource by its name: those that a row names, all others by "*".
  void NoteResource(const std::string& list, const std::string& name) const {
    const bool has_row = name == "cpu" || name == "memory" || name == "ephemeral-storage" ||
                         name == "nvidia.com/gpu" || name == "amd.com/gpu";
    if (has_row && list != "limits") return;
    report_->Uses(absl::StrCat("spec.containers[].resources.limits[", has_row ? name : "*", "]"),
                  absl::StrCat(path_.ToString(), ".resources.", list, "[", name, "]"));
  }

 private:
  const FieldPath& path_;
  FieldReport* report_;
};

void CheckLifecycle(const Container& container, const Checker& check) {
  const auto has = [](const std::optional<Handler>& handler) {
    return handler.has_value() && !std::holds_alternative<std::monostate>(*handler);
  };
  check.Note(has(container.lifecycle.post_start), "lifecycle.postStart");
  check.Note(has(container.lifecycle.pre_stop), "lifecycle.preStop");
  const std::string& signal = container.lifecycle.stop_signal;
  check.Note(!signal.empty() && signal != "SIGTERM", "lifecycle.stopSignal");
  check.Note(container.liveness_probe.has_value(), "livenessProbe");
  check.Note(container.readiness_probe.has_value(), "readinessProbe");
  check.Note(container.startup_probe.has_value(), "startupProbe");
}

}  // namespace

void CheckContainerFields(const Container& container, const FieldPath& path, FieldReport* report) {
  const Checker check(path, report);
  CheckLifecycle(container, check);
  check.Note(!container.volume_devices.empty(), "volumeDevices");
  check.Note(container.tty, "tty");
  const std::string& message_path = container.termination_message_path;
  check.Note(!message_path.empty() && message_path != "/dev/termination-log",
             "terminationMessagePath");
  check.Note(container.termination_message_policy == "FallbackToLogsOnError",
             "terminationMessagePolicy");
  for (const auto& [name, amount] : container.resources.limits) check.NoteResource("limits", name);
  for (const auto& [name, amount] : container.resources.requests) {
    if (container.resources.limits.count(name) == 0) check.NoteResource("requests", name);
  }
}

}  // namespace podferry
