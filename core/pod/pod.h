// A Kubernetes pod as plain data: everything translation, dispatch and status need of v1.Pod. Only
// core/pod/pod_parser.h makes one from JSON, and past it nobody sees pod JSON. Absent fields hold
// Kubernetes' defaults; times are kept as the RFC 3339 text that arrived. Values: anyone may copy
// them, no thread owns them.

#ifndef PODFERRY_CORE_POD_POD_H_
#define PODFERRY_CORE_POD_POD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/pod/container.h"
#include "core/pod/volume.h"

namespace podferry {

// The toleration by which Kueue names the pool.
inline constexpr char kPoolTolerationKey[] = "pool.vk.io";

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool controller = false;
};

struct ObjectMeta {
  std::string name;
  std::string generate_name;
  std::string namespace_name;
  std::string uid;
  StringMap labels;
  StringMap annotations;
  std::vector<OwnerReference> owner_references;
  std::string creation_timestamp;
  std::string deletion_timestamp;  // "" unless the pod is being deleted
  std::optional<int64_t> deletion_grace_period_seconds;
};

struct Toleration {
  std::string key;
  std::string op = "Equal";  // "Equal" or "Exists"
  std::string value;
  std::string effect;
  std::optional<int64_t> toleration_seconds;
};

struct HostAlias {
  std::string ip;
  std::vector<std::string> hostnames;
};

struct PodSecurityContext {
  std::optional<int64_t> run_as_user;
  std::optional<int64_t> run_as_group;
  std::optional<bool> run_as_non_root;
  std::optional<int64_t> fs_group;
  std::vector<int64_t> supplemental_groups;
  StringMap sysctls;
  std::string seccomp_profile_type;
};

struct PodSpec {
  std::vector<Container> init_containers;
  std::vector<Container> containers;
  std::vector<Container> ephemeral_containers;
  std::vector<Volume> volumes;
  std::vector<Toleration> tolerations;
  StringMap node_selector;
  std::string node_name;
  std::string restart_policy = "Always";
  std::optional<int64_t> active_deadline_seconds;
  int64_t termination_grace_period_seconds = 30;
  std::string dns_policy;
  std::string hostname;
  std::string subdomain;
  bool set_hostname_as_fqdn = false;
  std::vector<HostAlias> host_aliases;
  bool host_network = false;
  bool host_pid = false;
  bool host_ipc = false;
  bool share_process_namespace = false;
  std::string service_account_name;
  std::vector<std::string> image_pull_secrets;  // their names
  std::string runtime_class_name;
  std::string priority_class_name;
  std::string scheduler_name;
  StringMap overhead;              // resource name -> quantity
  ResourceRequirements resources;  // of the whole pod (Kubernetes 1.34), replaces the sum
  PodSecurityContext security_context;
};

// What of v1.PodStatus is read: the downward API asks for the addresses.
struct PodStatusFields {
  std::string phase;
  std::string pod_ip;
  std::string host_ip;
};

struct Pod {
  ObjectMeta metadata;
  PodSpec spec;
  PodStatusFields status;
};

// The volume of that name, or nullptr.
const Volume* FindVolume(const PodSpec& spec, absl::string_view name);

// The pool that the tolerations name, or "" if there is none or more than one distinct value.
std::string PoolOf(const Pod& pod);

}  // namespace podferry

#endif  // PODFERRY_CORE_POD_POD_H_
