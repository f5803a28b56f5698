#include "core/translate/security_planner.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace podferry {
namespace {

// What Kubernetes gives a container that asks for nothing: asking for one of them is no privilege.
constexpr absl::string_view kDefaultCapabilities[] = {
    "AUDIT_WRITE", "CHOWN",   "DAC_OVERRIDE", "FOWNER",           "FSETID",
    "KILL",        "MKNOD",   "NET_RAW",      "NET_BIND_SERVICE", "SETFCAP",
    "SETGID",      "SETPCAP", "SETUID",       "SYS_CHROOT"};

std::vector<std::string> PlainNames(const std::vector<std::string>& capabilities) {
  std::vector<std::string> names;
  for (const std::string& name : capabilities) {
    names.emplace_back(absl::StripPrefix(name, "CAP_"));
  }
  return names;
}

bool IsDefault(const std::string& capability) {
  return std::find(std::begin(kDefaultCapabilities), std::end(kDefaultCapabilities),
                   absl::StripPrefix(capability, "CAP_")) != std::end(kDefaultCapabilities);
}

bool IsCapabilityName(absl::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

class Checker {
 public:
  Checker(const FieldPath& path, FieldReport* report) : path_(path), report_(report) {}

  void Note(bool used, absl::string_view field, bool is_allowed = false) const {
    if (!used) return;
    report_->Uses(absl::StrCat("spec.containers[].securityContext.", field),
                  absl::StrCat(path_.ToString(), ".", field), is_allowed);
  }

  void CheckNames(const std::vector<std::string>& names, absl::string_view list) const {
    for (size_t i = 0; i < names.size(); ++i) {
      if (IsCapabilityName(names[i])) continue;
      report_->Refuse(absl::StrCat(path_.ToString(), ".capabilities.", list, "[", i, "]"),
                      "want a capability's name, like NET_ADMIN");
    }
  }

 private:
  const FieldPath& path_;
  FieldReport* report_;
};

}  // namespace

PlannedSecurity PlanSecurity(const PodSecurityContext& pod, const SecurityContext& container) {
  PlannedSecurity planned;
  planned.user = container.run_as_user.has_value() ? container.run_as_user : pod.run_as_user;
  planned.group = container.run_as_group.has_value() ? container.run_as_group : pod.run_as_group;
  planned.groups = pod.supplemental_groups;
  if (pod.fs_group.has_value()) planned.groups.push_back(*pod.fs_group);
  planned.must_not_be_root =
      container.run_as_non_root.value_or(pod.run_as_non_root.value_or(false));
  planned.privileged = container.privileged.value_or(false);
  planned.no_new_privileges = !container.allow_privilege_escalation.value_or(true);
  planned.added_capabilities = PlainNames(container.add_capabilities);
  planned.dropped_capabilities = PlainNames(container.drop_capabilities);
  return planned;
}

void CheckPodSecurity(const PodSecurityContext& security, FieldReport* report) {
  const std::string& seccomp = security.seccomp_profile_type;
  const struct {
    bool used;
    absl::string_view field;
  } fields[] = {
      {security.fs_group.has_value(), "fsGroup"},
      {security.run_as_group.has_value(), "runAsGroup"},
      {security.run_as_non_root.value_or(false), "runAsNonRoot"},
      {security.run_as_user.has_value(), "runAsUser"},
      {!seccomp.empty() && seccomp != "Unconfined", "seccompProfile"},
      {!security.supplemental_groups.empty(), "supplementalGroups"},
      {!security.sysctls.empty(), "sysctls"},
  };
  for (const auto& row : fields) {
    const std::string name = absl::StrCat("spec.securityContext.", row.field);
    if (row.used) report->Uses(name, name);
  }
}

void CheckContainerSecurity(const RuntimeOptions& runtime, const SecurityContext& security,
                            const FieldPath& path, FieldReport* report) {
  const Checker check(path, report);
  check.Note(security.privileged.value_or(false), "privileged", runtime.allow_privileged);
  check.Note(security.run_as_user.has_value(), "runAsUser");
  check.Note(security.run_as_group.has_value(), "runAsGroup");
  check.Note(security.run_as_non_root.value_or(false), "runAsNonRoot");
  check.Note(security.read_only_root_filesystem.value_or(false), "readOnlyRootFilesystem");
  check.Note(
      !std::all_of(security.add_capabilities.begin(), security.add_capabilities.end(), IsDefault),
      "capabilities.add", runtime.allow_privileged);
  if (runtime.kind == RuntimeKind::kApptainer && !security.drop_capabilities.empty() &&
      !security.add_capabilities.empty()) {
    report->Warn(absl::StrCat(path.ToString(), ".capabilities.add"),
                 "Apptainer gives back no capability that is dropped");
  }
  check.Note(!security.drop_capabilities.empty(), "capabilities.drop");
  check.CheckNames(security.add_capabilities, "add");
  check.CheckNames(security.drop_capabilities, "drop");
  const std::string& seccomp = security.seccomp_profile_type;
  check.Note(!seccomp.empty() && seccomp != "Unconfined", "seccompProfile");
}

}  // namespace podferry
