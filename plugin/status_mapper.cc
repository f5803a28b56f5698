#include "plugin/status_mapper.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "core/json/writer.h"

namespace podferry {
namespace {

using Kind = ContainerState::Kind;

constexpr char kKilledWord[] = "Error";

// What a shell makes of a process that a signal ended.
constexpr int kSigkillExit = 137;
constexpr int kSigtermExit = 143;

int ExitCodeOf(const JobStatus& status) {
  if (status.phase == JobPhase::kDeleted) return kSigkillExit;
  switch (status.failure) {
    case FailureReason::kOomKilled:
      return kSigkillExit;
    case FailureReason::kDeadlineExceeded:
    case FailureReason::kEvicted:
      return kSigtermExit;
    default:
      return 1;
  }
}

std::string EndReasonOf(const JobStatus& status) {
  if (status.phase == JobPhase::kSucceeded) return "Completed";
  if (status.phase == JobPhase::kDeleted) return "Deleted";
  if (status.failure == FailureReason::kUnspecified) return kKilledWord;
  return std::string(ToString(status.failure));
}

// The job is over, and this container's own end was not reported.
void Terminate(ContainerState& state, const JobStatus& status) {
  const absl::Time started = state.started_at;
  state = ContainerState{};
  state.kind = Kind::kTerminated;
  state.reason = EndReasonOf(status);
  state.message = status.message;
  state.started_at = started;
  state.finished_at = status.changed_at;
  state.exit_code = status.phase == JobPhase::kSucceeded ? 0 : ExitCodeOf(status);
}

bool Succeeded(const ContainerState& state) {
  return state.kind == Kind::kTerminated && state.exit_code == 0;
}

void ShowEnded(std::vector<ContainerStatus>& shown, const JobStatus& status) {
  for (ContainerStatus& container : shown) {
    container.ready = false;
    if (container.state.kind != Kind::kTerminated) Terminate(container.state, status);
  }
  if (status.phase == JobPhase::kSucceeded || shown.empty()) return;
  const bool all_zero = std::all_of(shown.begin(), shown.end(),
                                    [](const ContainerStatus& c) { return Succeeded(c.state); });
  // It failed for another reason than a container's code (its node was lost at the last moment).
  if (all_zero) Terminate(shown.back().state, status);
}

// The job is not over (a restart is to come, or its end is about to be reported).
void ShowGoingOn(std::vector<ContainerStatus>& shown) {
  ContainerStatus* last = nullptr;
  for (ContainerStatus& container : shown) {
    if (container.init) continue;
    if (container.state.kind != Kind::kTerminated) return;
    if (last == nullptr || container.state.finished_at >= last->state.finished_at) {
      last = &container;
    }
  }
  if (last == nullptr) return;
  const absl::Time started = last->state.started_at;
  last->state = ContainerState{.kind = Kind::kRunning, .started_at = started};
}

void WriteTime(json::Writer& out, absl::string_view key, absl::Time time) {
  out.Key(key);
  if (time == absl::InfinitePast() || time == absl::InfiniteFuture()) return out.Null();
  out.String(absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone()));
}

void WriteText(json::Writer& out, absl::string_view key, const std::string& text) {
  if (!text.empty()) out.Field(key, text);
}

void WriteState(json::Writer& out, const ContainerState& state) {
  out.BeginObject();
  switch (state.kind) {
    case Kind::kUnspecified:
      break;
    case Kind::kWaiting:
      out.Key("waiting");
      out.BeginObject();
      WriteText(out, "reason", state.reason);
      WriteText(out, "message", state.message);
      out.EndObject();
      break;
    case Kind::kRunning:
      out.Key("running");
      out.BeginObject();
      WriteTime(out, "startedAt", state.started_at);
      out.EndObject();
      break;
    case Kind::kTerminated:
      out.Key("terminated");
      out.BeginObject();
      out.Field("exitCode", state.exit_code);
      if (state.signal != 0) out.Field("signal", state.signal);
      WriteText(out, "reason", state.reason);
      WriteText(out, "message", state.message);
      WriteTime(out, "startedAt", state.started_at);
      WriteTime(out, "finishedAt", state.finished_at);
      out.EndObject();
      break;
  }
  out.EndObject();
}

void WriteContainer(json::Writer& out, const ContainerStatus& container) {
  out.BeginObject();
  out.Field("name", container.name);
  out.Key("state");
  WriteState(out, container.state);
  out.Key("lastState");
  WriteState(out, container.last_state.value_or(ContainerState{}));
  out.Field("ready", container.ready);
  out.Field("restartCount", container.restart_count);
  out.Field("image", container.image);
  out.Field("imageID", container.image_id);
  WriteText(out, "containerID", container.container_id);
  out.Field("started", container.state.kind == Kind::kRunning && !container.starting);
  out.EndObject();
}

void WriteContainers(json::Writer& out, absl::string_view key,
                     const std::vector<ContainerStatus>& containers, bool init) {
  out.Key(key);
  out.BeginArray();
  for (const ContainerStatus& container : containers) {
    if (container.init == init) WriteContainer(out, container);
  }
  out.EndArray();
}

std::string Render(const JobDescription& job, const std::vector<ContainerStatus>& containers) {
  std::string text;
  json::Writer out(&text);
  out.BeginObject();
  out.Field("name", job.pod_name);
  out.Field("UID", job.key.uid);
  out.Field("namespace", job.pod_namespace);
  out.Field("JID", job.key.uid);
  WriteContainers(out, "containers", containers, /*init=*/false);
  WriteContainers(out, "initContainers", containers, /*init=*/true);
  out.EndObject();
  return text;
}

// The containers that interLink keeps in the cluster, by the annotation of that name.
absl::flat_hash_set<std::string> KeptInCluster(const Pod& pod, const std::string& annotation) {
  absl::flat_hash_set<std::string> names;
  auto it = pod.metadata.annotations.find(annotation);
  if (it == pod.metadata.annotations.end()) return names;
  for (absl::string_view name : absl::StrSplit(it->second, ',', absl::SkipWhitespace())) {
    names.insert(std::string(absl::StripAsciiWhitespace(name)));
  }
  return names;
}

}  // namespace

std::vector<ContainerStatus> ShownContainers(const std::vector<ContainerSummary>& containers,
                                             const JobStatus& status, absl::string_view wait_reason,
                                             absl::string_view wait_message) {
  std::vector<ContainerStatus> shown;
  for (const ContainerSummary& summary : containers) {
    if (summary.init && summary.sidecar) continue;
    auto known = std::find_if(
        status.containers.begin(), status.containers.end(),
        [&](const ContainerStatus& c) { return c.name == summary.name && c.init == summary.init; });
    ContainerStatus container;
    if (known != status.containers.end()) container = *known;
    container.name = summary.name;
    container.init = summary.init;
    if (container.image.empty()) container.image = summary.image;
    if (container.state.kind == Kind::kUnspecified) container.state.kind = Kind::kWaiting;
    if (container.state.kind == Kind::kWaiting && container.state.reason.empty()) {
      container.state.reason = std::string(wait_reason);
      container.state.message = std::string(wait_message);
    }
    shown.push_back(std::move(container));
  }
  if (IsFinal(status.phase)) {
    ShowEnded(shown, status);
  } else {
    ShowGoingOn(shown);
  }
  return shown;
}

void AddWarnings(const std::vector<std::string>& warnings, std::vector<ContainerStatus>* shown) {
  if (warnings.empty()) return;
  const std::string text = absl::StrCat("ignored: ", absl::StrJoin(warnings, "; "));
  for (ContainerStatus& container : *shown) {
    ContainerState& state = container.state;
    const bool failed = state.kind == Kind::kTerminated && state.exit_code != 0;
    if (state.kind != Kind::kWaiting && !(failed && state.message.empty())) continue;
    absl::StrAppend(&state.message, state.message.empty() ? "" : "; ", text);
  }
}

std::string RenderPodStatus(const JobDescription& job, const JobStatus& status,
                            absl::string_view wait_reason, absl::string_view wait_message,
                            const std::vector<std::string>& warnings) {
  std::vector<ContainerStatus> shown =
      ShownContainers(job.containers, status, wait_reason, wait_message);
  AddWarnings(warnings, &shown);
  return Render(job, shown);
}

std::string RenderNothingStarted(const JobDescription& job) {
  return RenderPodStatus(job, JobStatus{}, "PodInitializing", "");
}

std::string RenderLostPod(const Pod& pod, absl::Time now) {
  const auto not_ours = KeptInCluster(pod, "interlink.eu/disable-offload-containers");
  const auto not_our_inits = KeptInCluster(pod, "interlink.eu/disable-offload-init-containers");
  JobDescription job;
  job.key.uid = pod.metadata.uid;
  job.pod_namespace = pod.metadata.namespace_name;
  job.pod_name = pod.metadata.name;
  for (const Container& init : pod.spec.init_containers) {
    if (!not_our_inits.contains(init.name)) {
      job.containers.push_back({init.name, init.image, /*init=*/true, init.IsSidecar()});
    }
  }
  bool any = false;
  for (const Container& container : pod.spec.containers) {
    if (not_ours.contains(container.name)) continue;
    job.containers.push_back({container.name, container.image, false, false});
    any = true;
  }
  if (!any) return "";
  JobStatus status;
  status.phase = JobPhase::kFailed;
  status.changed_at = now;
  status.message = "no plugin or submitter knows this pod's job any more";
  std::vector<ContainerStatus> shown = ShownContainers(job.containers, status, "", "");
  for (ContainerStatus& container : shown) container.state.reason = "Lost";
  return Render(job, shown);
}

}  // namespace podferry
