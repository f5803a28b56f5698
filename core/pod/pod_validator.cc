#include "core/pod/pod_validator.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/pod/container_validator.h"
#include "core/pod/field_path.h"
#include "core/pod/names.h"
#include "core/pod/pod_parser.h"
#include "core/pod/volume_validator.h"

namespace podferry {
namespace {

void ValidateName(const std::string& name, bool valid, const FieldPath& path,
                  absl::string_view wanted, Issues* issues) {
  if (name.empty()) {
    issues->Add(path.ToString(), "missing");
  } else if (!valid) {
    issues->Add(path.ToString(), absl::StrCat("want ", wanted, ": ", name.substr(0, 300)));
  }
}

void ValidateMetadata(const ObjectMeta& metadata, const FieldPath& path, Issues* issues) {
  ValidateName(metadata.uid, IsPodUid(metadata.uid), path / "uid",
               "letters, digits and '-', at most 63", issues);
  ValidateName(metadata.name, IsDnsSubdomain(metadata.name), path / "name",
               "lower case letters, digits, '-' and '.', at most 253", issues);
  ValidateName(metadata.namespace_name, IsDnsLabel(metadata.namespace_name), path / "namespace",
               "lower case letters, digits and '-', at most 63", issues);
}

// Kueue adds exactly one toleration that names the pool; one that says it twice does no harm.
void ValidatePool(const PodSpec& spec, const FieldPath& path, PoolNeed need, Issues* issues) {
  const std::string* pool = nullptr;
  for (size_t i = 0; i < spec.tolerations.size(); ++i) {
    const Toleration& toleration = spec.tolerations[i];
    if (toleration.key != kPoolTolerationKey || toleration.op != "Equal") continue;
    const FieldPath at = path[i];
    if (pool != nullptr && *pool != toleration.value) {
      issues->Add((at / "value").ToString(), absl::StrCat("names the pool ", toleration.value,
                                                          ", another toleration names ", *pool));
      continue;
    }
    if (pool == nullptr && !IsPoolName(toleration.value)) {
      issues->Add((at / "value").ToString(),
                  absl::StrCat("is no pool's name (a label value: letters, digits, '-', '_' and "
                               "'.', at most 63): ",
                               toleration.value));
    }
    pool = &toleration.value;
  }
  if (pool == nullptr && need == PoolNeed::kRequired) {
    issues->Add(path.ToString(), absl::StrCat("none names the pool (key ", kPoolTolerationKey,
                                              ", operator Equal, value the pool)"));
  }
}

class NamesOnce {
 public:
  explicit NamesOnce(Issues* issues) : issues_(issues) {}
  void Add(const std::string& name, const FieldPath& path) {
    if (name.empty() || names_.insert(name).second) return;
    issues_->Add((path / "name").ToString(), absl::StrCat("is taken already: ", name));
  }

 private:
  Issues* issues_;
  absl::flat_hash_set<absl::string_view> names_;
};

void ValidateContainers(const PodSpec& spec, const FieldPath& path, Issues* issues) {
  NamesOnce names(issues);
  const auto validate = [&](const std::vector<Container>& containers, absl::string_view field) {
    const FieldPath list = path / field;
    for (size_t i = 0; i < containers.size(); ++i) {
      const FieldPath at = list[i];
      ValidateContainer(containers[i], spec, at, issues);
      names.Add(containers[i].name, at);
    }
  };
  validate(spec.init_containers, "initContainers");
  if (spec.containers.empty()) issues->Add((path / "containers").ToString(), "missing");
  validate(spec.containers, "containers");
}

void ValidateVolumes(const PodSpec& spec, const FieldPath& path, Issues* issues) {
  NamesOnce names(issues);
  for (size_t i = 0; i < spec.volumes.size(); ++i) {
    const FieldPath at = path[i];
    ValidateVolume(spec.volumes[i], at, issues);
    names.Add(spec.volumes[i].name, at);
  }
}

void ValidateSpecFields(const PodSpec& spec, const FieldPath& path, Issues* issues) {
  const std::string& policy = spec.restart_policy;
  if (policy != "Always" && policy != "OnFailure" && policy != "Never") {
    issues->Add((path / "restartPolicy").ToString(), "want Always, OnFailure or Never");
  }
  if (spec.active_deadline_seconds.value_or(1) < 1) {
    issues->Add((path / "activeDeadlineSeconds").ToString(), "want at least 1");
  }
  if (spec.termination_grace_period_seconds < 0) {
    issues->Add((path / "terminationGracePeriodSeconds").ToString(), "is negative");
  }
  constexpr absl::string_view kLabel = "lower case letters, digits and '-', at most 63";
  if (!spec.hostname.empty()) {
    ValidateName(spec.hostname, IsDnsLabel(spec.hostname), path / "hostname", kLabel, issues);
  }
  if (!spec.subdomain.empty()) {
    ValidateName(spec.subdomain, IsDnsLabel(spec.subdomain), path / "subdomain", kLabel, issues);
  }
}

bool IsAtOrBelow(absl::string_view field, absl::string_view parent) {
  if (!absl::StartsWith(field, parent)) return false;
  return field.size() == parent.size() || field[parent.size()] == '.' ||
         field[parent.size()] == '[';
}

}  // namespace

void ValidatePod(const Pod& pod, absl::string_view parent, Issues* issues, PoolNeed pool) {
  const FieldPath root(parent);
  const FieldPath spec = root / "spec";
  ValidateMetadata(pod.metadata, root / "metadata", issues);
  ValidateSpecFields(pod.spec, spec, issues);
  ValidatePool(pod.spec, spec / "tolerations", pool, issues);
  ValidateContainers(pod.spec, spec, issues);
  ValidateVolumes(pod.spec, spec / "volumes", issues);
  ValidateQuantities(pod.spec.overhead, spec / "overhead", issues);
  ValidateResources(pod.spec.resources, spec / "resources", issues);
}

void ValidateRetrievedPod(const RetrievedPod& pod, Issues* issues, PoolNeed pool) {
  ValidatePod(pod.pod, "pod", issues, pool);
  const FieldPath volumes("pod.spec.volumes");
  for (size_t i = 0; i < pod.pod.spec.volumes.size(); ++i) {
    const FieldPath at = volumes[i];
    ValidateVolumeData(pod.pod.spec.volumes[i], pod, at, issues);
  }
}

absl::StatusOr<RetrievedPod> AdmitPod(absl::string_view json, Issues* issues, PoolNeed need) {
  Issues unreadable;
  PODFERRY_ASSIGN_OR_RETURN(RetrievedPod pod, ParseRetrievedPod(json, &unreadable));
  issues->Merge(unreadable);
  Issues invalid;
  ValidateRetrievedPod(pod, &invalid, need);
  for (const Issue& issue : invalid) {
    // What could not be read is empty now, which is no second mistake of the user's.
    bool known = false;
    for (const Issue& reported : unreadable) {
      known = known || IsAtOrBelow(issue.field, reported.field) ||
              IsAtOrBelow(reported.field, issue.field);
    }
    if (!known) issues->Add(issue.field, issue.message);
  }
  return pod;
}

}  // namespace podferry
