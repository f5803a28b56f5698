#include "core/pod/volume_validator.h"

#include <algorithm>
#include <optional>
#include <string>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/pod/container_validator.h"
#include "core/pod/names.h"

namespace podferry {
namespace {

constexpr int32_t kMaxMode = 0777;

void ValidateMode(std::optional<int32_t> mode, const FieldPath& path, Issues* issues) {
  if (!mode.has_value() || (*mode >= 0 && *mode <= kMaxMode)) return;
  issues->Add(path.ToString(), absl::StrCat("want 0 to 511 (octal 0777), got ", *mode));
}

void ValidateFilePath(const std::string& file, const FieldPath& path, Issues* issues) {
  if (file.empty()) {
    issues->Add(path.ToString(), "missing");
  } else if (!IsPathBelow(file) || absl::StartsWith(file, "..")) {
    issues->Add(path.ToString(),
                absl::StrCat("want a path inside the volume, relative and without '..': ", file));
  }
}

void ValidateName(const std::string& name, const FieldPath& path, Issues* issues) {
  if (name.empty()) issues->Add(path.ToString(), "missing");
}

void ValidateItems(const std::vector<KeyToPath>& items, const FieldPath& path, Issues* issues) {
  for (size_t i = 0; i < items.size(); ++i) {
    const FieldPath item = path[i];
    if (items[i].key.empty()) {
      issues->Add((item / "key").ToString(), "missing");
    } else if (!IsObjectKey(items[i].key)) {
      issues->Add((item / "key").ToString(),
                  absl::StrCat("is no key of a ConfigMap or Secret: ", items[i].key));
    }
    ValidateFilePath(items[i].path, item / "path", issues);
    ValidateMode(items[i].mode, item / "mode", issues);
  }
}

void ValidateDownwardItems(const std::vector<DownwardApiItem>& items, const FieldPath& path,
                           Issues* issues) {
  for (size_t i = 0; i < items.size(); ++i) {
    const FieldPath item = path[i];
    ValidateFilePath(items[i].path, item / "path", issues);
    ValidateMode(items[i].mode, item / "mode", issues);
    if (items[i].field_path.empty() == items[i].resource.empty()) {
      issues->Add(item.ToString(), "want one of fieldRef and resourceFieldRef");
    }
  }
}

// Volumes and projections alike: calls itself for each source of a projected volume.
struct SourceValidator {
  const FieldPath& path;  // of the source's own object ("spec.volumes[0].configMap")
  Issues* issues;

  void operator()(const UnknownVolume&) const {}  // the planner refuses it, by its type
  void operator()(const EmptyDirVolume& source) const {
    if (!source.size_limit.empty()) ValidateQuantity(source.size_limit, path / "sizeLimit", issues);
  }
  void operator()(const ConfigMapVolume& source) const {
    ValidateName(source.name, path / "name", issues);
    ValidateItems(source.items, path / "items", issues);
    ValidateMode(source.default_mode, path / "defaultMode", issues);
  }
  void operator()(const SecretVolume& source) const {
    ValidateName(source.secret_name, path / "secretName", issues);
    ValidateItems(source.items, path / "items", issues);
    ValidateMode(source.default_mode, path / "defaultMode", issues);
  }
  void operator()(const DownwardApiVolume& source) const {
    ValidateDownwardItems(source.items, path / "items", issues);
    ValidateMode(source.default_mode, path / "defaultMode", issues);
  }
  void operator()(const ProjectedVolume& source) const {
    ValidateMode(source.default_mode, path / "defaultMode", issues);
    const FieldPath sources = path / "sources";
    for (size_t i = 0; i < source.sources.size(); ++i) Projection(source.sources[i], sources[i]);
  }
  void operator()(const HostPathVolume& source) const {
    const FieldPath field = path / "path";
    if (source.path.empty() || source.path.front() != '/') {
      issues->Add(field.ToString(), "want an absolute path");
    } else if (!IsPathBelow(absl::StrCat(".", source.path))) {
      issues->Add(field.ToString(), absl::StrCat("may not contain '..': ", source.path));
    }
  }
  void operator()(const PersistentVolumeClaimVolume& source) const {
    ValidateName(source.claim_name, path / "claimName", issues);
  }
  void operator()(const NfsVolume& source) const {
    ValidateName(source.server, path / "server", issues);
    ValidateName(source.path, path / "path", issues);
  }
  void operator()(const CsiVolume& source) const {
    ValidateName(source.driver, path / "driver", issues);
  }
  void operator()(const EphemeralVolume& source) const {
    if (!source.storage_request.empty()) {
      ValidateQuantity(source.storage_request, path / "volumeClaimTemplate", issues);
    }
  }

  void Projection(const ProjectedSource& source, const FieldPath& at) const {
    if (const auto* config_map = std::get_if<ProjectedConfigMap>(&source)) {
      const FieldPath field = at / "configMap";
      ValidateName(config_map->name, field / "name", issues);
      ValidateItems(config_map->items, field / "items", issues);
    } else if (const auto* secret = std::get_if<ProjectedSecret>(&source)) {
      const FieldPath field = at / "secret";
      ValidateName(secret->name, field / "name", issues);
      ValidateItems(secret->items, field / "items", issues);
    } else if (const auto* downward = std::get_if<ProjectedDownwardApi>(&source)) {
      const FieldPath field = at / "downwardAPI";
      ValidateDownwardItems(downward->items, field / "items", issues);
    } else if (const auto* token = std::get_if<ProjectedServiceAccountToken>(&source)) {
      const FieldPath field = at / "serviceAccountToken";
      ValidateFilePath(token->path, field / "path", issues);
    } else if (std::get<ProjectedUnknown>(source).type.empty()) {
      issues->Add(at.ToString(), "has no source");
    }
  }
};

bool IsMounted(const PodSpec& spec, const std::string& volume) {
  const auto mounts = [&](const Container& container) {
    const auto& list = container.volume_mounts;
    return std::any_of(list.begin(), list.end(),
                       [&](const VolumeMount& mount) { return mount.name == volume; });
  };
  return std::any_of(spec.containers.begin(), spec.containers.end(), mounts) ||
         std::any_of(spec.init_containers.begin(), spec.init_containers.end(), mounts);
}

void ValidateData(const ObjectData* object, absl::string_view what, const std::string& name,
                  const std::vector<KeyToPath>& items, const FieldPath& path, Issues* issues) {
  if (name.empty()) return;  // reported
  if (object == nullptr) {
    issues->Add(path.ToString(), absl::StrCat("the data of ", what, " ", name, " did not come"));
    return;
  }
  const FieldPath list = path / "items";
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].key.empty() || object->files.count(items[i].key) > 0) continue;
    const FieldPath item = list[i];
    issues->Add((item / "key").ToString(),
                absl::StrCat(what, " ", name, " has no key ", items[i].key));
  }
}

}  // namespace

void ValidateVolume(const Volume& volume, const FieldPath& path, Issues* issues) {
  if (volume.name.empty()) {
    issues->Add((path / "name").ToString(), "missing");
  } else if (!IsDnsLabel(volume.name)) {
    issues->Add((path / "name").ToString(),
                absl::StrCat("want lower case letters, digits and '-', at most 63: ", volume.name));
  }
  const std::string& type = VolumeTypeName(volume.source);
  if (type.empty()) {
    issues->Add(path.ToString(), "has no source");
    return;
  }
  const FieldPath source = path / type;
  std::visit(SourceValidator{source, issues}, volume.source);
}

void ValidateVolumeData(const Volume& volume, const RetrievedPod& pod, const FieldPath& path,
                        Issues* issues) {
  if (!IsMounted(pod.pod.spec, volume.name)) return;
  if (const auto* source = std::get_if<ConfigMapVolume>(&volume.source)) {
    if (source->optional) return;
    ValidateData(FindConfigMap(pod, source->name), "ConfigMap", source->name, source->items,
                 path / "configMap", issues);
  } else if (const auto* source = std::get_if<SecretVolume>(&volume.source)) {
    if (source->optional) return;
    ValidateData(FindSecret(pod, source->secret_name), "Secret", source->secret_name, source->items,
                 path / "secret", issues);
  }
}

}  // namespace podferry
