// One container of a pod, as plain data: what Kubernetes' v1.Container says, parsed once. Absent
// fields hold Kubernetes' defaults; std::optional marks those whose absence means something of its
// own. Quantities stay text here (core/resources computes with them); seconds are plain integers.
// Values with no invariants: anyone may copy them, no thread owns them.

#ifndef PODFERRY_CORE_POD_CONTAINER_H_
#define PODFERRY_CORE_POD_CONTAINER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace podferry {

// Ordered, so that what is printed or hashed is the same every time.
using StringMap = std::map<std::string, std::string>;

// Where an environment variable's value was to come from. interLink resolves these before we see
// the pod; one that is still here was not.
struct EnvSource {
  enum class Kind { kField, kResourceField, kConfigMapKey, kSecretKey, kOther };
  Kind kind = Kind::kOther;
  std::string name;  // the ConfigMap, the Secret or, for kResourceField, the container
  std::string key;   // the key, field path or resource
  std::string divisor;
  bool optional = false;
};

struct EnvVar {
  std::string name;
  std::string value;  // "" when absent: the variable is set, to nothing
  std::optional<EnvSource> value_from;
};

// All keys of a ConfigMap or Secret as variables; resolved by interLink like EnvSource.
struct EnvFromSource {
  std::string prefix;
  std::string config_map;  // exactly one of the two is set
  std::string secret;
  bool optional = false;
};

// A port by number or by the name of one of the container's ports.
struct PortRef {
  int32_t number = 0;  // 0 when a name is given
  std::string name;
};

struct ContainerPort {
  std::string name;
  int32_t container_port = 0;
  int32_t host_port = 0;
  std::string protocol = "TCP";
  std::string host_ip;
};

struct ExecAction {
  std::vector<std::string> command;
};
struct HttpGetAction {
  std::string host;
  PortRef port;
  std::string path;
  std::string scheme = "HTTP";
  std::vector<std::pair<std::string, std::string>> headers;  // in order, names may repeat
};
struct TcpSocketAction {
  std::string host;
  PortRef port;
};
struct GrpcAction {
  int32_t port = 0;
  std::string service;
};
struct SleepAction {
  int64_t seconds = 0;
};
// What a probe or a lifecycle hook does; monostate: nothing was named.
using Handler = std::variant<std::monostate, ExecAction, HttpGetAction, TcpSocketAction, GrpcAction,
                             SleepAction>;

struct Probe {
  Handler handler;
  int32_t initial_delay_seconds = 0;
  int32_t timeout_seconds = 1;
  int32_t period_seconds = 10;
  int32_t success_threshold = 1;
  int32_t failure_threshold = 3;
  std::optional<int64_t> termination_grace_period_seconds;
};

struct Lifecycle {
  std::optional<Handler> post_start;
  std::optional<Handler> pre_stop;
  std::string stop_signal;  // "SIGTERM" and so on; "" is the image's own
};

// requests and limits: resource name -> quantity as written.
struct ResourceRequirements {
  StringMap requests;
  StringMap limits;
};

struct SecurityContext {
  std::optional<int64_t> run_as_user;
  std::optional<int64_t> run_as_group;
  std::optional<bool> run_as_non_root;
  std::optional<bool> privileged;
  std::optional<bool> read_only_root_filesystem;
  std::optional<bool> allow_privilege_escalation;
  std::vector<std::string> add_capabilities;
  std::vector<std::string> drop_capabilities;
  std::string seccomp_profile_type;
};

struct VolumeMount {
  std::string name;
  std::string mount_path;
  std::string sub_path;
  std::string sub_path_expr;
  bool read_only = false;
  std::string recursive_read_only;
  std::string mount_propagation;  // "", "None", "HostToContainer" or "Bidirectional"
};

struct VolumeDevice {
  std::string name;
  std::string device_path;
};

struct Container {
  std::string name;
  std::string image;
  std::vector<std::string> command;  // replaces ENTRYPOINT when not empty
  std::vector<std::string> args;     // replaces CMD when not empty
  std::string working_dir;
  std::vector<ContainerPort> ports;
  std::vector<EnvVar> env;  // in the spec's order; a later one of the same name wins
  std::vector<EnvFromSource> env_from;
  ResourceRequirements resources;
  std::string restart_policy;  // "" or, for init containers, "Always": a sidecar
  std::vector<VolumeMount> volume_mounts;
  std::vector<VolumeDevice> volume_devices;
  std::optional<Probe> liveness_probe;
  std::optional<Probe> readiness_probe;
  std::optional<Probe> startup_probe;
  Lifecycle lifecycle;
  std::string termination_message_path = "/dev/termination-log";
  std::string termination_message_policy = "File";
  std::string image_pull_policy;  // "Always", "IfNotPresent", "Never" or ""
  SecurityContext security_context;
  bool stdin_open = false;
  bool stdin_once = false;
  bool tty = false;

  bool IsSidecar() const { return restart_policy == "Always"; }
};

}  // namespace podferry

#endif  // PODFERRY_CORE_POD_CONTAINER_H_
