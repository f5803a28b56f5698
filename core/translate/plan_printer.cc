#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "core/translate/job_plan.h"

namespace podferry {
namespace {

constexpr size_t kShown = 200;

std::string Show(absl::string_view text) {
  std::string shown = absl::StrCat("\"", absl::Utf8SafeCHexEscape(text.substr(0, kShown)), "\"");
  if (text.size() > kShown) absl::StrAppend(&shown, "... of ", text.size(), " bytes");
  return shown;
}

const char* Name(Role role) {
  return role == Role::kInit ? "init container" : role == Role::kSidecar ? "sidecar" : "container";
}
const char* Name(Medium medium) {
  switch (medium) {
    case Medium::kFiles:
      return "files";
    case Medium::kScratch:
      return "scratch";
    case Medium::kMemory:
      return "memory";
    case Medium::kPool:
      return "pool";
    case Medium::kFuse:
      return "fuse";
  }
  return "";
}
const char* Name(RestartPolicy policy) {
  return policy == RestartPolicy::kNever       ? "Never"
         : policy == RestartPolicy::kOnFailure ? "OnFailure"
                                               : "Always";
}

void Print(const PlannedVolume& volume, std::string* out) {
  absl::StrAppend(out, "volume ", volume.name, ": ", Name(volume.medium));
  if (!volume.size_limit.empty()) absl::StrAppend(out, ", limit ", volume.size_limit);
  if (volume.medium == Medium::kPool) {
    absl::StrAppend(out, " ", volume.pool.Path(), volume.pool.read_only ? ", read only" : "",
                    volume.pool.type.empty() ? "" : ", ", volume.pool.type);
  }
  if (volume.medium == Medium::kFuse) {
    absl::StrAppend(out, " by ", volume.fuse.script, " ", Show(volume.fuse.sub_path));
  }
  absl::StrAppend(out, "\n");
  for (const std::string& folder : volume.folders) absl::StrAppend(out, "  folder ", folder, "\n");
  for (const PlannedFile& file : volume.files) {
    absl::StrAppendFormat(out, "  %04o %s %s\n", file.mode, file.path, Show(file.content));
  }
}

void Print(const PlannedSecurity& security, std::string* out) {
  if (security.user.has_value()) absl::StrAppend(out, "  as user ", *security.user, "\n");
  if (security.group.has_value()) absl::StrAppend(out, "  as group ", *security.group, "\n");
  if (!security.groups.empty()) {
    absl::StrAppend(out, "  in groups ", absl::StrJoin(security.groups, " "), "\n");
  }
  if (security.must_not_be_root) absl::StrAppend(out, "  must not be root\n");
  if (security.privileged) absl::StrAppend(out, "  privileged\n");
  if (security.no_new_privileges) absl::StrAppend(out, "  gains no privileges\n");
  if (!security.added_capabilities.empty()) {
    absl::StrAppend(out, "  with ", absl::StrJoin(security.added_capabilities, " "), "\n");
  }
  if (!security.dropped_capabilities.empty()) {
    absl::StrAppend(out, "  without ", absl::StrJoin(security.dropped_capabilities, " "), "\n");
  }
}

std::string Show(const PlannedAction& action) {
  switch (action.kind) {
    case PlannedAction::Kind::kExec:
      return absl::StrCat("run ", absl::StrJoin(action.argv, " ",
                                                [](std::string* out, const std::string& argument) {
                                                  absl::StrAppend(out, Show(argument));
                                                }));
    case PlannedAction::Kind::kHttp:
      return absl::StrCat("get ", action.url, " with ",
                          absl::StrJoin(action.headers, ", ", absl::PairFormatter(": ")));
    case PlannedAction::Kind::kTcp:
      return absl::StrCat("connect to ", action.host, " port ", action.port);
    case PlannedAction::Kind::kGrpc:
      return absl::StrCat("ask for the health of ", Show(action.service), " at ", action.host,
                          " port ", action.port);
    case PlannedAction::Kind::kSleep:
      break;
  }
  return absl::StrCat("wait for ", absl::FormatDuration(action.pause));
}

const char* Name(PlannedProbe::Kind kind) {
  return kind == PlannedProbe::Kind::kStartup    ? "startup"
         : kind == PlannedProbe::Kind::kLiveness ? "liveness"
                                                 : "readiness";
}

void Print(const PlannedCare& care, std::string* out) {
  if (care.post_start) absl::StrAppend(out, "  after its start ", Show(*care.post_start), "\n");
  for (const PlannedProbe& probe : care.probes) {
    absl::StrAppend(out, "  ", Name(probe.kind), " probe after ", absl::FormatDuration(probe.delay),
                    " every ", absl::FormatDuration(probe.period), " for at most ",
                    absl::FormatDuration(probe.timeout), ", up after ", probe.success_threshold,
                    ", down after ", probe.failure_threshold);
    if (probe.grace) absl::StrAppend(out, ", grace ", absl::FormatDuration(*probe.grace));
    absl::StrAppend(out, ": ", Show(probe.action), "\n");
  }
  if (care.pre_stop) absl::StrAppend(out, "  before its end ", Show(*care.pre_stop), "\n");
  if (care.stop_signal != 0) absl::StrAppend(out, "  ends on signal ", care.stop_signal, "\n");
}

void Print(const PlannedMessage& message, std::string* out) {
  if (!message.path.empty()) absl::StrAppend(out, "  last words in ", message.path, "\n");
  if (message.falls_back_to_log) absl::StrAppend(out, "  last words may be those of its log\n");
}

void Print(const JobPlan& plan, const PlannedContainer& container, std::string* out) {
  absl::StrAppend(out, Name(container.role), " ", container.name, " (image ", container.image,
                  ")\n");
  for (const std::string& word : container.command) {
    absl::StrAppend(out, "  command ", Show(word), "\n");
  }
  for (const std::string& argument : container.args) {
    absl::StrAppend(out, "  argument ", Show(argument), "\n");
  }
  for (const auto& [name, value] : container.env) {
    absl::StrAppend(out, "  variable ", name, " = ", Show(value), "\n");
  }
  if (!container.working_dir.empty()) {
    absl::StrAppend(out, "  in ", container.working_dir, "\n");
  }
  for (const PlannedMount& mount : container.mounts) {
    absl::StrAppend(out, "  mount ", mount.path, " from ", plan.volumes[mount.volume].name,
                    mount.sub_path.empty() ? "" : "/", mount.sub_path,
                    mount.read_only ? ", read only" : "", "\n");
  }
  if (container.stdin_open) absl::StrAppend(out, "  stdin is open\n");
  if (container.read_only_root) absl::StrAppend(out, "  root is read only\n");
  if (container.tty) absl::StrAppend(out, "  has a terminal\n");
  Print(container.security, out);
  if (container.memory_limit > 0) absl::StrAppend(out, "  memory ", container.memory_limit, "\n");
  if (container.cpu_limit > 0) {
    absl::StrAppend(out, "  processors ", static_cast<double>(container.cpu_limit) / 1000, "\n");
  }
  Print(container.care, out);
  Print(container.message, out);
}

}  // namespace

std::string Describe(const JobPlan& plan) {
  std::string out = absl::StrCat("pod ", plan.job.pod_namespace, "/", plan.job.pod_name, " ",
                                 plan.job.key.ToString(), " at ", plan.job.pool, "\nhostname ",
                                 plan.hostname, "\nrestart ", Name(plan.restart_policy), "\ngrace ",
                                 absl::FormatDuration(plan.job.grace), ", deadline ",
                                 absl::FormatDuration(plan.job.deadline), "\n");
  for (const std::string& line : plan.host_lines) absl::StrAppend(&out, "host ", line, "\n");
  for (const auto& [name, amount] : plan.job.resources) {
    absl::StrAppend(&out, "requests ", name, " ", amount, "\n");
  }
  for (const PlannedVolume& volume : plan.volumes) Print(volume, &out);
  for (const PlannedContainer& container : plan.containers) Print(plan, container, &out);
  if (!plan.job_script.empty()) absl::StrAppend(&out, "job script ", Show(plan.job_script), "\n");
  return out;
}

}  // namespace podferry
