#include "core/translate/script_runtime.h"

#include "absl/strings/str_cat.h"
#include "core/translate/bash_pieces.h"
#include "core/translate/script_apptainer.h"
#include "core/translate/script_care.h"
#include "core/translate/shell_quote.h"

namespace podferry {
namespace {

// What processes of the pool find as PATH.
std::string PoolPath(const JobPlan& plan) {
  std::string folders;
  for (const std::string& folder : plan.path_folders) absl::StrAppend(&folders, folder, ":");
  return absl::StrCat("container_path=", ShellQuote(folders),
                      "${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}\n");
}

// Where a runtime's own programs are looked for.
std::string RuntimePath(const JobPlan& plan) {
  std::string folders;
  for (const std::string& folder : plan.path_folders) absl::StrAppend(&folders, folder, ":");
  return absl::StrCat("PATH=", ShellQuote(folders),
                      "${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}\n");
}

std::string HostLines(const JobPlan& plan) {
  std::string lines = "host_lines=(";
  for (const std::string& line : plan.host_lines) {
    lines.push_back(' ');
    AppendShellQuoted(line, &lines);
  }
  absl::StrAppend(&lines, ")\n");
  return lines;
}

RuntimeScript RenderJobScriptRuntime(const JobPlan& plan) {
  return {.variables = PoolPath(plan),
          .pieces = {bash_pieces::kPlain, bash_pieces::kJobScript},
          .later_pieces = {bash_pieces::kLeader}};
}

RuntimeScript RenderHost(const JobPlan& plan) {
  RuntimeScript script;
  script.variables =
      absl::StrCat(PoolPath(plan), "needs_bwrap=", plan.host.needs_bubblewrap ? 1 : 0,
                   "\nbwrap=", ShellQuote(plan.host.bwrap_executable), "\n", HostLines(plan));
  script.pieces = {bash_pieces::kPlain, bash_pieces::kHosts, bash_pieces::kMounts,
                   bash_pieces::kHost};
  if (EntersContainers(plan)) script.pieces.push_back(bash_pieces::kEnterHost);
  return script;
}

std::string Words(absl::string_view name, const std::vector<std::string>& words) {
  std::string line = absl::StrCat(name, "=(");
  for (const std::string& word : words) {
    if (line.back() != '(') line.push_back(' ');
    AppendShellQuoted(word, &line);
  }
  return absl::StrCat(line, ")\n");
}

RuntimeScript RenderPodman(const JobPlan& plan) {
  return {
      .variables = absl::StrCat(
          RuntimePath(plan), FetchVariables(plan), "podman=", ShellQuote(plan.podman.executable),
          " podman_url=", ShellQuote(plan.podman.url), "\n",
          Words("podman_options", plan.podman.options), Words("images", plan.podman.images),
          "image_platform=", ShellQuote(plan.podman.platform), "\n",
          "job_key=", ShellQuote(plan.job.key.ToString()),
          " shares_memory=", plan.podman.shares_memory ? 1 : 0, " guards_engine=1", " fs_group=",
          plan.fs_group.has_value() ? absl::StrCat(*plan.fs_group) : "''", "\n", HostLines(plan)),
      .pieces = {bash_pieces::kHosts, bash_pieces::kMounts, bash_pieces::kImages,
                 bash_pieces::kPodmanOptions, bash_pieces::kPodmanImages, bash_pieces::kPodman,
                 bash_pieces::kPodmanGuard},
      .has_site_images = true};
}

RuntimeScript RenderApptainer(const JobPlan& plan) {
  RuntimeScript script;
  script.has_site_images = true;
  script.variables = absl::StrCat(RuntimePath(plan), ImageVariables(plan), ApptainerVariables(plan),
                                  HostLines(plan));
  script.pieces = {bash_pieces::kHosts,      bash_pieces::kMounts,        bash_pieces::kImages,
                   bash_pieces::kImageCache, bash_pieces::kApptainerPull, bash_pieces::kImageConfig,
                   bash_pieces::kApptainer};
  if (EntersContainers(plan)) {
    // A hook may run before the rest of the script is read.
    script.pieces.push_back(bash_pieces::kApptainerEnd);
    script.pieces.push_back(bash_pieces::kEnterApptainer);
  } else {
    script.later_pieces = {bash_pieces::kApptainerEnd};
  }
  return script;
}

}  // namespace

RuntimeScript RenderRuntime(const JobPlan& plan) {
  if (!plan.job_script.empty()) return RenderJobScriptRuntime(plan);
  switch (plan.runtime) {
    case RuntimeKind::kHost:
      return RenderHost(plan);
    case RuntimeKind::kApptainer:
      return RenderApptainer(plan);
    case RuntimeKind::kPodman:
      return RenderPodman(plan);
  }
  return {};
}

}  // namespace podferry
