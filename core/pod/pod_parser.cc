#include "core/pod/pod_parser.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/base/status_macros.h"
#include "core/json/document.h"
#include "core/json/value.h"
#include "core/pod/container_parser.h"
#include "core/pod/json_fields.h"
#include "core/pod/volume_parser.h"

namespace podferry {
namespace {

using json::Value;
using pod_json::Field;
using pod_json::Into;
using pod_json::ListOf;
using pod_json::QuantitiesInto;
using pod_json::Read;
using pod_json::ReadFields;
using pod_json::ReadList;
using pod_json::With;

void ReadOwner(const Value& value, OwnerReference& owner) {
  constexpr Field<OwnerReference> kFields[] = {
      {"apiVersion", Into<&OwnerReference::api_version>},
      {"kind", Into<&OwnerReference::kind>},
      {"name", Into<&OwnerReference::name>},
      {"uid", Into<&OwnerReference::uid>},
      {"controller", Into<&OwnerReference::controller>},
  };
  ReadFields(value, kFields, owner);
}

void ReadMetadata(const Value& value, ObjectMeta& metadata) {
  using M = ObjectMeta;
  constexpr Field<M> kFields[] = {
      {"name", Into<&M::name>},
      {"generateName", Into<&M::generate_name>},
      {"namespace", Into<&M::namespace_name>},
      {"uid", Into<&M::uid>},
      {"labels", Into<&M::labels>},
      {"annotations", Into<&M::annotations>},
      {"ownerReferences", ListOf<&M::owner_references, ReadOwner>},
      {"creationTimestamp", Into<&M::creation_timestamp>},
      {"deletionTimestamp", Into<&M::deletion_timestamp>},
      {"deletionGracePeriodSeconds", Into<&M::deletion_grace_period_seconds>},
  };
  ReadFields(value, kFields, metadata);
}

void ReadToleration(const Value& value, Toleration& toleration) {
  constexpr Field<Toleration> kFields[] = {
      {"key", Into<&Toleration::key>},
      {"operator", Into<&Toleration::op>},
      {"value", Into<&Toleration::value>},
      {"effect", Into<&Toleration::effect>},
      {"tolerationSeconds", Into<&Toleration::toleration_seconds>},
  };
  ReadFields(value, kFields, toleration);
  if (toleration.op.empty()) toleration.op = "Equal";
}

void ReadHostAlias(const Value& value, HostAlias& alias) {
  Read(value.Get("ip"), alias.ip);
  Read(value.Get("hostnames"), alias.hostnames);
}

void ReadGroup(const Value& value, int64_t& group) { Read(value, group); }

void ReadSysctls(const Value& value, StringMap& sysctls) {
  for (const Value sysctl : value.Items()) {
    sysctls.emplace(sysctl.Get("name").StringOr(""), sysctl.Get("value").StringOr(""));
  }
}

void ReadSecurityContext(const Value& value, PodSecurityContext& context) {
  using C = PodSecurityContext;
  constexpr Field<C> kFields[] = {
      {"runAsUser", Into<&C::run_as_user>},
      {"runAsGroup", Into<&C::run_as_group>},
      {"runAsNonRoot", Into<&C::run_as_non_root>},
      {"fsGroup", Into<&C::fs_group>},
      {"supplementalGroups", ListOf<&C::supplemental_groups, ReadGroup>},
      {"sysctls", With<&C::sysctls, ReadSysctls>},
      {"seccompProfile", [](const Value& profile, C& target) {
         Read(profile.Get("type"), target.seccomp_profile_type);
       }}};
  ReadFields(value, kFields, context);
}

void ReadSecretName(const Value& value, std::string& name) { Read(value.Get("name"), name); }

void ReadSpec(const Value& value, PodSpec& spec) {
  using S = PodSpec;
  constexpr Field<S> kFields[] = {
      {"initContainers", ListOf<&S::init_containers, pod_json::ReadContainer>},
      {"containers", ListOf<&S::containers, pod_json::ReadContainer>},
      {"ephemeralContainers", ListOf<&S::ephemeral_containers, pod_json::ReadContainer>},
      {"volumes", ListOf<&S::volumes, pod_json::ReadVolume>},
      {"tolerations", ListOf<&S::tolerations, ReadToleration>},
      {"nodeSelector", Into<&S::node_selector>},
      {"nodeName", Into<&S::node_name>},
      {"restartPolicy", Into<&S::restart_policy>},
      {"activeDeadlineSeconds", Into<&S::active_deadline_seconds>},
      {"terminationGracePeriodSeconds", Into<&S::termination_grace_period_seconds>},
      {"dnsPolicy", Into<&S::dns_policy>},
      {"hostname", Into<&S::hostname>},
      {"subdomain", Into<&S::subdomain>},
      {"setHostnameAsFQDN", Into<&S::set_hostname_as_fqdn>},
      {"hostAliases", ListOf<&S::host_aliases, ReadHostAlias>},
      {"hostNetwork", Into<&S::host_network>},
      {"hostPID", Into<&S::host_pid>},
      {"hostIPC", Into<&S::host_ipc>},
      {"shareProcessNamespace", Into<&S::share_process_namespace>},
      {"serviceAccountName", Into<&S::service_account_name>},
      {"imagePullSecrets", ListOf<&S::image_pull_secrets, ReadSecretName>},
      {"runtimeClassName", Into<&S::runtime_class_name>},
      {"priorityClassName", Into<&S::priority_class_name>},
      {"schedulerName", Into<&S::scheduler_name>},
      {"overhead", QuantitiesInto<&S::overhead>},
      {"resources", With<&S::resources, pod_json::ReadResources>},
      {"securityContext", With<&S::security_context, ReadSecurityContext>},
  };
  ReadFields(value, kFields, spec);
}

void ReadPod(const Value& value, Pod& pod) {
  ReadMetadata(value.Get("metadata").RequireObject(), pod.metadata);
  ReadSpec(value.Get("spec").RequireObject(), pod.spec);
  constexpr Field<PodStatusFields> kStatus[] = {{"phase", Into<&PodStatusFields::phase>},
                                                {"podIP", Into<&PodStatusFields::pod_ip>},
                                                {"hostIP", Into<&PodStatusFields::host_ip>}};
  ReadFields(value.Get("status"), kStatus, pod.status);
}

void ReadBase64(const Value& value, std::string& bytes) {
  if (!absl::Base64Unescape(value.StringOr(""), &bytes)) value.AddIssue("is not valid base64");
}

enum class DataIs { kText, kBase64 };

// A ConfigMap (data is text, binaryData base64) or a Secret (data is base64).
void ReadObjectData(const Value& value, DataIs data_is, ObjectData& object) {
  for (const json::Member member : value.Get("data").Members()) {
    std::string& bytes = object.files[std::string(member.key)];
    if (data_is == DataIs::kBase64) {
      ReadBase64(member.value, bytes);
    } else {
      Read(member.value, bytes);
    }
  }
  for (const json::Member member : value.Get("binaryData").Members()) {
    ReadBase64(member.value, object.files[std::string(member.key)]);
  }
}

// The same object comes once for each volume that mounts it: one copy is kept.
void ReadObjects(const Value& value, DataIs data_is, std::vector<ObjectData>& objects) {
  for (const Value item : value.Items()) {
    const absl::string_view name = item.Get("metadata").Get("name").RequireString();
    bool known = false;
    for (const ObjectData& object : objects) known = known || object.name == name;
    if (known) continue;
    objects.push_back({std::string(name), {}});
    ReadObjectData(item, data_is, objects.back());
  }
}

void ReadContainerData(const Value& value, ContainerData& data) {
  data.name = std::string(value.Get("name").RequireString());
  ReadObjects(value.Get("configMaps"), DataIs::kText, data.config_maps);
  ReadObjects(value.Get("projectedvolumemaps"), DataIs::kText, data.projected_volumes);
  ReadObjects(value.Get("secrets"), DataIs::kBase64, data.secrets);
}

void ReadHubProxy(const Value& value, JobConfig::HubProxy& proxy) {
  using P = JobConfig::HubProxy;
  constexpr Field<P> kFields[] = {
      {"server", Into<&P::server>},
      {"master_token", Into<&P::master_token>},
      {"cache_validity_seconds", Into<&P::cache_validity_seconds>},
  };
  ReadFields(value, kFields, proxy);
}

void ReadApptainer(const Value& value, JobConfig::Apptainer& apptainer) {
  using A = JobConfig::Apptainer;
  constexpr Field<A> kFields[] = {
      {"executable", Into<&A::executable>}, {"fuseMode", Into<&A::fuse_mode>},
      {"fakeroot", Into<&A::fakeroot>},     {"containall", Into<&A::containall>},
      {"noInit", Into<&A::no_init>},        {"noHome", Into<&A::no_home>},
      {"noPrivs", Into<&A::no_privs>},      {"nvidiaSupport", Into<&A::nvidia_support>},
      {"cleanenv", Into<&A::cleanenv>},     {"unsquash", Into<&A::unsquash>},
  };
  ReadFields(value, kFields, apptainer);
}

void ReadJobVolumes(const Value& value, JobConfig::Volumes& volumes) {
  using V = JobConfig::Volumes;
  constexpr Field<V> kFields[] = {
      {"scratch_area", Into<&V::scratch_area>},
      {"apptainer_cachedir", Into<&V::apptainer_cachedir>},
      {"image_dir", Into<&V::image_dir>},
      {"additional_directories_in_path", Into<&V::additional_directories_in_path>},
      {"fuse_sleep_seconds", Into<&V::fuse_sleep_seconds>},
  };
  ReadFields(value, kFields, volumes);
}

void ReadJobConfig(const Value& value, JobConfig& config) {
  constexpr Field<JobConfig> kFields[] = {
      {"SingularityHubProxy", With<&JobConfig::hub_proxy, ReadHubProxy>},
      {"ApptainerOptions", With<&JobConfig::apptainer, ReadApptainer>},
      {"Volumes", With<&JobConfig::volumes, ReadJobVolumes>},
  };
  ReadFields(value, kFields, config);
}

void ReadRetrievedPod(const Value& value, RetrievedPod& pod) {
  ReadPod(value.Get("pod").RequireObject(), pod.pod);
  ReadList(value.Get("container"), pod.containers, ReadContainerData);
  Read(value.Get("jobScript"), pod.job_script);
  if (const Value config = value.Get("jobConfig"); config.present()) {
    ReadJobConfig(config, pod.job_config.emplace());
  }
}

absl::Status WantsObject(const Value& value) {
  if (value.kind() == json::Kind::kObject) return absl::OkStatus();
  return absl::InvalidArgumentError("want a JSON object");
}

}  // namespace

absl::StatusOr<RetrievedPod> ParseRetrievedPod(absl::string_view json, Issues* issues) {
  PODFERRY_ASSIGN_OR_RETURN(const json::Document document, json::Document::Parse(json));
  RetrievedPod pod;
  Issues found;
  const Value root = document.Root(&found);
  if (root.kind() != json::Kind::kArray) {
    PODFERRY_RETURN_IF_ERROR(WantsObject(root));
    ReadRetrievedPod(root, pod);
    issues->Merge(found);
    return pod;
  }
  const auto items = root.Items();
  if (items.size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("want an object or a list of one, got a list of ", items.size()));
  }
  PODFERRY_RETURN_IF_ERROR(WantsObject(items[0]));
  ReadRetrievedPod(items[0], pod);
  // The list is a habit of old versions: paths are the same without it.
  for (const Issue& issue : found) {
    issues->Add(absl::StripPrefix(issue.field, "[0]."), issue.message);
  }
  return pod;
}

absl::StatusOr<Pod> ParsePod(absl::string_view json, Issues* issues) {
  PODFERRY_ASSIGN_OR_RETURN(const json::Document document, json::Document::Parse(json));
  const Value root = document.Root(issues);
  PODFERRY_RETURN_IF_ERROR(WantsObject(root));
  Pod pod;
  ReadPod(root, pod);
  return pod;
}

absl::StatusOr<std::vector<Pod>> ParsePodList(absl::string_view json, Issues* issues) {
  PODFERRY_ASSIGN_OR_RETURN(const json::Document document, json::Document::Parse(json));
  const Value root = document.Root(issues);
  std::vector<Pod> pods;
  if (root.kind() == json::Kind::kNull) return pods;
  if (root.kind() == json::Kind::kObject) {
    ReadPod(root, pods.emplace_back());
    return pods;
  }
  if (root.kind() != json::Kind::kArray) {
    return absl::InvalidArgumentError("want a list of pods");
  }
  ReadList(root, pods, ReadPod);
  return pods;
}

}  // namespace podferry
