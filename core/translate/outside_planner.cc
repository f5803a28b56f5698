#include "core/translate/outside_planner.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/translate/clean_path.h"

namespace podferry {
namespace {

constexpr absl::string_view kFuse = "fuse.vk.io/";
constexpr absl::string_view kCvmfs = "cvmfs.vk.io/";
constexpr absl::string_view kPreExec = "slurm-job.vk.io/pre-exec";
constexpr absl::string_view kFlags = "slurm-job.vk.io/flags";
constexpr absl::string_view kTunnel = "interlink.eu/wstunnel-client-commands";

std::string PathOf(absl::string_view annotation) {
  return absl::StrCat("metadata.annotations[", annotation, "]");
}

const std::string* Find(const StringMap& annotations, absl::string_view name) {
  const auto found = annotations.find(std::string(name));
  return found == annotations.end() ? nullptr : &found->second;
}

// Adds a program, unless it is there, and leaves its name.
std::string AddCommand(std::string name, absl::string_view text, JobPlan* plan) {
  PlannedVolume* volume = nullptr;
  for (PlannedVolume& other : plan->volumes) {
    if (other.name == kCommandsVolume) volume = &other;
  }
  if (volume == nullptr) {
    volume = &plan->volumes.emplace_back();
    volume->name = kCommandsVolume;
  }
  const absl::string_view shell = absl::StartsWith(text, "#!") ? "" : "#!/bin/sh\n";
  volume->files.push_back({.path = name, .mode = 0700, .content = absl::StrCat(shell, text)});
  return name;
}

std::string PlanCommand(const ObjectMeta& pod, absl::string_view annotation, absl::string_view name,
                        bool allowed, absl::string_view key, JobPlan* plan, FieldReport* report) {
  const std::string* text = Find(pod.annotations, annotation);
  if (text == nullptr || text->empty()) return "";
  const std::string path = PathOf(annotation);
  report->Uses(absl::StrCat("metadata.annotations[", annotation, "]"), path);
  if (!allowed) {
    report->Refuse(path, absl::StrCat("this pool runs no commands of pods outside of their "
                                      "containers; its operator can allow them: [runtime] ",
                                      key, " of its BuildConfig"));
    return "";
  }
  return AddCommand(std::string(name), *text, plan);
}

// What says how a pod is run elsewhere. Other keys are the virtual node's own affair.
void CheckOthers(const Pod& pod, const BuildConfig& config, FieldReport* report) {
  constexpr absl::string_view kIgnored[] = {
      "interlink.eu/pod-ip",
      "interlink.eu/pod-vpn",
      "interlink.eu/wireguard-client-snippet",
  };
  for (const auto& [key, value] : pod.metadata.annotations) {
    for (const absl::string_view prefix : {kFuse, kCvmfs}) {
      absl::string_view volume = key;
      if (absl::ConsumePrefix(&volume, prefix) && FindVolume(pod.spec, volume) == nullptr) {
        report->Warn(PathOf(key), "the pod has no volume of that name");
      }
    }
    for (const absl::string_view ignored : kIgnored) {
      if (key == ignored) report->Uses(PathOf(ignored), PathOf(key));
    }
    if (key == kFlags) {
      report->Uses(PathOf(kFlags), PathOf(kFlags));
      if (!config.slurm.allow_pod_flags) {
        report->Warn(PathOf(kFlags),
                     "not passed on: this pool takes no flags of pods ([slurm] allow_pod_flags)");
      }
    } else if (absl::StartsWith(key, "slurm-job.vk.io/") && key != kPreExec) {
      report->Uses("metadata.annotations[slurm-job.vk.io/*]", PathOf(key));
    }
  }
}

void PlanFuse(const std::string& script, absl::string_view name, const std::string& path,
              const BuildConfig& config, JobPlan* plan, FieldReport* report) {
  report->Uses("metadata.annotations[fuse.vk.io/]", path);
  const bool in_container = config.apptainer.fuse_mode == FuseMode::kContainer;
  if (in_container && plan->runtime != RuntimeKind::kApptainer) {
    report->Refuse(path,
                   "this pool runs mount scripts in containers only, which its runtime cannot; "
                   "its operator can have them run on its hosts: [apptainer] fuse_mode = \"host\"");
  }
  PlannedVolume volume;
  volume.fuse.in_container = in_container;
  volume.name = std::string(name);
  volume.medium = Medium::kFuse;
  volume.fuse.script = AddCommand(absl::StrCat("mount-", name), script, plan);
  plan->volumes.push_back(std::move(volume));
}

void PlanCvmfs(absl::string_view name, const std::string& path, JobPlan* plan,
               FieldReport* report) {
  report->Uses("metadata.annotations[cvmfs.vk.io/]", path);
  PlannedVolume volume;
  volume.name = std::string(name);
  volume.medium = Medium::kPool;
  volume.pool = {.base = "/cvmfs", .type = "Directory", .read_only = true};
  plan->volumes.push_back(std::move(volume));
}

}  // namespace

void PlanCommands(const Pod& pod, const BuildConfig& config, JobPlan* plan, FieldReport* report) {
  const RuntimeOptions& runtime = config.runtime;
  plan->outside.path_folders = config.volumes.additional_directories_in_path;
  plan->outside.pre_exec = PlanCommand(pod.metadata, kPreExec, "pre-exec", runtime.allow_pre_exec,
                                       "allow_pre_exec", plan, report);
  plan->outside.tunnel = PlanCommand(pod.metadata, kTunnel, "tunnel", runtime.allow_tunnel,
                                     "allow_tunnel", plan, report);
  CheckOthers(pod, config, report);
  plan->job.annotations.erase(std::string(kPreExec));
  if (!config.slurm.allow_pod_flags) plan->job.annotations.erase(std::string(kFlags));
}

bool PlanAnnotatedVolume(const ObjectMeta& pod, const BuildConfig& config, absl::string_view name,
                         JobPlan* plan, FieldReport* report) {
  const std::string fuse = absl::StrCat(kFuse, name);
  const std::string cvmfs = absl::StrCat(kCvmfs, name);
  plan->outside.fuse_wait = absl::Seconds(config.volumes.fuse_sleep_seconds);
  if (const std::string* script = Find(pod.annotations, fuse)) {
    PlanFuse(*script, name, PathOf(fuse), config, plan, report);
    return true;
  }
  if (Find(pod.annotations, cvmfs) == nullptr) return false;
  PlanCvmfs(name, PathOf(cvmfs), plan, report);
  return true;
}

void PlanCache(const ObjectMeta& pod, const BuildConfig& config, JobPlan* plan,
               FieldReport* report) {
  PlannedVolume volume;
  volume.name = kCacheVolume;
  volume.medium = Medium::kScratch;
  const std::string* user = Find(pod.labels, "user");
  if (user != nullptr && !user->empty()) {
    report->Uses("metadata.labels[user]", "metadata.labels[user]");
    const std::optional<std::string> base = CleanAbsolutePath(config.volumes.apptainer_cachedir);
    if (!IsFolderName(*user)) {
      report->Refuse("metadata.labels[user]", "want a name that a folder can have");
    } else if (!base.has_value()) {
      report->Refuse("metadata.labels[user]",
                     "volumes.apptainer_cachedir of the pool's BuildConfig is no absolute path");
    } else {
      volume.medium = Medium::kPool;
      volume.pool = {.base = *base, .rest = *user, .has_links = false, .type = "Make"};
    }
  }
  plan->volumes.push_back(std::move(volume));
}

}  // namespace podferry
