#include "submitter/job_json.h"

#include <map>
#include <utility>

#include "core/base/issues.h"
#include "core/base/status_macros.h"
#include "core/json/document.h"

namespace podferry {
namespace {

void WriteMap(absl::string_view name, const std::map<std::string, std::string>& map,
              json::Writer& out) {
  if (map.empty()) return;
  out.Key(name);
  out.BeginObject();
  for (const auto& [key, value] : map) out.Field(key, value);
  out.EndObject();
}

std::map<std::string, std::string> ReadMap(const json::Value& value) {
  std::map<std::string, std::string> map;
  for (const json::Member member : value.Members()) {
    map.emplace(member.key, member.value.StringOr(""));
  }
  return map;
}

void WriteText(absl::string_view name, const std::string& text, json::Writer& out) {
  if (!text.empty()) out.Field(name, text);
}

template <typename Number>
void WriteNumber(absl::string_view name, Number number, json::Writer& out) {
  if (number != Number{}) out.Field(name, number);
}

absl::string_view KindName(ContainerState::Kind kind) {
  switch (kind) {
    case ContainerState::Kind::kWaiting:
      return "waiting";
    case ContainerState::Kind::kRunning:
      return "running";
    case ContainerState::Kind::kTerminated:
      return "terminated";
    case ContainerState::Kind::kUnspecified:
      break;
  }
  return "";
}

ContainerState::Kind ParseKind(absl::string_view name) {
  for (const auto kind : {ContainerState::Kind::kWaiting, ContainerState::Kind::kRunning,
                          ContainerState::Kind::kTerminated}) {
    if (name == KindName(kind)) return kind;
  }
  return ContainerState::Kind::kUnspecified;
}

void WriteState(absl::string_view name, const ContainerState& state, json::Writer& out) {
  out.Key(name);
  out.BeginObject();
  out.Field("kind", KindName(state.kind));
  WriteText("reason", state.reason, out);
  WriteText("message", state.message, out);
  WriteTime("started", state.started_at, out);
  WriteTime("finished", state.finished_at, out);
  WriteNumber("exit", state.exit_code, out);
  WriteNumber("signal", state.signal, out);
  out.EndObject();
}

ContainerState ReadState(const json::Value& value) {
  ContainerState state;
  state.kind = ParseKind(value.Get("kind").StringOr(""));
  state.reason = std::string(value.Get("reason").StringOr(""));
  state.message = std::string(value.Get("message").StringOr(""));
  state.started_at = ReadTime(value.Get("started"));
  state.finished_at = ReadTime(value.Get("finished"));
  state.exit_code = value.Get("exit").Int32Or(0);
  state.signal = value.Get("signal").Int32Or(0);
  return state;
}

void WriteContainer(const ContainerStatus& container, json::Writer& out) {
  out.BeginObject();
  out.Field("name", container.name);
  WriteNumber("init", container.init, out);
  WriteNumber("sidecar", container.sidecar, out);
  WriteState("state", container.state, out);
  if (container.last_state.has_value()) WriteState("last", *container.last_state, out);
  WriteNumber("restarts", container.restart_count, out);
  WriteNumber("ready", container.ready, out);
  WriteNumber("starting", container.starting, out);
  WriteText("image", container.image, out);
  WriteText("imageId", container.image_id, out);
  WriteText("containerId", container.container_id, out);
  out.EndObject();
}

ContainerStatus ReadContainer(const json::Value& value) {
  ContainerStatus container;
  container.name = std::string(value.Get("name").RequireString());
  container.init = value.Get("init").BoolOr(false);
  container.sidecar = value.Get("sidecar").BoolOr(false);
  container.state = ReadState(value.Get("state"));
  if (value.Get("last").present()) container.last_state = ReadState(value.Get("last"));
  container.restart_count = value.Get("restarts").Int32Or(0);
  container.ready = value.Get("ready").BoolOr(false);
  container.starting = value.Get("starting").BoolOr(false);
  container.image = std::string(value.Get("image").StringOr(""));
  container.image_id = std::string(value.Get("imageId").StringOr(""));
  container.container_id = std::string(value.Get("containerId").StringOr(""));
  return container;
}

}  // namespace

void WriteTime(absl::string_view name, absl::Time time, json::Writer& out) {
  if (time != absl::InfinitePast()) out.Field(name, absl::ToUnixNanos(time));
}

absl::Time ReadTime(const json::Value& value) {
  return value.present() ? absl::FromUnixNanos(value.Int64Or(0)) : absl::InfinitePast();
}

void WriteDescription(const JobDescription& job, json::Writer& out) {
  out.BeginObject();
  out.Field("origin", job.key.origin);
  out.Field("uid", job.key.uid);
  WriteText("namespace", job.pod_namespace, out);
  WriteText("name", job.pod_name, out);
  WriteText("pool", job.pool, out);
  if (!job.containers.empty()) {
    out.Key("containers");
    out.BeginArray();
    for (const ContainerSummary& container : job.containers) {
      out.BeginObject();
      out.Field("name", container.name);
      WriteText("image", container.image, out);
      WriteNumber("init", container.init, out);
      WriteNumber("sidecar", container.sidecar, out);
      out.EndObject();
    }
    out.EndArray();
  }
  WriteMap("resources", job.resources, out);
  WriteMap("annotations", job.annotations, out);
  out.Field("grace", absl::ToInt64Nanoseconds(job.grace));
  if (job.deadline != absl::InfiniteDuration()) {
    out.Field("deadline", absl::ToInt64Nanoseconds(job.deadline));
  }
  out.EndObject();
}

JobDescription ReadDescription(const json::Value& value) {
  JobDescription job;
  job.key.origin = std::string(value.Get("origin").RequireString());
  job.key.uid = std::string(value.Get("uid").RequireString());
  if (!IsKeyPart(job.key.origin)) value.Get("origin").AddIssue("want a part of a job's key");
  if (!IsKeyPart(job.key.uid)) value.Get("uid").AddIssue("want a part of a job's key");
  job.pod_namespace = std::string(value.Get("namespace").StringOr(""));
  job.pod_name = std::string(value.Get("name").StringOr(""));
  job.pool = std::string(value.Get("pool").StringOr(""));
  for (const json::Value container : value.Get("containers").Items()) {
    job.containers.push_back({.name = std::string(container.Get("name").RequireString()),
                              .image = std::string(container.Get("image").StringOr("")),
                              .init = container.Get("init").BoolOr(false),
                              .sidecar = container.Get("sidecar").BoolOr(false)});
  }
  job.resources = ReadMap(value.Get("resources"));
  job.annotations = ReadMap(value.Get("annotations"));
  job.grace = absl::Nanoseconds(value.Get("grace").Int64Or(absl::ToInt64Nanoseconds(job.grace)));
  if (value.Get("deadline").present()) {
    job.deadline = absl::Nanoseconds(value.Get("deadline").Int64Or(0));
  }
  return job;
}

void WriteStatus(const JobStatus& status, json::Writer& out) {
  out.BeginObject();
  out.Field("phase", ToString(status.phase));
  if (status.failure != FailureReason::kUnspecified) {
    out.Field("failure", ToString(status.failure));
  }
  WriteText("message", status.message, out);
  WriteText("backendJobId", status.backend_job_id, out);
  WriteTime("changed", status.changed_at, out);
  if (!status.containers.empty()) {
    out.Key("containers");
    out.BeginArray();
    for (const ContainerStatus& container : status.containers) WriteContainer(container, out);
    out.EndArray();
  }
  out.EndObject();
}

JobStatus ReadStatus(const json::Value& value, const JobKey& key) {
  JobStatus status;
  status.key = key;
  status.phase = ParseJobPhase(value.Get("phase").StringOr(""));
  status.failure = ParseFailureReason(value.Get("failure").StringOr(""));
  status.message = std::string(value.Get("message").StringOr(""));
  status.backend_job_id = std::string(value.Get("backendJobId").StringOr(""));
  status.changed_at = ReadTime(value.Get("changed"));
  for (const json::Value container : value.Get("containers").Items()) {
    status.containers.push_back(ReadContainer(container));
  }
  return status;
}

std::string DescriptionToJson(const JobDescription& job) {
  std::string text;
  json::Writer out(&text);
  WriteDescription(job, out);
  return text;
}

absl::StatusOr<JobDescription> ParseDescription(absl::string_view text) {
  PODFERRY_ASSIGN_OR_RETURN(const json::Document document, json::Document::Parse(text));
  Issues issues;
  JobDescription job = ReadDescription(document.Root(&issues).RequireObject());
  PODFERRY_RETURN_IF_ERROR(issues.ToStatus());
  return job;
}

}  // namespace podferry
