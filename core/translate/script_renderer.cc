#include "core/translate/script_renderer.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "core/translate/bash_pieces.h"
#include "core/translate/sandbox.h"
#include "core/translate/script_care.h"
#include "core/translate/script_files.h"
#include "core/translate/script_runtime.h"
#include "core/translate/script_volumes.h"
#include "core/translate/shell_quote.h"

namespace podferry {
namespace {

constexpr absl::string_view kFirstLines = "#!/bin/bash\n# podferry-script 1: ";
constexpr absl::string_view kAnyVersion = "#!/bin/bash\n# podferry-script ";

// A line's worth of comment, whatever is in it.
std::string Comment(absl::string_view text) {
  std::string comment(text);
  for (char& c : comment) {
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) c = '?';
  }
  return comment;
}

absl::string_view RoleName(Role role) {
  switch (role) {
    case Role::kInit:
      return "init";
    case Role::kSidecar:
      return "sidecar";
    case Role::kMain:
      return "main";
  }
  return "main";
}

absl::string_view PolicyName(RestartPolicy policy) {
  switch (policy) {
    case RestartPolicy::kNever:
      return "Never";
    case RestartPolicy::kOnFailure:
      return "OnFailure";
    case RestartPolicy::kAlways:
      return "Always";
  }
  return "Never";
}

int64_t WholeSeconds(absl::Duration duration) {
  return duration == absl::InfiniteDuration() ? 0 : absl::ToInt64Seconds(duration);
}
int64_t Hundredths(absl::Duration duration) { return absl::ToInt64Milliseconds(duration) / 10; }

class Renderer {
 public:
  explicit Renderer(const JobPlan& plan)
      : plan_(plan), files_(plan), volumes_(RenderVolumes(plan)), runtime_(RenderRuntime(plan)) {}

  std::string Render() {
    script_.reserve(ExpectedSize());
    RenderHead();
    Append(files_.folders());
    Append(bash_pieces::kFolders);
    Append(files_.write_files());
    Append(volumes_.functions);
    RenderJob();
    if (plan_.job_script.empty()) {
      for (size_t i = 0; i < plan_.containers.size(); ++i) RenderContainer(i);
      Append(RenderCareFunctions(plan_));
    } else {
      RenderJobScript();
    }
    RenderPieces();
    files_.payload().AppendTo(&script_);
    return std::move(script_);
  }

 private:
  template <typename... Parts>
  void Line(const Parts&... parts) {
    absl::StrAppend(&script_, parts..., "\n");
  }
  void Append(absl::string_view text) { script_.append(text.data(), text.size()); }
  void Quoted(absl::string_view bytes) {
    script_.push_back(' ');
    AppendShellQuoted(bytes, &script_);
  }
  void Words(absl::string_view begin, const std::vector<std::string>& words) {
    Append(begin);
    for (const std::string& word : words) Quoted(word);
    Line(")");
  }

  size_t ExpectedSize() const {
    size_t size = 40 * 1024 + plan_.job_script.size();
    for (const PlannedVolume& volume : plan_.volumes) {
      for (const PlannedFile& file : volume.files) size += file.content.size() * 4 / 3 + 200;
    }
    return size;
  }

  void RenderHead() {
    const JobDescription& job = plan_.job;
    Append(kFirstLines);
    Line(Comment(absl::StrCat("pod ", job.pod_namespace, "/", job.pod_name, " (", job.key.uid,
                              ") at pool ", job.pool)));
    Line("# To run it again by hand: ", kSandboxVariable, "=/a/new/folder bash THIS_FILE");
    Line("# It holds the pod's Secrets.");
    Line("default_sandbox=", ShellQuote(absl::StrCat("podferry.", job.key.FileName())));
    Line("second_start_code=", kSecondStartExitCode);
    Append(bash_pieces::kPrologue);
    Line("\n# ---- This job ----");
  }

  // One element for each container.
  template <typename Element>
  void Array(absl::string_view name, const Element& element) {
    absl::StrAppend(&script_, name, "=(");
    for (size_t i = 0; i < plan_.containers.size(); ++i) {
      absl::StrAppend(&script_, i == 0 ? "" : " ", element(i, plan_.containers[i]));
    }
    Line(")");
  }

  void RenderJob() {
    Array("names", [](size_t i, const PlannedContainer& container) {
      return ShellQuote(SandboxPaths::ContainerFile(static_cast<int>(i), container.name));
    });
    Array("roles", [](size_t, const PlannedContainer& container) {
      return std::string(RoleName(container.role));
    });
    Array("stdins", [](size_t, const PlannedContainer& container) {
      return absl::StrCat(container.stdin_open ? 1 : 0);
    });
    Array("memory_limits", [](size_t, const PlannedContainer& container) {
      return absl::StrCat((container.memory_limit + 1023) / 1024);
    });
    Array("cpu_limits", [](size_t, const PlannedContainer& container) {
      return absl::StrCat(container.cpu_limit);
    });
    Line("restart_policy=", PolicyName(plan_.restart_policy));
    Line("grace=", WholeSeconds(plan_.job.grace), " deadline=", WholeSeconds(plan_.job.deadline));
    Line("back_off_first=", Hundredths(plan_.back_off.first),
         " back_off_limit=", Hundredths(plan_.back_off.limit));
    Line("hostname=", ShellQuote(plan_.hostname));
    Line("leader=", plan_.job_script.empty() ? "''" : absl::StrCat(FirstMain()));
    Line("has_images=", runtime_.has_site_images ? 1 : 0,
         " tries_again=", runtime_.has_site_images ? 1 : 0);
    Append(runtime_.variables);
    Append(RenderCareVariables(plan_));
  }

  bool HasLimits() const {
    return std::any_of(plan_.containers.begin(), plan_.containers.end(),
                       [](const PlannedContainer& container) {
                         return container.memory_limit > 0 || container.cpu_limit > 0;
                       });
  }

  size_t FirstMain() const {
    size_t i = 0;
    while (i < plan_.containers.size() && plan_.containers[i].role != Role::kMain) ++i;
    return i;
  }

  void RenderContainer(size_t index) {
    const PlannedContainer& container = plan_.containers[index];
    Line("container_", index, "() {");
    Words("  command=(", container.command);
    Words("  args=(", container.args);
    Line("  env=(");
    for (const auto& [name, value] : container.env) {
      Append("   ");
      Quoted(name);
      Quoted(value);
      Line();
    }
    Line("  )");
    if (!container.working_dir.empty()) Line("  workdir=", ShellQuote(container.working_dir));
    if (container.read_only_root) Line("  read_only_root=1");
    if (container.tty && is_podman_) Line("  tty=1");
    RenderSecurity(container.security);
    if (container.nvidia_gpu || container.amd_gpu) {
      Line("  gpus='", container.nvidia_gpu ? "nvidia " : "", container.amd_gpu ? "amd " : "", "'");
    }
    for (const PlannedMount& mount : container.mounts) Append(RenderMount(plan_, mount));
    if (!container.message.path.empty()) {
      Append("  mount_at");
      Quoted(container.message.path);
      Line(" run/", SandboxPaths::ContainerFile(static_cast<int>(index), container.name),
           ".message '' rw");
    }
    Line("}");
  }

  void RenderSecurity(const PlannedSecurity& security) {
    const auto line = [this](absl::string_view name, const std::vector<std::string>& words) {
      if (!words.empty())
        Line("  ", name, "=", ShellQuote(absl::StrCat(" ", absl::StrJoin(words, " "), " ")));
    };
    if (plan_.runtime != RuntimeKind::kApptainer) {  // which cannot become another
      if (security.user.has_value()) Line("  run_as_user=", *security.user);
      if (security.group.has_value()) Line("  run_as_group=", *security.group);
      if (!security.groups.empty()) Line("  groups=(", absl::StrJoin(security.groups, " "), ")");
      line("added", security.added_capabilities);
    }
    if (security.must_not_be_root) Line("  must_not_be_root=1");
    if (security.privileged && is_podman_) Line("  privileged=1");
    if (security.no_new_privileges && is_podman_) Line("  no_new_privileges=1");
    line("dropped", security.dropped_capabilities);
  }

  void RenderJobScript() {
    Line("container_", FirstMain(), "() {");
    Line("  command=(bash \"$sandbox/", kJobScriptPath, "\")");
    Line("  workdir=$sandbox");
    Line("}");
  }

  // What the submitter hides, from containers on the pool's own files and from volumes.
  bool NeedsHidden() const {
    const bool on_host = plan_.runtime == RuntimeKind::kHost && plan_.job_script.empty();
    return on_host || std::any_of(plan_.volumes.begin(), plan_.volumes.end(),
                                  [](const auto& v) { return v.medium == Medium::kPool; });
  }

  void RenderPieces() {
    Line("\n# ---- How every job is run ----");
    Append(bash_pieces::kFiles);
    if (!files_.payload().empty()) Append(bash_pieces::kPayload);
    Append(bash_pieces::kProcesses);
    if (NeedsHidden()) Append(bash_pieces::kHidden);
    if (HasLimits()) Append(bash_pieces::kMemory);
    for (const absl::string_view piece : volumes_.pieces) Append(piece);
    for (const absl::string_view piece : runtime_.pieces) Append(piece);
    if (NeedsMessages(plan_)) Append(bash_pieces::kMessages);
    if (NeedsCare(plan_)) {
      Append(bash_pieces::kActions);
      Append(bash_pieces::kProbes);
      Append(bash_pieces::kHooks);
    }
    Append(bash_pieces::kStart);
    Line("begin\n");
    Append(bash_pieces::kReport);
    for (const absl::string_view piece : runtime_.later_pieces) Append(piece);
    Append(bash_pieces::kStops);
    Append(bash_pieces::kSupervisor);
    Append(bash_pieces::kEnd);
  }

  const JobPlan& plan_;
  const bool is_podman_ = plan_.runtime == RuntimeKind::kPodman;  // others have no such things
  const ScriptFiles files_;
  const VolumesScript volumes_;
  const RuntimeScript runtime_;
  std::string script_;
};

}  // namespace

std::string RenderScript(const JobPlan& plan) { return Renderer(plan).Render(); }

bool IsOurScript(absl::string_view script) { return absl::StartsWith(script, kAnyVersion); }

}  // namespace podferry
