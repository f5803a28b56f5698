#include "core/translate/mount_planner.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/translate/clean_path.h"
#include "core/translate/volume_planner.h"

namespace podferry {
namespace {

bool Contains(absl::string_view folder, absl::string_view path) {
  return absl::StartsWith(path, folder) && path.size() > folder.size() &&
         path[folder.size()] == '/';
}

bool HasFile(const PlannedVolume& volume, absl::string_view path) {
  return std::any_of(volume.files.begin(), volume.files.end(),
                     [path](const PlannedFile& file) { return file.path == path; });
}

class MountPlanner {
 public:
  MountPlanner(const VariableLookup& env, std::vector<PlannedVolume>* volumes, FieldReport* report)
      : env_(env), volumes_(*volumes), report_(report) {}

  std::optional<PlannedMount> Plan(const VolumeMount& mount, const FieldPath& path) const {
    const std::optional<int> volume = FindPlanned(mount.name);
    if (!volume.has_value()) {
      const FieldPath name = path / "name";
      report_->Refuse(name.ToString(), absl::StrCat("there is no volume ", mount.name));
      return std::nullopt;
    }
    PlannedMount planned{.volume = *volume};
    const FieldPath mount_path = path / "mountPath";
    const std::optional<std::string> clean = CleanAbsolutePath(mount.mount_path);
    if (!clean.has_value() || *clean == "/") {
      report_->Refuse(mount_path.ToString(), "want an absolute path without .., other than /");
    } else if (*clean == "/proc" || Contains("/proc", *clean)) {
      report_->Refuse(mount_path.ToString(), "nothing can be mounted in /proc");
    } else {
      planned.path = *clean;
    }
    CheckPropagation(mount, path);
    planned.sub_path = PlanSubPath(mount, path);
    const PlannedVolume& source = volumes_[*volume];
    planned.read_only = mount.read_only || source.medium == Medium::kFiles || source.pool.read_only;
    if (source.fuse.in_container) {
      CheckInContainer(planned, path);
    } else if (source.medium == Medium::kFuse) {
      planned.volume = FuseVolume(*volume, planned.sub_path);
      planned.sub_path.clear();
    }
    return planned;
  }

  // A container that mounts anything has a cache.
  void AddCache(std::vector<PlannedMount>* mounts) const {
    const std::optional<int> cache = FindPlanned(kCacheVolume);
    const bool taken = std::any_of(mounts->begin(), mounts->end(),
                                   [](const auto& mount) { return mount.path == "/cache"; });
    if (!mounts->empty() && cache.has_value() && !taken) {
      mounts->push_back({.path = "/cache", .volume = *cache});
    }
  }

  // What a mount shows must be there, and so must its mount point within another mount.
  void MakeTargets(const std::vector<PlannedMount>& mounts) const {
    for (size_t i = 0; i < mounts.size(); ++i) {
      const PlannedMount& mount = mounts[i];
      PlannedVolume& volume = volumes_[mount.volume];
      const bool shows_file = HasFile(volume, mount.sub_path);
      if (volume.medium == Medium::kFiles && !mount.sub_path.empty() && !shows_file) {
        AddFolder(mount.sub_path, &volume);
      }
      for (size_t j = i; j-- > 0;) {
        if (!Contains(mounts[j].path, mount.path)) continue;
        MakeMountPoint(mounts[j], mount.path.substr(mounts[j].path.size() + 1), shows_file);
        break;
      }
    }
  }

 private:
  std::optional<int> FindPlanned(absl::string_view name) const {
    for (size_t i = 0; i < volumes_.size(); ++i) {
      if (volumes_[i].name == name) return static_cast<int>(i);
    }
    return std::nullopt;
  }

  // Apptainer takes the mount point as a word of a command line, and knows nothing of read only.
  void CheckInContainer(const PlannedMount& mount, const FieldPath& path) const {
    if (mount.path.find_first_of(" \t\n\v\f\r\"'\\") != std::string::npos) {
      const FieldPath at = path / "mountPath";
      report_->Refuse(at.ToString(),
                      "a mount script in a container wants one without blanks, "
                      "quotes and backslashes");
    }
    if (mount.read_only) {
      const FieldPath at = path / "readOnly";
      report_->Warn(at.ToString(), "left to the mount script, which runs in the container");
    }
  }

  // The script shows one sub path: another one is another file system. The first is the volume's
  // own.
  int FuseVolume(int index, const std::string& sub_path) const {
    const std::string name = volumes_[index].name;
    for (size_t i = 0; i < volumes_.size(); ++i) {
      PlannedVolume& volume = volumes_[i];
      if (volume.medium != Medium::kFuse || volume.fuse.volume != name) continue;
      if (volume.fuse.sub_path == sub_path) return static_cast<int>(i);
    }
    PlannedVolume another = volumes_[index];
    another.fuse.sub_path = sub_path;
    if (another.fuse.volume.empty()) {
      another.fuse.volume = name;
      volumes_[index] = std::move(another);
      return index;
    }
    another.name = absl::StrCat(name, ".", volumes_.size());
    volumes_.push_back(std::move(another));
    return static_cast<int>(volumes_.size()) - 1;
  }

  void CheckPropagation(const VolumeMount& mount, const FieldPath& path) const {
    const FieldPath at = path / "mountPropagation";
    const std::string& propagation = mount.mount_propagation;
    if (propagation == "Bidirectional" || propagation == "HostToContainer") {
      report_->Uses(absl::StrCat("spec.containers[].volumeMounts[].mountPropagation=", propagation),
                    at.ToString());
    }
    if (mount.recursive_read_only == "Enabled") {
      const FieldPath recursive = path / "recursiveReadOnly";
      report_->Uses("spec.containers[].volumeMounts[].recursiveReadOnly", recursive.ToString());
    }
  }

  std::string PlanSubPath(const VolumeMount& mount, const FieldPath& path) const {
    const bool is_expression = !mount.sub_path_expr.empty();
    const FieldPath at = path / (is_expression ? "subPathExpr" : "subPath");
    bool is_known = true;
    const VariableLookup lookup = [&](absl::string_view name) {
      const std::optional<std::string> value = env_(name);
      is_known = is_known && value.has_value();
      return value;
    };
    const std::string expanded =
        is_expression ? ExpandVariables(mount.sub_path_expr, lookup) : mount.sub_path;
    if (!is_known) report_->Refuse(at.ToString(), "names a variable that the container lacks");
    const std::optional<std::string> clean = CleanPath(expanded);
    if (!clean.has_value() || absl::StartsWith(expanded, "/")) {
      report_->Refuse(at.ToString(), "want a path below the volume, without ..");
    }
    return clean.value_or("");
  }

  void MakeMountPoint(const PlannedMount& outer, absl::string_view rest, bool is_file) const {
    PlannedVolume& volume = volumes_[outer.volume];
    const std::string inside =
        outer.sub_path.empty() ? std::string(rest) : absl::StrCat(outer.sub_path, "/", rest);
    if (HasFile(volume, inside)) return;
    if (!is_file) {
      AddFolder(inside, &volume);
      return;
    }
    const size_t slash = inside.rfind('/');
    if (slash != std::string::npos) AddFolder(inside.substr(0, slash), &volume);
    volume.files.push_back({.path = inside});
  }

  const VariableLookup& env_;
  std::vector<PlannedVolume>& volumes_;
  FieldReport* report_;
};

}  // namespace

std::vector<PlannedMount> PlanMounts(const Container& container, const VariableLookup& env,
                                     const FieldPath& path, std::vector<PlannedVolume>* volumes,
                                     FieldReport* report) {
  const MountPlanner planner(env, volumes, report);
  const FieldPath list = path / "volumeMounts";
  std::vector<PlannedMount> mounts;
  for (size_t i = 0; i < container.volume_mounts.size(); ++i) {
    const FieldPath at = list[i];
    std::optional<PlannedMount> mount = planner.Plan(container.volume_mounts[i], at);
    if (!mount.has_value()) continue;
    if (std::any_of(mounts.begin(), mounts.end(),
                    [&](const PlannedMount& other) { return other.path == mount->path; })) {
      const FieldPath mount_path = at / "mountPath";
      report->Refuse(mount_path.ToString(), "another volume is mounted there");
      continue;
    }
    mounts.push_back(*std::move(mount));
  }
  planner.AddCache(&mounts);
  // A path that contains another is shorter.
  std::stable_sort(mounts.begin(), mounts.end(), [](const PlannedMount& a, const PlannedMount& b) {
    return a.path.size() < b.path.size();
  });
  planner.MakeTargets(mounts);
  return mounts;
}

}  // namespace podferry
