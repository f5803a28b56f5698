#include "core/translate/planner.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/pod/names.h"
#include "core/translate/container_planner.h"
#include "core/translate/image_planner.h"
#include "core/translate/job_description.h"
#include "core/translate/outside_planner.h"
#include "core/translate/runtime.h"
#include "core/translate/security_planner.h"
#include "core/translate/supported_fields.h"
#include "core/translate/volume_planner.h"

namespace podferry {
namespace {

void CheckPodFields(const PodSpec& spec, FieldReport* report) {
  const struct {
    bool used;
    absl::string_view field;
  } fields[] = {
      {!spec.ephemeral_containers.empty(), "spec.ephemeralContainers"},
      {spec.host_ipc, "spec.hostIPC"},
      {spec.host_pid, "spec.hostPID"},
      {spec.share_process_namespace, "spec.shareProcessNamespace"},
      {!spec.runtime_class_name.empty(), "spec.runtimeClassName"},
  };
  for (const auto& row : fields) {
    if (row.used) report->Uses(row.field, row.field);
  }
  CheckPodSecurity(spec.security_context, report);
}

bool IsMounted(const PodSpec& spec, absl::string_view volume) {
  const auto mounts = [volume](const Container& container) {
    return std::any_of(container.volume_mounts.begin(), container.volume_mounts.end(),
                       [volume](const VolumeMount& mount) { return mount.name == volume; });
  };
  return std::any_of(spec.containers.begin(), spec.containers.end(), mounts) ||
         std::any_of(spec.init_containers.begin(), spec.init_containers.end(), mounts);
}

// Names become names of files.
void CheckName(absl::string_view name, const FieldPath& path, FieldReport* report) {
  if (IsDnsLabel(name)) return;
  const FieldPath at = path / "name";
  report->Refuse(at.ToString(), "want lower case letters, digits and '-', at most 63");
}

// Volumes that nobody mounts are left out, and their data is never asked for.
void PlanVolumes(const RetrievedPod& pod, const BuildConfig& config, JobPlan* plan,
                 FieldReport* report) {
  const FieldPath spec("spec");
  const FieldPath list = spec / "volumes";
  const size_t before = plan->volumes.size();
  for (size_t i = 0; i < pod.pod.spec.volumes.size(); ++i) {
    const Volume& volume = pod.pod.spec.volumes[i];
    if (!IsMounted(pod.pod.spec, volume.name)) continue;
    const FieldPath at = list[i];
    CheckName(volume.name, at, report);
    if (PlanAnnotatedVolume(pod.pod.metadata, config, volume.name, plan, report)) continue;
    plan->volumes.push_back(PlanVolume(pod, config, volume, at, report));
  }
  if (plan->volumes.size() > before) PlanCache(pod.pod.metadata, config, plan, report);
}

Role RoleOf(const Container& container, bool init) {
  if (!init) return Role::kMain;
  return container.IsSidecar() ? Role::kSidecar : Role::kInit;
}

void PlanContainers(const RetrievedPod& pod, const BuildConfig& config, const Runtime& runtime,
                    JobPlan* plan, FieldReport* report) {
  const FieldPath spec("spec");
  const auto add = [&](const std::vector<Container>& containers, absl::string_view field,
                       bool init) {
    const FieldPath list = spec / field;
    for (size_t i = 0; i < containers.size(); ++i) {
      const FieldPath at = list[i];
      CheckName(containers[i].name, at, report);
      runtime.CheckContainer(config, containers[i], at, report);
      CheckContainerSecurity(config.runtime, containers[i].security_context, at / "securityContext",
                             report);
      PlannedContainer planned = PlanContainer(pod, containers[i], RoleOf(containers[i], init), at,
                                               &plan->volumes, report);
      if (runtime.HasSiteImages())
        planned.image_plan = PlanImage(config, containers[i], at, report);
      plan->containers.push_back(std::move(planned));
    }
  };
  add(pod.pod.spec.init_containers, "initContainers", true);
  add(pod.pod.spec.containers, "containers", false);
}

// A job script knows its containers itself: only their names and roles are planned.
void PlanJobScript(const RetrievedPod& pod, JobPlan* plan) {
  plan->job_script = pod.job_script;
  const auto add = [plan](const std::vector<Container>& containers, bool init) {
    for (const Container& container : containers) {
      PlannedContainer planned;
      planned.name = container.name;
      planned.image = container.image;
      planned.role = RoleOf(container, init);
      plan->containers.push_back(std::move(planned));
    }
  };
  add(pod.pod.spec.init_containers, true);
  add(pod.pod.spec.containers, false);
}

RestartPolicy PlanRestartPolicy(const std::string& text) {
  if (text == "Never") return RestartPolicy::kNever;
  return text == "OnFailure" ? RestartPolicy::kOnFailure : RestartPolicy::kAlways;
}

// The pod's name in full, where a Service of the cluster would give it one.
std::string FullHostname(const Pod& pod, absl::string_view hostname) {
  if (pod.spec.subdomain.empty()) return "";
  return absl::StrCat(hostname, ".", pod.spec.subdomain, ".", pod.metadata.namespace_name,
                      ".svc.cluster.local");
}

// A kernel's host name has 64 bytes at most, a pod's name 253; the kubelet cuts at 63.
std::string ShortHostname(const Pod& pod) {
  if (!pod.spec.hostname.empty()) return pod.spec.hostname;
  absl::string_view name = absl::string_view(pod.metadata.name).substr(0, 63);
  while (absl::ConsumeSuffix(&name, "-") || absl::ConsumeSuffix(&name, ".")) {
  }
  return std::string(name);
}

void PlanHostnames(const Pod& pod, JobPlan* plan, FieldReport* report) {
  plan->hostname = ShortHostname(pod);
  const std::string full = FullHostname(pod, plan->hostname);
  plan->host_lines.push_back(
      absl::StrCat("127.0.0.1\t", full, full.empty() ? "" : "\t", plan->hostname));
  if (pod.spec.set_hostname_as_fqdn && !full.empty()) {
    if (full.size() > 64) {
      report->Refuse("spec.setHostnameAsFQDN", absl::StrCat("longer than 64 bytes: ", full));
    } else {
      plan->hostname = full;
    }
  }
  for (const HostAlias& alias : pod.spec.host_aliases) {
    std::string line = alias.ip;
    for (const std::string& name : alias.hostnames) absl::StrAppend(&line, "\t", name);
    plan->host_lines.push_back(std::move(line));
  }
}

}  // namespace

PlanResult PlanJob(const RetrievedPod& pod, const JobKey& key, absl::string_view pool,
                   const BuildConfig& config, const TranslateOptions& options) {
  PlanResult result;
  JobPlan& plan = result.plan;
  plan.job = DescribeJob(pod.pod, key, pool);
  plan.runtime = config.runtime.kind;
  plan.restart_policy = PlanRestartPolicy(pod.pod.spec.restart_policy);
  if (!pod.job_script.empty()) {
    plan.hostname = ShortHostname(pod.pod);
    PlanJobScript(pod, &plan);
    return result;
  }
  const Runtime* const runtime = FindRuntime(config.runtime.kind);
  if (runtime == nullptr) {
    result.issues.Add(
        "runtime.kind",
        "this version does not have that runtime; set another in the pool's BuildConfig "
        "([runtime] kind = \"apptainer\" or \"host\")");
    return result;
  }
  FieldReport report(config.runtime.kind);
  PlanCommands(pod.pod, config, &plan, &report);
  CheckPodFields(pod.pod.spec, &report);
  plan.fs_group = pod.pod.spec.security_context.fs_group;
  PlanHostnames(pod.pod, &plan, &report);
  PlanVolumes(pod, config, &plan, &report);
  PlanContainers(pod, config, *runtime, &plan, &report);
  plan.path_folders = config.volumes.additional_directories_in_path;
  if (runtime->HasSiteImages())
    plan.image_places = PlanImagePlaces(config, options.registry_proxy_token);
  runtime->Plan(config, &plan, &report);
  result.issues = report.issues();
  result.warnings = report.warnings();
  return result;
}

}  // namespace podferry
