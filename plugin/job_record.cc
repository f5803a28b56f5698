#include "plugin/job_record.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/issues.h"
#include "core/json/document.h"
#include "core/json/value.h"
#include "core/json/writer.h"

namespace podferry {
namespace {

constexpr int kVersion = 1;

// Times are nanoseconds since the epoch; one that is not known is left out.
void WriteTime(json::Writer& out, absl::string_view key, absl::Time time) {
  if (time != absl::InfinitePast() && time != absl::InfiniteFuture()) {
    out.Field(key, absl::ToUnixNanos(time));
  }
}

absl::Time ReadTime(const json::Value& value, absl::Time unknown) {
  return value.present() ? absl::FromUnixNanos(value.Int64Or(0)) : unknown;
}

void WriteText(json::Writer& out, absl::string_view key, const std::string& text) {
  if (!text.empty()) out.Field(key, text);
}

std::string Text(const json::Value& value) { return std::string(value.StringOr("")); }

template <typename Number>
void WriteNumber(json::Writer& out, absl::string_view key, Number number) {
  if (number != Number{}) out.Field(key, number);
}

uint64_t ReadCount(const json::Value& value) {
  const int64_t number = value.Int64Or(0);
  if (number < 0) value.AddIssue("want a number from 0");
  return number < 0 ? 0 : static_cast<uint64_t>(number);
}

void WriteMap(json::Writer& out, absl::string_view key,
              const std::map<std::string, std::string>& map) {
  if (map.empty()) return;
  out.Key(key);
  out.BeginObject();
  for (const auto& [name, value] : map) out.Field(name, value);
  out.EndObject();
}

std::map<std::string, std::string> ReadMap(const json::Value& value) {
  std::map<std::string, std::string> map;
  for (const json::Member member : value.Members()) {
    map.emplace(member.key, Text(member.value));
  }
  return map;
}

void WriteDescription(json::Writer& out, const JobDescription& job) {
  out.Field("origin", job.key.origin);
  out.Field("uid", job.key.uid);
  out.Field("namespace", job.pod_namespace);
  out.Field("name", job.pod_name);
  out.Field("pool", job.pool);
  out.Key("containers");
  out.BeginArray();
  for (const ContainerSummary& container : job.containers) {
    out.BeginObject();
    out.Field("name", container.name);
    WriteText(out, "image", container.image);
    WriteNumber(out, "init", container.init);
    WriteNumber(out, "sidecar", container.sidecar);
    out.EndObject();
  }
  out.EndArray();
  WriteMap(out, "resources", job.resources);
  WriteMap(out, "annotations", job.annotations);
  out.Field("grace", absl::ToInt64Nanoseconds(job.grace));
  if (job.deadline != absl::InfiniteDuration()) {
    out.Field("deadline", absl::ToInt64Nanoseconds(job.deadline));
  }
}

JobDescription ReadDescription(const json::Value& value) {
  JobDescription job;
  job.key.origin = std::string(value.Get("origin").RequireString());
  job.key.uid = std::string(value.Get("uid").RequireString());
  job.pod_namespace = Text(value.Get("namespace"));
  job.pod_name = Text(value.Get("name"));
  job.pool = Text(value.Get("pool"));
  for (const json::Value container : value.Get("containers").Items()) {
    job.containers.push_back({std::string(container.Get("name").RequireString()),
                              Text(container.Get("image")), container.Get("init").BoolOr(false),
                              container.Get("sidecar").BoolOr(false)});
  }
  job.resources = ReadMap(value.Get("resources"));
  job.annotations = ReadMap(value.Get("annotations"));
  job.grace = absl::Nanoseconds(value.Get("grace").Int64Or(absl::ToInt64Nanoseconds(job.grace)));
  if (value.Get("deadline").present()) {
    job.deadline = absl::Nanoseconds(value.Get("deadline").Int64Or(0));
  }
  if (!IsKeyPart(job.key.origin)) value.Get("origin").AddIssue("want a part of a job's key");
  if (!IsKeyPart(job.key.uid)) value.Get("uid").AddIssue("want a part of a job's key");
  return job;
}

void WriteState(json::Writer& out, const ContainerState& state) {
  out.BeginObject();
  out.Field("kind", static_cast<int>(state.kind));
  WriteText(out, "reason", state.reason);
  WriteText(out, "message", state.message);
  WriteTime(out, "started", state.started_at);
  WriteTime(out, "finished", state.finished_at);
  WriteNumber(out, "exit", state.exit_code);
  WriteNumber(out, "signal", state.signal);
  out.EndObject();
}

ContainerState ReadState(const json::Value& value) {
  ContainerState state;
  const int kind = value.Get("kind").Int32Or(0);
  if (kind < 0 || kind > static_cast<int>(ContainerState::Kind::kTerminated)) {
    value.Get("kind").AddIssue("want 0 to 3");
  } else {
    state.kind = static_cast<ContainerState::Kind>(kind);
  }
  state.reason = Text(value.Get("reason"));
  state.message = Text(value.Get("message"));
  state.started_at = ReadTime(value.Get("started"), absl::InfinitePast());
  state.finished_at = ReadTime(value.Get("finished"), absl::InfinitePast());
  state.exit_code = value.Get("exit").Int32Or(0);
  state.signal = value.Get("signal").Int32Or(0);
  return state;
}

void WriteContainer(json::Writer& out, const ContainerStatus& container) {
  out.BeginObject();
  out.Field("name", container.name);
  WriteNumber(out, "init", container.init);
  WriteNumber(out, "sidecar", container.sidecar);
  out.Key("state");
  WriteState(out, container.state);
  if (container.last_state.has_value()) {
    out.Key("last");
    WriteState(out, *container.last_state);
  }
  WriteNumber(out, "restarts", container.restart_count);
  WriteNumber(out, "ready", container.ready);
  WriteNumber(out, "starting", container.starting);
  WriteText(out, "image", container.image);
  WriteText(out, "image_id", container.image_id);
  WriteText(out, "container_id", container.container_id);
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
  container.image = Text(value.Get("image"));
  container.image_id = Text(value.Get("image_id"));
  container.container_id = Text(value.Get("container_id"));
  return container;
}

void WriteStatus(json::Writer& out, const JobStatus& status) {
  out.BeginObject();
  out.Field("phase", ToString(status.phase));
  if (status.failure != FailureReason::kUnspecified) out.Field("failure", ToString(status.failure));
  WriteText(out, "message", status.message);
  WriteText(out, "backend_job", status.backend_job_id);
  WriteTime(out, "changed", status.changed_at);
  out.Key("containers");
  out.BeginArray();
  for (const ContainerStatus& container : status.containers) WriteContainer(out, container);
  out.EndArray();
  out.EndObject();
}

JobStatus ReadStatus(const json::Value& value) {
  JobStatus status;
  status.phase = ParseJobPhase(value.Get("phase").RequireString());
  if (status.phase == JobPhase::kUnspecified) value.Get("phase").AddIssue("unknown phase");
  status.failure = ParseFailureReason(value.Get("failure").StringOr(""));
  status.message = Text(value.Get("message"));
  status.backend_job_id = Text(value.Get("backend_job"));
  status.changed_at = ReadTime(value.Get("changed"), absl::InfinitePast());
  for (const json::Value container : value.Get("containers").Items()) {
    status.containers.push_back(ReadContainer(container));
  }
  return status;
}

void WriteTombstone(json::Writer& out, const Tombstone& tombstone) {
  out.BeginObject();
  WriteTime(out, "requested", tombstone.requested_at);
  WriteTime(out, "confirmed", tombstone.confirmed_at);
  out.Field("grace", absl::ToInt64Nanoseconds(tombstone.grace));
  WriteText(out, "why", tombstone.why);
  out.EndObject();
}

Tombstone ReadTombstone(const json::Value& value) {
  Tombstone tombstone;
  tombstone.requested_at = ReadTime(value.Get("requested"), absl::UnixEpoch());
  tombstone.confirmed_at = ReadTime(value.Get("confirmed"), absl::InfiniteFuture());
  tombstone.grace = absl::Nanoseconds(value.Get("grace").Int64Or(0));
  tombstone.why = Text(value.Get("why"));
  return tombstone;
}

void WriteDispatch(json::Writer& out, const JobRecord& record) {
  WriteNumber(out, "round", record.round);
  if (!record.warnings.empty()) {
    out.Key("warnings");
    out.BeginArray();
    for (const std::string& warning : record.warnings) out.String(warning);
    out.EndArray();
  }
  WriteText(out, "digest", record.digest);
  WriteNumber(out, "size", record.script_size);
  WriteText(out, "owner", record.owner);
  WriteNumber(out, "owner_epoch", record.owner_epoch);
  WriteText(out, "owner_backend", record.owner_backend);
  WriteNumber(out, "started", record.started);
  WriteNumber(out, "status_epoch", record.status_epoch);
  WriteNumber(out, "status_number", record.status_number);
}

void ReadDispatch(const json::Value& value, JobRecord& record) {
  record.round = static_cast<uint32_t>(ReadCount(value.Get("round")));
  for (const json::Value warning : value.Get("warnings").Items()) {
    record.warnings.push_back(Text(warning));
  }
  record.digest = Text(value.Get("digest"));
  record.script_size = ReadCount(value.Get("size"));
  record.owner = Text(value.Get("owner"));
  record.owner_epoch = ReadCount(value.Get("owner_epoch"));
  record.owner_backend = Text(value.Get("owner_backend"));
  record.started = value.Get("started").BoolOr(false);
  record.status_epoch = ReadCount(value.Get("status_epoch"));
  record.status_number = ReadCount(value.Get("status_number"));
}

JobSource ReadSource(const json::Value& value) {
  const int source = value.Int32Or(0);
  if (source < 0 || source > static_cast<int>(JobSource::kRecovered)) {
    value.AddIssue("want 0 to 2");
    return JobSource::kInterLink;
  }
  return static_cast<JobSource>(source);
}

}  // namespace

void JobRecord::Note(absl::Time time, std::string event) {
  if (timeline.size() >= kMaxTimeline) timeline.erase(timeline.begin() + 1);
  timeline.push_back({time, std::move(event)});
}

std::string ToJson(const JobRecord& record) {
  std::string text;
  json::Writer out(&text);
  out.BeginObject();
  out.Field("version", kVersion);
  WriteDescription(out, record.job);
  WriteNumber(out, "source", static_cast<int>(record.source));
  WriteTime(out, "created", record.created_at);
  WriteDispatch(out, record);
  out.Key("status");
  WriteStatus(out, record.status);
  if (record.tombstone.has_value()) {
    out.Key("tombstone");
    WriteTombstone(out, *record.tombstone);
  }
  out.Key("timeline");
  out.BeginArray();
  for (const TimelineEntry& entry : record.timeline) {
    out.BeginArray();
    out.Int(absl::ToUnixNanos(entry.time));
    out.String(entry.event);
    out.EndArray();
  }
  out.EndArray();
  out.EndObject();
  return text;
}

absl::StatusOr<JobRecord> ParseJobRecord(absl::string_view text) {
  absl::StatusOr<json::Document> document = json::Document::Parse(text);
  if (!document.ok()) return absl::DataLossError(document.status().message());
  Issues issues;
  const json::Value root = document->Root(&issues).RequireObject();
  if (root.Get("version").Int32Or(kVersion) > kVersion) {
    root.Get("version").AddIssue("written by a newer podferry");
  }
  JobRecord record;
  record.job = ReadDescription(root);
  record.source = ReadSource(root.Get("source"));
  record.created_at = ReadTime(root.Get("created"), absl::UnixEpoch());
  ReadDispatch(root, record);
  record.status = ReadStatus(root.Get("status"));
  record.status.key = record.job.key;
  if (root.Get("tombstone").present()) record.tombstone = ReadTombstone(root.Get("tombstone"));
  for (const json::Value entry : root.Get("timeline").Items()) {
    const auto parts = entry.Items();
    if (parts.size() != 2) {
      entry.AddIssue("want a time and a text");
      continue;
    }
    record.timeline.push_back({absl::FromUnixNanos(parts[0].Int64Or(0)), Text(parts[1])});
  }
  if (!issues.empty()) return absl::DataLossError(issues.ToString());
  return record;
}

}  // namespace podferry
