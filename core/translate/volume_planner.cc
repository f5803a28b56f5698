#include "core/translate/volume_planner.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/pod/names.h"
#include "core/quantity/quantity.h"
#include "core/translate/downward_api.h"
#include "core/translate/path_table.h"

namespace podferry {
namespace {

// Collects a volume's files; a later source of a projected volume wins over an earlier one.
class FileCollector {
 public:
  FileCollector(const RetrievedPod& pod, int32_t default_mode, const FieldPath& path,
                FieldReport* report)
      : pod_(pod), default_mode_(default_mode), path_(path), report_(report) {}

  // All keys of an object, or those that `items` names. Nothing, if it did not come and is
  // optional.
  void AddObject(const ObjectData* object, const std::vector<KeyToPath>& items, bool optional,
                 absl::string_view missing) {
    if (object == nullptr) {
      if (!optional) report_->Refuse(path_.ToString(), missing);
      return;
    }
    if (items.empty()) {
      for (const auto& [key, content] : object->files) Add(key, std::nullopt, content);
      return;
    }
    for (const KeyToPath& item : items) {
      const auto found = object->files.find(item.key);
      if (found != object->files.end()) {
        Add(item.path, item.mode, found->second);
      } else if (!optional) {
        report_->Refuse(path_.ToString(), absl::StrCat(object->name, " has no key ", item.key));
      }
    }
  }

  void AddDownward(const std::vector<DownwardApiItem>& items) {
    for (const DownwardApiItem& item : items) AddDownwardItem(item);
  }

  // Changes the mode of a file that interLink sent without one.
  void SetMode(const std::string& path, std::optional<int32_t> mode) {
    const auto found = files_.find(path);
    if (found != files_.end() && mode.has_value()) found->second.mode = *mode;
  }

  bool Has(const std::string& path) const { return files_.count(path) > 0; }

  void Add(const std::string& path, std::optional<int32_t> mode, const std::string& content) {
    if (!IsPathBelow(path)) {
      report_->Refuse(path_.ToString(), absl::StrCat("no path below the volume: ", path));
      return;
    }
    files_[path] = {path, mode.value_or(default_mode_) & 0777, content};
  }

  void MoveTo(PlannedVolume* volume) {
    for (auto& [path, file] : files_) {
      const size_t slash = path.rfind('/');
      if (slash != std::string::npos) AddFolder(path.substr(0, slash), volume);
      volume->files.push_back(std::move(file));
    }
  }

 private:
  void AddDownwardItem(const DownwardApiItem& item) {
    if (Has(item.path)) {
      SetMode(item.path, item.mode);
      return;
    }
    std::optional<std::string> value;
    if (!item.field_path.empty()) {
      value = PodFieldValue(pod_.pod, item.field_path);
    } else {
      value = ResourceOf(item);
    }
    if (value.has_value()) {
      Add(item.path, item.mode, *value);
    } else {
      report_->Refuse(path_.ToString(),
                      absl::StrCat("cannot tell ", item.field_path, item.resource, " for the file ",
                                   item.path, "; give the container that limit, or leave it out"));
    }
  }

  std::optional<std::string> ResourceOf(const DownwardApiItem& item) const {
    for (const auto* list : {&pod_.pod.spec.containers, &pod_.pod.spec.init_containers}) {
      for (const Container& container : *list) {
        if (container.name == item.resource_container) {
          return ContainerResourceValue(container, item.resource, item.divisor);
        }
      }
    }
    return std::nullopt;
  }

  const RetrievedPod& pod_;
  const int32_t default_mode_;
  const FieldPath& path_;
  FieldReport* report_;
  std::map<std::string, PlannedFile> files_;
};

struct Planner {
  const RetrievedPod& pod;
  const PathTable& table;
  const Volume& volume;
  const FieldPath& path;
  FieldReport* report;
  PlannedVolume* planned;

  void operator()(const EmptyDirVolume& source) const {
    const FieldPath at = path / "emptyDir";
    planned->medium = source.medium == "Memory" ? Medium::kMemory : Medium::kScratch;
    planned->size_limit = source.size_limit;
    if (!source.medium.empty() && source.medium != "Memory") {
      report->Uses("spec.volumes[].emptyDir.medium", (at / "medium").ToString());
    }
    const absl::StatusOr<Quantity> limit = Quantity::Parse(source.size_limit);
    if (limit.ok() && !limit->IsNegative()) planned->size_bytes = limit->CeilValue();
    if (!source.size_limit.empty()) {
      report->Uses("spec.volumes[].emptyDir.sizeLimit", (at / "sizeLimit").ToString());
    }
  }

  void operator()(const ConfigMapVolume& source) const {
    const FieldPath at = path / "configMap";
    FileCollector files(pod, source.default_mode, at, report);
    files.AddObject(FindConfigMap(pod, source.name), source.items, source.optional,
                    absl::StrCat("the data of ConfigMap ", source.name, " did not come"));
    files.MoveTo(planned);
  }

  void operator()(const SecretVolume& source) const {
    const FieldPath at = path / "secret";
    FileCollector files(pod, source.default_mode, at, report);
    files.AddObject(FindSecret(pod, source.secret_name), source.items, source.optional,
                    absl::StrCat("the data of Secret ", source.secret_name, " did not come"));
    files.MoveTo(planned);
  }

  void operator()(const DownwardApiVolume& source) const {
    const FieldPath at = path / "downwardAPI";
    FileCollector files(pod, source.default_mode, at, report);
    AddArrived(&files);
    files.AddDownward(source.items);
    files.MoveTo(planned);
  }

  // Its data comes keyed by the volume's name, items applied, all sources together and without
  // modes; Secrets among the sources are dropped on the way.
  void operator()(const ProjectedVolume& source) const {
    const FieldPath projected = path / "projected";
    const FieldPath sources = projected / "sources";
    FileCollector files(pod, source.default_mode, sources, report);
    const bool arrived = AddArrived(&files);
    for (size_t i = 0; i < source.sources.size(); ++i) {
      AddProjected(source.sources[i], arrived, sources[i], source.default_mode, &files);
    }
    files.MoveTo(planned);
  }

  void operator()(const HostPathVolume& source) const {
    TakeFolder("spec.volumes[].hostPath", table.HostPath(source.path));
    planned->pool.type = source.type;
  }
  void operator()(const PersistentVolumeClaimVolume& source) const {
    TakeFolder("spec.volumes[].persistentVolumeClaim", table.Claim(source.claim_name));
    planned->pool.read_only |= source.read_only;
  }
  void operator()(const NfsVolume& source) const {
    TakeFolder("spec.volumes[].nfs", table.Nfs(source.server, source.path));
    planned->pool.read_only |= source.read_only;
  }
  void operator()(const CsiVolume&) const { Uses("spec.volumes[].csi"); }
  void operator()(const EphemeralVolume&) const {
    Uses("spec.volumes[].ephemeral");
    planned->medium = Medium::kScratch;
  }
  void operator()(const UnknownVolume&) const { Uses("spec.volumes[].*"); }

 private:
  std::string At() const { return JoinFieldPath(path.ToString(), VolumeTypeName(volume.source)); }
  void Uses(absl::string_view field) const { report->Uses(field, At()); }

  void TakeFolder(absl::string_view field, absl::StatusOr<PoolFolder> folder) const {
    Uses(field);
    planned->medium = Medium::kPool;
    if (folder.ok()) {
      planned->pool = *std::move(folder);
    } else {
      report->Refuse(At(), folder.status().message());
    }
  }

  bool AddArrived(FileCollector* files) const {
    const ObjectData* data = FindProjectedVolume(pod, volume.name);
    if (data == nullptr) return false;
    for (const auto& [file, content] : data->files) files->Add(file, std::nullopt, content);
    return true;
  }

  void AddProjected(const ProjectedSource& source, bool arrived, const FieldPath& at,
                    int32_t default_mode, FileCollector* files) const {
    if (const auto* map = std::get_if<ProjectedConfigMap>(&source)) {
      for (const KeyToPath& item : map->items) files->SetMode(item.path, item.mode);
      if (!arrived) {
        files->AddObject(FindConfigMap(pod, map->name), map->items, map->optional,
                         absl::StrCat("the data of ConfigMap ", map->name, " did not come"));
      }
    } else if (const auto* secret = std::get_if<ProjectedSecret>(&source)) {
      AddProjectedSecret(*secret, at, default_mode, files);
    } else if (const auto* downward = std::get_if<ProjectedDownwardApi>(&source)) {
      files->AddDownward(downward->items);
    } else if (const auto* token = std::get_if<ProjectedServiceAccountToken>(&source)) {
      if (!files->Has(token->path)) {
        report->Warn((at / "serviceAccountToken").ToString(),
                     "no token came, its file is not there");
      }
    } else {
      report->Refuse(at.ToString(), "sources of this type are not supported");
    }
  }

  // Another volume of the pod may have brought the Secret's data.
  void AddProjectedSecret(const ProjectedSecret& secret, const FieldPath& at, int32_t default_mode,
                          FileCollector* files) const {
    const FieldPath here = at / "secret";
    const ObjectData* data = FindSecret(pod, secret.name);
    if (data == nullptr && secret.optional) {
      report->Warn(here.ToString(), "interLink does not send it, its files are not there");
      return;
    }
    FileCollector own(pod, default_mode, here, report);
    own.AddObject(data, secret.items, secret.optional,
                  absl::StrCat("interLink does not send Secrets of projected volumes; mount ",
                               secret.name, " as a volume of its own"));
    PlannedVolume found;
    own.MoveTo(&found);
    for (PlannedFile& file : found.files) files->Add(file.path, file.mode, file.content);
  }
};

}  // namespace

void AddFolder(absl::string_view path, PlannedVolume* volume) {
  for (size_t end = path.find('/');; end = path.find('/', end + 1)) {
    const absl::string_view folder = path.substr(0, end);
    std::vector<std::string>& folders = volume->folders;
    if (!folder.empty() && std::find(folders.begin(), folders.end(), folder) == folders.end()) {
      folders.emplace_back(folder);
    }
    if (end == absl::string_view::npos) return;
  }
}

PlannedVolume PlanVolume(const RetrievedPod& pod, const BuildConfig& config, const Volume& volume,
                         const FieldPath& path, FieldReport* report) {
  PlannedVolume planned;
  planned.name = volume.name;
  const PathTable table(config.paths, pod.pod.metadata);
  std::visit(Planner{pod, table, volume, path, report, &planned}, volume.source);
  return planned;
}

}  // namespace podferry
