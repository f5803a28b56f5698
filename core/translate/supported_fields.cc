#include "core/translate/supported_fields.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace podferry {
namespace {

constexpr Support kHonoured = Support::kHonoured;
constexpr Support kIgnored = Support::kIgnored;
constexpr Support kRefused = Support::kRefused;
constexpr Support kIfAllowed = Support::kIfAllowed;

// clang-format off
constexpr FieldSupport kFields[] = {
    // field                                        host      apptainer podman
    {"metadata.annotations[cvmfs.vk.io/]",          kHonoured, kHonoured, kHonoured,
     "/cvmfs is mounted in place of the volume, read only"},
    {"metadata.annotations[fuse.vk.io/]",           kHonoured, kHonoured, kHonoured,
     "the script mounts the volume at the pool; in the container, where [apptainer] fuse_mode says so, "
     "only under Apptainer"},
    {"metadata.annotations[interlink.eu/pod-ip]",   kIgnored, kIgnored, kIgnored,
     "a pool gives a pod no address of the cluster"},
    {"metadata.annotations[interlink.eu/pod-vpn]",  kIgnored, kIgnored, kIgnored,
     "a pool gives a pod no address of the cluster"},
    {"metadata.annotations[interlink.eu/wireguard-client-snippet]", kIgnored, kIgnored, kIgnored,
     "containers are not started in the mesh network"},
    {"metadata.annotations[interlink.eu/wstunnel-client-commands]", kHonoured, kHonoured, kHonoured,
     "run beside the containers, where [runtime] allow_tunnel"},
    {"metadata.annotations[slurm-job.vk.io/flags]", kHonoured, kHonoured, kHonoured,
     "for the batch system, where [slurm] allow_pod_flags; else a warning"},
    {"metadata.annotations[slurm-job.vk.io/pre-exec]", kHonoured, kHonoured, kHonoured,
     "run before the containers, where [runtime] allow_pre_exec"},
    {"metadata.annotations[slurm-job.vk.io/*]",     kIgnored, kIgnored, kIgnored,
     "only interLink's own Slurm plugin reads it"},
    {"metadata.labels[user]",                       kHonoured, kHonoured, kHonoured,
     "its folder in volumes.apptainer_cachedir is at /cache in containers that have mounts"},
    {"spec.ephemeralContainers",                    kRefused, kRefused, kRefused,
     "ephemeral containers cannot be sent to a pool"},
    {"spec.hostIPC",                                kRefused, kRefused, kRefused,
     "a pod at a pool gets no namespaces of the host"},
    {"spec.hostPID",                                kRefused, kRefused, kRefused,
     "a pod at a pool gets no namespaces of the host"},
    {"spec.runtimeClassName",                       kIgnored, kIgnored, kIgnored,
     "the pool has its own runtime"},
    {"spec.securityContext.fsGroup",                kIgnored, kIgnored, kHonoured,
     "files belong to the pool's user"},
    {"spec.securityContext.runAsGroup",             kIgnored, kIgnored, kHonoured,
     "containers run as the pool's user; only under host, where that is root, as the pod says"},
    {"spec.securityContext.runAsNonRoot",           kHonoured, kHonoured, kHonoured, ""},
    {"spec.securityContext.runAsUser",              kIgnored, kIgnored, kHonoured,
     "containers run as the pool's user; only under host, where that is root, as the pod says"},
    {"spec.securityContext.seccompProfile",         kIgnored, kIgnored, kHonoured,
     "the pool sets no system call filter"},
    {"spec.securityContext.supplementalGroups",     kIgnored, kIgnored, kHonoured,
     "containers have the groups of the pool's user; only under host, if that is root, the pod's"},
    {"spec.securityContext.sysctls",                kRefused, kRefused, kRefused,
     "a pool's kernel settings are its own"},
    {"spec.shareProcessNamespace",                  kRefused, kRefused, kRefused,
     "containers do not see one another's processes"},

    {"spec.containers[].lifecycle.postStart",       kHonoured, kHonoured, kHonoured,
     "exec, httpGet and sleep"},
    {"spec.containers[].lifecycle.preStop",         kHonoured, kHonoured, kHonoured,
     "exec, httpGet and sleep"},
    {"spec.containers[].lifecycle.stopSignal",      kHonoured, kHonoured, kHonoured,
     ""},
    {"spec.containers[].livenessProbe",             kHonoured, kHonoured, kHonoured,
     "the pod's address is 127.0.0.1: its ports are the machine's"},
    {"spec.containers[].readinessProbe",            kHonoured, kHonoured, kHonoured,
     "the pod's address is 127.0.0.1: its ports are the machine's"},
    {"spec.containers[].startupProbe",              kHonoured, kHonoured, kHonoured,
     "the pod's address is 127.0.0.1: its ports are the machine's"},
    {"spec.containers[].resources.limits[cpu]",     kIgnored, kIgnored, kIgnored,
     "enforced only where the script can write a cgroup or ask Podman for one"},
    {"spec.containers[].resources.limits[ephemeral-storage]", kIgnored, kIgnored, kIgnored,
     "not enforced"},
    {"spec.containers[].resources.limits[memory]",  kHonoured, kHonoured, kHonoured,
     "by a cgroup where one can be had, else for each process alone"},
    {"spec.containers[].resources.limits[nvidia.com/gpu]", kRefused, kHonoured, kHonoured,
     "GPUs are passed on to containers with images only"},
    {"spec.containers[].resources.limits[amd.com/gpu]", kRefused, kHonoured, kHonoured,
     "GPUs are passed on to containers with images only"},
    {"spec.containers[].resources.limits[*]",       kRefused, kRefused, kRefused,
     "devices and other special resources are not supported yet"},
    {"spec.containers[].securityContext.capabilities.add", kRefused, kRefused, kIfAllowed,
     "the pool gives no more than the default capabilities (runtime.allow_privileged, under podman)"},
    {"spec.containers[].securityContext.capabilities.drop", kHonoured, kHonoured, kHonoured, ""},
    {"spec.containers[].securityContext.privileged", kRefused, kRefused, kIfAllowed,
     "the pool gives no privileges (runtime.allow_privileged, under podman)"},
    {"spec.containers[].securityContext.readOnlyRootFilesystem", kHonoured, kHonoured, kHonoured, ""},
    {"spec.containers[].securityContext.runAsGroup", kIgnored, kIgnored, kHonoured,
     "containers run as the pool's user; only under host, where that is root, as the pod says"},
    {"spec.containers[].securityContext.runAsNonRoot", kHonoured, kHonoured, kHonoured, ""},
    {"spec.containers[].securityContext.runAsUser", kIgnored, kIgnored, kHonoured,
     "containers run as the pool's user; only under host, where that is root, as the pod says"},
    {"spec.containers[].securityContext.seccompProfile", kIgnored, kIgnored, kHonoured,
     "the pool sets no system call filter"},
    {"spec.containers[].terminationMessagePath",    kHonoured, kHonoured, kHonoured,
     "/dev/termination-log: under host where a command, variables or files name it; never under "
     "apptainer, whose /dev is the machine's (name another path, or FallbackToLogsOnError)"},
    {"spec.containers[].terminationMessagePolicy",  kHonoured, kHonoured, kHonoured, ""},
    {"spec.containers[].tty",                       kIgnored, kIgnored, kHonoured,
     "there is no terminal: stdout and stderr are one pipe"},
    {"spec.containers[].volumeDevices",             kRefused, kRefused, kRefused,
     "block devices cannot be had at a pool"},
    {"spec.containers[].volumeMounts[].mountPropagation=Bidirectional", kRefused, kRefused, kRefused,
     "mounts made in a container cannot be seen outside it; a fuse.vk.io annotation can mount"},
    {"spec.containers[].volumeMounts[].mountPropagation=HostToContainer", kIgnored, kIgnored,
     kIgnored, "mounts made later at the pool may not be seen"},
    {"spec.containers[].volumeMounts[].recursiveReadOnly", kHonoured, kRefused, kRefused,
     "Enabled; IfPossible is honoured where the runtime can"},

    {"spec.volumes[].csi",                          kRefused, kRefused, kRefused,
     "a pool has no drivers of the cluster; a FUSE file system can be had by a fuse.vk.io annotation"},
    {"spec.volumes[].emptyDir.medium",              kRefused, kRefused, kRefused,
     "want \"\" or \"Memory\""},
    {"spec.volumes[].emptyDir.sizeLimit",           kHonoured, kHonoured, kHonoured,
     "measured after 10 s, then every minute; a pod that exceeds it is evicted, as by a kubelet"},
    {"spec.volumes[].ephemeral",                    kIgnored, kIgnored, kIgnored,
     "an empty folder for this pod alone, without the class and size of its claim"},
    {"spec.volumes[].hostPath",                     kHonoured, kHonoured, kHonoured,
     "where the pool's table has it ([paths] host_paths); else refused"},
    {"spec.volumes[].nfs",                          kHonoured, kHonoured, kHonoured,
     "where the pool's table has it ([paths] nfs); else refused"},
    {"spec.volumes[].persistentVolumeClaim",        kHonoured, kHonoured, kHonoured,
     "where the pool's table has it ([paths] claims); else refused"},
    {"spec.volumes[].*",                            kRefused, kRefused, kRefused,
     "volumes of this type are not supported"},
};
// clang-format on

Support SupportOf(const FieldSupport& field, RuntimeKind runtime) {
  switch (runtime) {
    case RuntimeKind::kHost:
      return field.host;
    case RuntimeKind::kApptainer:
      return field.apptainer;
    case RuntimeKind::kPodman:
      return field.podman;
  }
  return kRefused;
}

absl::string_view Name(Support support) {
  switch (support) {
    case kHonoured:
      return "yes";
    case kIgnored:
      return "warning";
    case kRefused:
      return "refused";
    case kIfAllowed:
      return "if allowed";
  }
  return "refused";
}

constexpr absl::string_view kPageHead =
    "# What a pod may ask for\n\n"
    "Which fields of a pod a pool honours, by its runtime (`[runtime] kind` of its BuildConfig; "
    "`apptainer` is also Singularity, `podman`\nalso Docker). \"refused\": the pod fails before "
    "anything is sent, with the field's path. \"warning\": it runs without, and says so. What\nis "
    "not listed is honoured, or says nothing about how a pod runs at a pool (ports, scheduling). "
    "Init containers are containers, too.\nThis page is written from the planner's own table.\n\n"
    "| field | host | apptainer | podman | why not, or how |\n"
    "| --- | --- | --- | --- | --- |\n";

}  // namespace

absl::Span<const FieldSupport> SupportedFields() { return kFields; }

std::string SupportedFieldsPage(absl::Span<const RuntimeKind> available) {
  const auto support = [available](const FieldSupport& field, RuntimeKind kind) {
    const bool is_there = std::find(available.begin(), available.end(), kind) != available.end();
    return Name(is_there ? SupportOf(field, kind) : kRefused);
  };
  std::string page(kPageHead);
  for (const FieldSupport& field : kFields) {
    absl::StrAppend(&page, "| `", field.field, "` | ", support(field, RuntimeKind::kHost), " | ",
                    support(field, RuntimeKind::kApptainer), " | ",
                    support(field, RuntimeKind::kPodman), " | ", field.words, " |\n");
  }
  return page;
}

void FieldReport::Uses(absl::string_view field, absl::string_view path, bool is_allowed) {
  for (const FieldSupport& row : kFields) {
    if (row.field != field) continue;
    const Support support = SupportOf(row, runtime_);
    if (support == kRefused || (support == kIfAllowed && !is_allowed)) Refuse(path, row.words);
    if (support == kIgnored) Warn(path, row.words);
    return;
  }
  Refuse(path, "not known to this version");
}

void FieldReport::Warn(absl::string_view path, absl::string_view words) {
  warnings_.push_back(absl::StrCat(path, ": ", words));
}

}  // namespace podferry
