#include "core/translate/script_volumes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "core/translate/bash_pieces.h"
#include "core/translate/script_files.h"
#include "core/translate/shell_quote.h"

namespace podferry {
namespace {

bool Has(const JobPlan& plan, Medium medium) {
  return std::any_of(plan.volumes.begin(), plan.volumes.end(),
                     [medium](const auto& volume) { return volume.medium == medium; });
}

bool IsMountedAtPool(const PlannedVolume& volume) {
  return volume.medium == Medium::kFuse && !volume.fuse.in_container;
}

bool HasFuse(const JobPlan& plan) {
  return std::any_of(plan.volumes.begin(), plan.volumes.end(), IsMountedAtPool);
}

bool HasFuseInContainers(const JobPlan& plan) {
  return std::any_of(plan.volumes.begin(), plan.volumes.end(),
                     [](const auto& volume) { return volume.fuse.in_container; });
}

bool HasLimits(const JobPlan& plan) {
  return std::any_of(plan.volumes.begin(), plan.volumes.end(),
                     [](const auto& volume) { return volume.size_bytes > 0; });
}

std::string Words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text.push_back(' ');
    AppendShellQuoted(word, &text);
  }
  return text;
}

std::string CommandFile(absl::string_view name) {
  return absl::StrCat("files/", kCommandsVolume, "/", name);
}

std::string PoolFolderOf(size_t index) { return absl::StrCat("\"${pool_folders[", index, "]-}\""); }

std::string UsePoolFolder(size_t index, const PlannedVolume& volume) {
  const PoolFolder& pool = volume.pool;
  std::string text =
      absl::StrCat("  use_folder ", index, Words({volume.name, pool.base, pool.rest, pool.type}),
                   " ", pool.has_links ? 1 : 0, "\n");
  std::vector<std::string> files;
  for (const PlannedFile& file : volume.files) files.push_back(file.path);
  if (!volume.folders.empty()) {
    absl::StrAppend(&text, "  make_mount_points ", index, " DirectoryOrCreate",
                    Words(volume.folders), "\n");
  }
  if (!files.empty()) {
    absl::StrAppend(&text, "  make_mount_points ", index, " FileOrCreate", Words(files), "\n");
  }
  return text;
}

// Scripts put what they cache where containers find /cache.
std::string FuseCache(const JobPlan& plan) {
  for (size_t i = 0; i < plan.volumes.size(); ++i) {
    if (plan.volumes[i].name != kCacheVolume) continue;
    if (plan.volumes[i].medium == Medium::kPool) return PoolFolderOf(i);
    return absl::StrCat("\"$sandbox\"/", FolderOf(plan.volumes[i]));
  }
  return "\"$sandbox\"";
}

std::string HostFolderOf(const PlannedVolume& volume) {
  if (volume.medium == Medium::kMemory) {
    return absl::StrCat("\"$memory_root\"/", ShellQuote(volume.name));
  }
  return absl::StrCat("\"$sandbox\"/", ShellQuote(FolderOf(volume)));
}

std::string Prepare(const JobPlan& plan) {
  std::string text;
  const OutsidePlan& outside = plan.outside;
  if (!outside.pre_exec.empty()) {
    absl::StrAppend(&text, "  run_before pre-exec ", CommandFile(outside.pre_exec), "\n");
  }
  for (size_t i = 0; i < plan.volumes.size(); ++i) {
    if (plan.volumes[i].medium == Medium::kPool) text += UsePoolFolder(i, plan.volumes[i]);
  }
  if (HasFuse(plan)) absl::StrAppend(&text, "  fuse_cache=", FuseCache(plan), "\n");
  for (const PlannedVolume& volume : plan.volumes) {
    if (!IsMountedAtPool(volume)) continue;
    absl::StrAppend(&text, "  start_fuse",
                    Words({volume.fuse.volume, CommandFile(volume.fuse.script),
                           volume.fuse.sub_path, FolderOf(volume)}),
                    "\n");
  }
  if (HasFuse(plan)) absl::StrAppend(&text, "  wait_for_fuse\n");
  for (const PlannedVolume& volume : plan.volumes) {
    if (volume.size_bytes <= 0) continue;
    absl::StrAppend(&text, "  limit_size", Words({volume.name, volume.size_limit}), " ",
                    volume.size_bytes, " ", HostFolderOf(volume), "\n");
  }
  if (HasLimits(plan)) absl::StrAppend(&text, "  start_watching_sizes\n");
  if (!outside.tunnel.empty()) {
    absl::StrAppend(&text, "  run_beside tunnel ", CommandFile(outside.tunnel), "\n");
  }
  return text;
}

std::string Variables(const JobPlan& plan, bool commands) {
  const OutsidePlan& outside = plan.outside;
  std::string variables;
  if (commands) {
    std::string folders;
    for (const std::string& folder : outside.path_folders) absl::StrAppend(&folders, folder, ":");
    absl::StrAppend(&variables, "commands_path=", ShellQuote(folders), "\"$PATH\"\n");
  }
  if (HasFuse(plan)) {
    absl::StrAppend(&variables, "fuse_wait=", absl::ToInt64Seconds(outside.fuse_wait), "\n");
  }
  if (HasLimits(plan)) {
    absl::StrAppend(&variables, "size_check_first=", absl::ToDoubleSeconds(outside.first_measure),
                    " size_check_every=", absl::ToDoubleSeconds(outside.measure_every), "\n");
  }
  return variables;
}

// Where the volume of a mount lies, and the sub path of it.
std::string MountSource(const JobPlan& plan, const PlannedMount& mount) {
  const PlannedVolume& volume = plan.volumes[mount.volume];
  const std::string sub_path = Words({mount.sub_path});
  switch (volume.medium) {
    case Medium::kMemory:
      return absl::StrCat("\"$memory_root\"/", ShellQuote(volume.name), sub_path);
    case Medium::kPool:
      return absl::StrCat(PoolFolderOf(static_cast<size_t>(mount.volume)), sub_path);
    case Medium::kFiles:
      if (mount.sub_path.empty()) break;
      return absl::StrCat(ShellQuote(absl::StrCat(FolderOf(volume), "/", mount.sub_path)),
                          Words({""}));
    case Medium::kFuse:
    case Medium::kScratch:
      break;
  }
  return absl::StrCat(ShellQuote(FolderOf(volume)), sub_path);
}

}  // namespace

VolumesScript RenderVolumes(const JobPlan& plan) {
  VolumesScript script;
  const bool fuse = HasFuse(plan);
  const bool commands = fuse || !plan.outside.pre_exec.empty() || !plan.outside.tunnel.empty();
  const bool limits = HasLimits(plan);
  if (Has(plan, Medium::kPool)) script.pieces.push_back(bash_pieces::kPoolFolders);
  if (commands) script.pieces.push_back(bash_pieces::kBeside);
  if (fuse) script.pieces.push_back(bash_pieces::kFuse);
  if (limits) script.pieces.push_back(bash_pieces::kSizes);
  if (HasFuseInContainers(plan)) script.pieces.push_back(bash_pieces::kFuseContainer);
  const std::string prepare = Prepare(plan);
  const std::string end =
      absl::StrCat(limits ? "  stop_watching_sizes\n" : "", fuse       ? "  end_fuse\n"
                                                            : commands ? "  end_beside\n"
                                                                       : "");
  script.functions = absl::StrCat(Variables(plan, commands), "prepare_volumes() {\n",
                                  prepare.empty() ? "  :\n" : prepare, "}\nend_volumes() {\n",
                                  end.empty() ? "  :\n" : end, "}\n");
  return script;
}

std::string RenderMount(const JobPlan& plan, const PlannedMount& mount) {
  const PlannedVolume& volume = plan.volumes[mount.volume];
  if (volume.fuse.in_container) {
    return absl::StrCat("  fuse_at",
                        Words({mount.path, CommandFile(volume.fuse.script), mount.sub_path}), "\n");
  }
  return absl::StrCat("  mount_at", Words({mount.path}), " ", MountSource(plan, mount),
                      mount.read_only ? " ro\n" : " rw\n");
}

}  // namespace podferry
