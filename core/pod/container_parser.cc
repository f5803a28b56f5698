#include "core/pod/container_parser.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/pod/json_fields.h"

namespace podferry::pod_json {
namespace {

using json::Value;

// Kubernetes takes a name that is a number for a number.
void ReadPort(const Value& value, PortRef& port) {
  if (value.kind() == json::Kind::kNumber) {
    Read(value, port.number);
    return;
  }
  Read(value, port.name);
  int32_t number = 0;
  if (absl::SimpleAtoi(port.name, &number)) port = {number, ""};
}

// A reference to a key of a ConfigMap or Secret.
void ReadKeyRef(EnvSource::Kind kind, const Value& value, EnvSource& source) {
  constexpr Field<EnvSource> kFields[] = {{"name", Into<&EnvSource::name>},
                                          {"key", Into<&EnvSource::key>},
                                          {"optional", Into<&EnvSource::optional>}};
  if (!value.present()) return;
  source.kind = kind;
  ReadFields(value, kFields, source);
}

void ReadFieldRef(const Value& value, EnvSource& source) {
  if (!value.present()) return;
  source.kind = EnvSource::Kind::kField;
  Read(value.Get("fieldPath"), source.key);
}

void ReadResourceFieldRef(const Value& value, EnvSource& source) {
  constexpr Field<EnvSource> kFields[] = {{"containerName", Into<&EnvSource::name>},
                                          {"resource", Into<&EnvSource::key>},
                                          {"divisor", QuantityInto<&EnvSource::divisor>}};
  if (!value.present()) return;
  source.kind = EnvSource::Kind::kResourceField;
  ReadFields(value, kFields, source);
}

void ReadEnvSource(const Value& value, std::optional<EnvSource>& source) {
  constexpr Field<EnvSource> kFields[] = {
      {"fieldRef", ReadFieldRef},
      {"resourceFieldRef", ReadResourceFieldRef},
      {"configMapKeyRef",
       [](const Value& reference, EnvSource& target) {
         ReadKeyRef(EnvSource::Kind::kConfigMapKey, reference, target);
       }},
      {"secretKeyRef", [](const Value& reference, EnvSource& target) {
         ReadKeyRef(EnvSource::Kind::kSecretKey, reference, target);
       }}};
  if (value.present()) ReadFields(value, kFields, source.emplace());
}

void ReadEnv(const Value& value, EnvVar& env) {
  constexpr Field<EnvVar> kFields[] = {
      {"name", Into<&EnvVar::name>},
      {"value", Into<&EnvVar::value>},
      {"valueFrom", With<&EnvVar::value_from, ReadEnvSource>},
  };
  ReadFields(value, kFields, env);
}

void ReadEnvFrom(const Value& value, EnvFromSource& from) {
  constexpr Field<EnvFromSource> kFields[] = {
      {"prefix", Into<&EnvFromSource::prefix>},
      {"configMapRef",
       [](const Value& reference, EnvFromSource& target) {
         Read(reference.Get("name"), target.config_map);
         Read(reference.Get("optional"), target.optional);
       }},
      {"secretRef", [](const Value& reference, EnvFromSource& target) {
         Read(reference.Get("name"), target.secret);
         Read(reference.Get("optional"), target.optional);
       }}};
  ReadFields(value, kFields, from);
}

void ReadContainerPort(const Value& value, ContainerPort& port) {
  constexpr Field<ContainerPort> kFields[] = {
      {"name", Into<&ContainerPort::name>},
      {"containerPort", Into<&ContainerPort::container_port>},
      {"hostPort", Into<&ContainerPort::host_port>},
      {"protocol", Into<&ContainerPort::protocol>},
      {"hostIP", Into<&ContainerPort::host_ip>},
  };
  ReadFields(value, kFields, port);
}

void ReadHeader(const Value& value, std::pair<std::string, std::string>& header) {
  Read(value.Get("name"), header.first);
  Read(value.Get("value"), header.second);
}

Handler ReadExec(const Value& value) {
  ExecAction action;
  Read(value.Get("command"), action.command);
  return action;
}

Handler ReadHttpGet(const Value& value) {
  constexpr Field<HttpGetAction> kFields[] = {
      {"host", Into<&HttpGetAction::host>},
      {"port", With<&HttpGetAction::port, ReadPort>},
      {"path", Into<&HttpGetAction::path>},
      {"scheme", Into<&HttpGetAction::scheme>},
      {"httpHeaders", ListOf<&HttpGetAction::headers, ReadHeader>},
  };
  HttpGetAction action;
  ReadFields(value, kFields, action);
  return action;
}

Handler ReadTcpSocket(const Value& value) {
  TcpSocketAction action;
  Read(value.Get("host"), action.host);
  ReadPort(value.Get("port"), action.port);
  return action;
}

Handler ReadGrpc(const Value& value) {
  GrpcAction action;
  Read(value.Get("port"), action.port);
  Read(value.Get("service"), action.service);
  return action;
}

Handler ReadSleep(const Value& value) {
  SleepAction action;
  Read(value.Get("seconds"), action.seconds);
  return action;
}

// The one thing that a probe or hook does, among its other members.
void ReadHandler(const Value& value, Handler& handler) {
  constexpr struct {
    absl::string_view key;
    Handler (*read)(const Value&);
  } kActions[] = {{"exec", ReadExec},
                  {"httpGet", ReadHttpGet},
                  {"tcpSocket", ReadTcpSocket},
                  {"grpc", ReadGrpc},
                  {"sleep", ReadSleep}};
  absl::string_view found;
  for (const json::Member member : value.Members()) {
    for (const auto& action : kActions) {
      if (action.key != member.key || !member.value.present()) continue;
      if (!found.empty()) {
        value.AddIssue(
            absl::StrCat("has both ", found, " and ", member.key, ", may have only one"));
        return;
      }
      found = member.key;
      handler = action.read(member.value);
    }
  }
}

void ReadHook(const Value& value, std::optional<Handler>& hook) {
  if (value.present()) ReadHandler(value, hook.emplace());
}

void ReadProbe(const Value& value, std::optional<Probe>& field) {
  constexpr Field<Probe> kFields[] = {
      {"initialDelaySeconds", Into<&Probe::initial_delay_seconds>},
      {"timeoutSeconds", Into<&Probe::timeout_seconds>},
      {"periodSeconds", Into<&Probe::period_seconds>},
      {"successThreshold", Into<&Probe::success_threshold>},
      {"failureThreshold", Into<&Probe::failure_threshold>},
      {"terminationGracePeriodSeconds", Into<&Probe::termination_grace_period_seconds>},
  };
  if (!value.present()) return;
  Probe& probe = field.emplace();
  ReadHandler(value, probe.handler);
  ReadFields(value, kFields, probe);
}

void ReadLifecycle(const Value& value, Lifecycle& lifecycle) {
  constexpr Field<Lifecycle> kFields[] = {
      {"postStart", With<&Lifecycle::post_start, ReadHook>},
      {"preStop", With<&Lifecycle::pre_stop, ReadHook>},
      {"stopSignal", Into<&Lifecycle::stop_signal>},
  };
  ReadFields(value, kFields, lifecycle);
}

void ReadSecurityContext(const Value& value, SecurityContext& context) {
  using C = SecurityContext;
  constexpr Field<C> kFields[] = {
      {"runAsUser", Into<&C::run_as_user>},
      {"runAsGroup", Into<&C::run_as_group>},
      {"runAsNonRoot", Into<&C::run_as_non_root>},
      {"privileged", Into<&C::privileged>},
      {"readOnlyRootFilesystem", Into<&C::read_only_root_filesystem>},
      {"allowPrivilegeEscalation", Into<&C::allow_privilege_escalation>},
      {"capabilities",
       [](const Value& capabilities, C& target) {
         Read(capabilities.Get("add"), target.add_capabilities);
         Read(capabilities.Get("drop"), target.drop_capabilities);
       }},
      {"seccompProfile", [](const Value& profile, C& target) {
         Read(profile.Get("type"), target.seccomp_profile_type);
       }}};
  ReadFields(value, kFields, context);
}

void ReadVolumeMount(const Value& value, VolumeMount& mount) {
  constexpr Field<VolumeMount> kFields[] = {
      {"name", Into<&VolumeMount::name>},
      {"mountPath", Into<&VolumeMount::mount_path>},
      {"subPath", Into<&VolumeMount::sub_path>},
      {"subPathExpr", Into<&VolumeMount::sub_path_expr>},
      {"readOnly", Into<&VolumeMount::read_only>},
      {"recursiveReadOnly", Into<&VolumeMount::recursive_read_only>},
      {"mountPropagation", Into<&VolumeMount::mount_propagation>},
  };
  ReadFields(value, kFields, mount);
}

void ReadVolumeDevice(const Value& value, VolumeDevice& device) {
  Read(value.Get("name"), device.name);
  Read(value.Get("devicePath"), device.device_path);
}

}  // namespace

void ReadResources(const Value& value, ResourceRequirements& resources) {
  constexpr Field<ResourceRequirements> kFields[] = {
      {"requests", QuantitiesInto<&ResourceRequirements::requests>},
      {"limits", QuantitiesInto<&ResourceRequirements::limits>},
  };
  ReadFields(value, kFields, resources);
}

void ReadContainer(const Value& value, Container& container) {
  using C = Container;
  constexpr Field<C> kFields[] = {
      {"name", Into<&C::name>},
      {"image", Into<&C::image>},
      {"command", Into<&C::command>},
      {"args", Into<&C::args>},
      {"workingDir", Into<&C::working_dir>},
      {"ports", ListOf<&C::ports, ReadContainerPort>},
      {"env", ListOf<&C::env, ReadEnv>},
      {"envFrom", ListOf<&C::env_from, ReadEnvFrom>},
      {"resources", With<&C::resources, ReadResources>},
      {"restartPolicy", Into<&C::restart_policy>},
      {"volumeMounts", ListOf<&C::volume_mounts, ReadVolumeMount>},
      {"volumeDevices", ListOf<&C::volume_devices, ReadVolumeDevice>},
      {"livenessProbe", With<&C::liveness_probe, ReadProbe>},
      {"readinessProbe", With<&C::readiness_probe, ReadProbe>},
      {"startupProbe", With<&C::startup_probe, ReadProbe>},
      {"lifecycle", With<&C::lifecycle, ReadLifecycle>},
      {"terminationMessagePath", Into<&C::termination_message_path>},
      {"terminationMessagePolicy", Into<&C::termination_message_policy>},
      {"imagePullPolicy", Into<&C::image_pull_policy>},
      {"securityContext", With<&C::security_context, ReadSecurityContext>},
      {"stdin", Into<&C::stdin_open>},
      {"stdinOnce", Into<&C::stdin_once>},
      {"tty", Into<&C::tty>},
  };
  ReadFields(value, kFields, container);
}

}  // namespace podferry::pod_json
