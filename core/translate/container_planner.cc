#include "core/translate/container_planner.h"

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/pod/expansion.h"
#include "core/pod/pod_validator.h"
#include "core/quantity/quantity.h"
#include "core/translate/clean_path.h"
#include "core/translate/downward_api.h"
#include "core/translate/mount_planner.h"
#include "core/translate/probe_planner.h"
#include "core/translate/security_planner.h"

namespace podferry {
namespace {

using Env = std::vector<std::pair<std::string, std::string>>;

// What one execve takes, with room for the pool's own; Linux' default is 2 MiB for all together.
constexpr size_t kMaxArgumentsTogether = 1900000;

bool HasNul(absl::string_view text) { return absl::StrContains(text, '\0'); }

// Variables by name; setting one again replaces its value in place.
class EnvPlanner {
 public:
  EnvPlanner(const RetrievedPod& pod, const Container& container, FieldReport* report)
      : pod_(pod), container_(container), report_(report) {}

  void AddAll(const FieldPath& path) {
    const FieldPath from = path / "envFrom";
    for (size_t i = 0; i < container_.env_from.size(); ++i) {
      AddObject(container_.env_from[i], from[i]);
    }
    const FieldPath list = path / "env";
    for (size_t i = 0; i < container_.env.size(); ++i) Add(container_.env[i], list[i]);
  }

  std::optional<std::string> Find(absl::string_view name) const {
    const auto found = places_.find(name);
    if (found == places_.end()) return std::nullopt;
    return env_[found->second].second;
  }

  Env Take() { return std::move(env_); }

 private:
  void Set(const std::string& name, const std::string& value) {
    const auto [place, is_new] = places_.try_emplace(name, env_.size());
    if (is_new) {
      env_.emplace_back(name, value);
    } else {
      env_[place->second].second = value;
    }
  }

  void Add(const EnvVar& variable, const FieldPath& path) {
    if (variable.name.empty() || absl::StrContains(variable.name, '=') || HasNul(variable.name) ||
        HasNul(variable.value)) {
      report_->Refuse(path.ToString(), "the system cannot hold such a variable");
      return;
    }
    if (variable.name.size() + 1 + variable.value.size() > kMaxArgumentBytes) {
      const FieldPath value = path / "value";
      report_->Refuse(value.ToString(),
                      "NAME=VALUE is longer than the 131071 bytes that Linux takes");
      return;
    }
    if (!variable.value_from.has_value()) {
      Set(variable.name, variable.value);
      return;
    }
    const std::optional<std::string> value = Resolve(*variable.value_from);
    if (value.has_value()) {
      Set(variable.name, *value);
    } else if (!variable.value_from->optional) {
      const FieldPath from = path / "valueFrom";
      report_->Refuse(from.ToString(),
                      "it was not resolved before the pod came here, and cannot "
                      "be from what came");
    }
  }

  void AddObject(const EnvFromSource& source, const FieldPath& path) {
    const ObjectData* data = source.config_map.empty() ? FindSecret(pod_, source.secret)
                                                       : FindConfigMap(pod_, source.config_map);
    if (data == nullptr) {
      if (!source.optional) {
        report_->Refuse(path.ToString(), absl::StrCat("the data of ", source.config_map,
                                                      source.secret, " did not come"));
      }
      return;
    }
    for (const auto& [key, value] : data->files) {
      if (!HasNul(value)) Set(absl::StrCat(source.prefix, key), value);
    }
  }

  std::optional<std::string> Resolve(const EnvSource& source) const {
    switch (source.kind) {
      case EnvSource::Kind::kField:
        return PodFieldValue(pod_.pod, source.key);
      case EnvSource::Kind::kResourceField:
        return ContainerResourceValue(ResourceContainer(source.name), source.key, source.divisor);
      case EnvSource::Kind::kConfigMapKey:
        return KeyOf(FindConfigMap(pod_, source.name), source.key);
      case EnvSource::Kind::kSecretKey:
        return KeyOf(FindSecret(pod_, source.name), source.key);
      case EnvSource::Kind::kOther:
        break;
    }
    return std::nullopt;
  }

  const Container& ResourceContainer(const std::string& name) const {
    for (const auto* list : {&pod_.pod.spec.containers, &pod_.pod.spec.init_containers}) {
      for (const Container& other : *list) {
        if (other.name == name) return other;
      }
    }
    return container_;
  }

  static std::optional<std::string> KeyOf(const ObjectData* data, const std::string& key) {
    if (data == nullptr) return std::nullopt;
    const auto found = data->files.find(key);
    if (found == data->files.end() || HasNul(found->second)) return std::nullopt;
    return found->second;
  }

  const RetrievedPod& pod_;
  const Container& container_;
  FieldReport* report_;
  Env env_;
  absl::flat_hash_map<std::string, size_t> places_;
};

std::vector<std::string> PlanArguments(const std::vector<std::string>& list, const EnvPlanner& env,
                                       const FieldPath& path, FieldReport* report) {
  const VariableLookup lookup = [&env](absl::string_view name) { return env.Find(name); };
  std::vector<std::string> arguments;
  for (size_t i = 0; i < list.size(); ++i) {
    arguments.push_back(ExpandVariables(list[i], lookup));
    if (HasNul(arguments.back())) {
      report->Refuse(path[i].ToString(), "an argument cannot hold the character NUL");
    } else if (arguments.back().size() > kMaxArgumentBytes) {
      report->Refuse(path[i].ToString(), "is longer than the 131071 bytes that Linux takes");
    }
  }
  return arguments;
}

void CheckTotalSize(const PlannedContainer& planned, const FieldPath& path, FieldReport* report) {
  size_t total = 0;
  for (const std::string& argument : planned.command) total += argument.size() + 9;
  for (const std::string& argument : planned.args) total += argument.size() + 9;
  for (const auto& [name, value] : planned.env) total += name.size() + value.size() + 10;
  if (total > kMaxArgumentsTogether) {
    report->Refuse(path.ToString(),
                   absl::StrCat("arguments and variables together have ", total,
                                " bytes; a process can be given ", kMaxArgumentsTogether));
  }
}

// Zero where there is none.
Quantity Limit(const Container& container, const std::string& resource) {
  const auto limit = container.resources.limits.find(resource);
  if (limit == container.resources.limits.end()) return {};
  const absl::StatusOr<Quantity> quantity = Quantity::Parse(limit->second);
  return quantity.ok() && !quantity->IsNegative() ? *quantity : Quantity();
}

std::string PlanWorkingDir(const Container& container, const FieldPath& path, FieldReport* report) {
  if (container.working_dir.empty()) return "";
  const std::optional<std::string> clean = CleanAbsolutePath(container.working_dir);
  if (!clean.has_value()) {
    const FieldPath at = path / "workingDir";
    report->Refuse(at.ToString(), "want an absolute path without ..");
  }
  return clean.value_or("/");
}

}  // namespace

PlannedContainer PlanContainer(const RetrievedPod& pod, const Container& container, Role role,
                               const FieldPath& path, std::vector<PlannedVolume>* volumes,
                               FieldReport* report) {
  CheckContainerFields(container, path, report);
  PlannedContainer planned;
  planned.name = container.name;
  planned.image = container.image;
  planned.role = role;
  EnvPlanner env(pod, container, report);
  env.AddAll(path);
  planned.command = PlanArguments(container.command, env, path / "command", report);
  planned.args = PlanArguments(container.args, env, path / "args", report);
  const VariableLookup lookup = [&env](absl::string_view name) { return env.Find(name); };
  planned.mounts = PlanMounts(container, lookup, path, volumes, report);
  planned.care = PlanCare(container, role, lookup, path, report);
  planned.message = PlanMessage(container, path, report);
  planned.env = env.Take();
  CheckTotalSize(planned, path, report);
  planned.working_dir = PlanWorkingDir(container, path, report);
  planned.stdin_open = container.stdin_open;
  planned.read_only_root = container.security_context.read_only_root_filesystem.value_or(false);
  planned.tty = container.tty;
  planned.security = PlanSecurity(pod.pod.spec.security_context, container.security_context);
  planned.memory_limit = Limit(container, "memory").CeilValue();
  planned.cpu_limit = Limit(container, "cpu").MilliValue();
  planned.nvidia_gpu = !Limit(container, "nvidia.com/gpu").IsZero();
  planned.amd_gpu = !Limit(container, "amd.com/gpu").IsZero();
  return planned;
}

}  // namespace podferry
