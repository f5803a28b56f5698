#include "core/pod/container_validator.h"

#include <algorithm>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/pod/names.h"
#include "core/pod/pod_validator.h"
#include "core/quantity/quantity.h"

namespace podferry {
namespace {

constexpr int32_t kMaxPort = 65535;

bool HasNul(absl::string_view text) { return absl::StrContains(text, '\0'); }

void ValidateArguments(const std::vector<std::string>& arguments, const FieldPath& path,
                       Issues* issues) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (HasNul(arguments[i])) {
      issues->Add(path[i].ToString(), "has a NUL byte, which no argument can hold");
    }
    if (arguments[i].size() > kMaxArgumentBytes) {
      issues->Add(path[i].ToString(),
                  absl::StrCat("is ", arguments[i].size(), " bytes long; Linux takes at most ",
                               kMaxArgumentBytes, " in one argument"));
    }
  }
}

void ValidateEnv(const EnvVar& env, const FieldPath& path, Issues* issues) {
  if (env.name.empty()) {
    issues->Add((path / "name").ToString(), "missing");
  } else if (!IsEnvName(env.name)) {
    issues->Add((path / "name").ToString(), "may hold only printable ASCII characters without '='");
  }
  if (HasNul(env.value)) {
    issues->Add((path / "value").ToString(), "has a NUL byte, which no variable can hold");
  }
  const size_t size = env.name.size() + 1 + env.value.size();
  if (size > kMaxArgumentBytes) {
    issues->Add((path / "value").ToString(),
                absl::StrCat("NAME=VALUE is ", size, " bytes long; Linux takes at most ",
                             kMaxArgumentBytes));
  }
}

void ValidatePortNumber(int32_t port, const FieldPath& path, Issues* issues) {
  if (port < 1 || port > kMaxPort) {
    issues->Add(path.ToString(), absl::StrCat("want 1 to ", kMaxPort, ", got ", port));
  }
}

void ValidatePort(const PortRef& port, const Container& container, const FieldPath& path,
                  Issues* issues) {
  if (port.name.empty()) return ValidatePortNumber(port.number, path, issues);
  const auto& ports = container.ports;
  if (std::none_of(ports.begin(), ports.end(),
                   [&](const ContainerPort& known) { return known.name == port.name; })) {
    issues->Add(path.ToString(), absl::StrCat("the container has no port named ", port.name));
  }
}

void ValidateHandler(const Handler& handler, const Container& container, const FieldPath& path,
                     Issues* issues) {
  if (std::holds_alternative<std::monostate>(handler)) {
    issues->Add(path.ToString(), "names nothing to do (exec, httpGet, tcpSocket, grpc or sleep)");
  } else if (const auto* exec = std::get_if<ExecAction>(&handler)) {
    const FieldPath exec_path = path / "exec";
    const FieldPath command = exec_path / "command";
    if (exec->command.empty()) issues->Add(command.ToString(), "missing");
    ValidateArguments(exec->command, command, issues);
  } else if (const auto* http = std::get_if<HttpGetAction>(&handler)) {
    const FieldPath http_path = path / "httpGet";
    ValidatePort(http->port, container, http_path / "port", issues);
    if (http->scheme != "HTTP" && http->scheme != "HTTPS") {
      issues->Add((http_path / "scheme").ToString(), "want HTTP or HTTPS");
    }
  } else if (const auto* tcp = std::get_if<TcpSocketAction>(&handler)) {
    const FieldPath tcp_path = path / "tcpSocket";
    ValidatePort(tcp->port, container, tcp_path / "port", issues);
  } else if (const auto* grpc = std::get_if<GrpcAction>(&handler)) {
    const FieldPath grpc_path = path / "grpc";
    ValidatePortNumber(grpc->port, grpc_path / "port", issues);
  }
}

void ValidateProbe(const std::optional<Probe>& probe, const Container& container,
                   const FieldPath& path, Issues* issues) {
  if (!probe.has_value()) return;
  ValidateHandler(probe->handler, container, path, issues);
  const std::pair<absl::string_view, int32_t> numbers[] = {
      {"initialDelaySeconds", probe->initial_delay_seconds},
      {"timeoutSeconds", probe->timeout_seconds},
      {"periodSeconds", probe->period_seconds},
      {"successThreshold", probe->success_threshold},
      {"failureThreshold", probe->failure_threshold},
  };
  for (const auto& [name, number] : numbers) {
    if (number < 0) issues->Add((path / name).ToString(), absl::StrCat("is negative: ", number));
  }
}

void ValidateHook(const std::optional<Handler>& hook, const Container& container,
                  const FieldPath& path, Issues* issues) {
  if (hook.has_value()) ValidateHandler(*hook, container, path, issues);
}

bool HasDotDot(absl::string_view path) {
  for (const absl::string_view element : absl::StrSplit(path, '/')) {
    if (element == "..") return true;
  }
  return false;
}

void ValidateMountPath(const std::string& mount_path, const FieldPath& path, Issues* issues) {
  if (mount_path.empty()) {
    issues->Add(path.ToString(), "missing");
  } else if (mount_path.front() != '/') {
    issues->Add(path.ToString(), absl::StrCat("want an absolute path, got ", mount_path));
  } else if (HasDotDot(mount_path)) {
    issues->Add(path.ToString(), absl::StrCat("may not contain '..': ", mount_path));
  } else if (HasNul(mount_path)) {
    issues->Add(path.ToString(), "has a NUL byte");
  }
}

void ValidateSubPath(const std::string& sub_path, const FieldPath& path, Issues* issues) {
  if (sub_path.empty() || IsPathBelow(sub_path)) return;
  issues->Add(path.ToString(), "want a path inside the volume: relative, without '..'");
}

void ValidateMount(const VolumeMount& mount, const PodSpec& spec, const FieldPath& path,
                   Issues* issues) {
  if (mount.name.empty()) {
    issues->Add((path / "name").ToString(), "missing");
  } else if (FindVolume(spec, mount.name) == nullptr) {
    issues->Add((path / "name").ToString(), absl::StrCat("the pod has no volume ", mount.name));
  }
  ValidateMountPath(mount.mount_path, path / "mountPath", issues);
  ValidateSubPath(mount.sub_path, path / "subPath", issues);
  ValidateSubPath(mount.sub_path_expr, path / "subPathExpr", issues);
  if (!mount.sub_path.empty() && !mount.sub_path_expr.empty()) {
    issues->Add((path / "subPathExpr").ToString(), "subPath is given, too");
  }
  if (!mount.mount_propagation.empty() && mount.mount_propagation != "None" &&
      mount.mount_propagation != "HostToContainer" && mount.mount_propagation != "Bidirectional") {
    issues->Add((path / "mountPropagation").ToString(),
                "want None, HostToContainer or Bidirectional");
  }
}

void ValidateMounts(const Container& container, const PodSpec& spec, const FieldPath& path,
                    Issues* issues) {
  const auto& mounts = container.volume_mounts;
  for (size_t i = 0; i < mounts.size(); ++i) {
    const FieldPath mount_path = path[i];
    ValidateMount(mounts[i], spec, mount_path, issues);
    const bool again =
        std::any_of(mounts.begin(), mounts.begin() + i, [&](const VolumeMount& earlier) {
          return earlier.mount_path == mounts[i].mount_path && !earlier.mount_path.empty();
        });
    if (again) {
      issues->Add((mount_path / "mountPath").ToString(),
                  absl::StrCat("something is mounted there already: ", mounts[i].mount_path));
    }
  }
}

void ValidateProcess(const Container& container, const FieldPath& path, Issues* issues) {
  ValidateArguments(container.command, path / "command", issues);
  ValidateArguments(container.args, path / "args", issues);
  if (HasNul(container.working_dir)) {
    issues->Add((path / "workingDir").ToString(), "has a NUL byte");
  }
  const FieldPath env = path / "env";
  for (size_t i = 0; i < container.env.size(); ++i) {
    const FieldPath variable = env[i];
    ValidateEnv(container.env[i], variable, issues);
  }
  const FieldPath ports = path / "ports";
  for (size_t i = 0; i < container.ports.size(); ++i) {
    const FieldPath port = ports[i];
    ValidatePortNumber(container.ports[i].container_port, port / "containerPort", issues);
  }
}

}  // namespace

void ValidateQuantity(const std::string& quantity, const FieldPath& path, Issues* issues) {
  const absl::StatusOr<Quantity> parsed = Quantity::Parse(quantity);
  if (!parsed.ok()) {
    issues->Add(path.ToString(), parsed.status().message());
  } else if (parsed->IsNegative()) {
    issues->Add(path.ToString(), absl::StrCat("is negative: ", quantity));
  }
}

void ValidateQuantities(const StringMap& quantities, const FieldPath& path, Issues* issues) {
  for (const auto& [name, quantity] : quantities) {
    const FieldPath field = path / name;
    if (!IsQualifiedName(name)) {
      issues->Add(field.ToString(), "is no resource's name");
    }
    ValidateQuantity(quantity, field, issues);
  }
}

void ValidateResources(const ResourceRequirements& resources, const FieldPath& path,
                       Issues* issues) {
  const FieldPath requests = path / "requests";
  ValidateQuantities(resources.requests, requests, issues);
  ValidateQuantities(resources.limits, path / "limits", issues);
  for (const auto& [name, text] : resources.requests) {
    const auto limit_text = resources.limits.find(name);
    if (limit_text == resources.limits.end()) continue;
    const absl::StatusOr<Quantity> request = Quantity::Parse(text);
    const absl::StatusOr<Quantity> limit = Quantity::Parse(limit_text->second);
    if (request.ok() && limit.ok() && *request > *limit) {
      issues->Add((requests / name).ToString(),
                  absl::StrCat(text, " is more than the limit of ", limit_text->second));
    }
  }
}

void ValidateContainer(const Container& container, const PodSpec& spec, const FieldPath& path,
                       Issues* issues) {
  if (container.name.empty()) {
    issues->Add((path / "name").ToString(), "missing");
  } else if (!IsDnsLabel(container.name)) {
    issues->Add(
        (path / "name").ToString(),
        absl::StrCat("want lower case letters, digits and '-', at most 63: ", container.name));
  }
  if (container.image.empty()) issues->Add((path / "image").ToString(), "missing");
  ValidateProcess(container, path, issues);
  ValidateResources(container.resources, path / "resources", issues);
  ValidateMounts(container, spec, path / "volumeMounts", issues);
  ValidateProbe(container.startup_probe, container, path / "startupProbe", issues);
  ValidateProbe(container.liveness_probe, container, path / "livenessProbe", issues);
  ValidateProbe(container.readiness_probe, container, path / "readinessProbe", issues);
  const FieldPath lifecycle = path / "lifecycle";
  ValidateHook(container.lifecycle.post_start, container, lifecycle / "postStart", issues);
  ValidateHook(container.lifecycle.pre_stop, container, lifecycle / "preStop", issues);
}

}  // namespace podferry
