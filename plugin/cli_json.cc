#include "plugin/cli_json.h"

#include <algorithm>
#include <map>

#include "absl/time/time.h"
#include "plugin/status_mapper.h"

namespace podferry {
namespace {

void WriteTime(json::Writer& out, absl::string_view key, absl::Time time) {
  if (time == absl::InfinitePast() || time == absl::InfiniteFuture()) return;
  out.Field(key, absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", time, absl::UTCTimeZone()));
}

absl::string_view SourceName(JobSource source) {
  switch (source) {
    case JobSource::kInterLink:
      return "interlink";
    case JobSource::kCli:
      return "cli";
    case JobSource::kRecovered:
      return "recovered";
  }
  return "";
}

absl::string_view StateName(ContainerState::Kind kind) {
  switch (kind) {
    case ContainerState::Kind::kUnspecified:
    case ContainerState::Kind::kWaiting:
      return "waiting";
    case ContainerState::Kind::kRunning:
      return "running";
    case ContainerState::Kind::kTerminated:
      return "terminated";
  }
  return "";
}

void WriteContainer(json::Writer& out, const ContainerStatus& container) {
  const ContainerState& state = container.state;
  out.BeginObject();
  out.Field("name", container.name);
  out.Field("init", container.init);
  out.Field("state", StateName(state.kind));
  out.Field("reason", state.reason);
  out.Field("message", state.message);
  out.Field("restarts", container.restart_count);
  if (state.kind == ContainerState::Kind::kTerminated) out.Field("exit_code", state.exit_code);
  WriteTime(out, "started", state.started_at);
  WriteTime(out, "finished", state.finished_at);
  out.EndObject();
}

void WriteQuantities(json::Writer& out, absl::string_view key,
                     const std::map<std::string, std::string>& quantities) {
  out.Key(key);
  out.BeginObject();
  for (const auto& [resource, quantity] : quantities) out.Field(resource, quantity);
  out.EndObject();
}

void WriteStrings(json::Writer& out, absl::string_view key,
                  const std::vector<std::string>& strings) {
  out.Key(key);
  out.BeginArray();
  for (const std::string& text : strings) out.String(text);
  out.EndArray();
}

absl::string_view FarewellName(Farewell farewell) {
  switch (farewell) {
    case Farewell::kUnspecified:
      return "";
    case Farewell::kRestart:
      return "restart";
    case Farewell::kDrain:
      return "drain";
  }
  return "";
}

void WriteSubmitter(json::Writer& out, const SubmitterInfo& submitter) {
  out.BeginObject();
  out.Field("id", submitter.id);
  out.Field("epoch", submitter.epoch);
  out.Field("backend", submitter.backend);
  out.Field("backend_id", submitter.backend_id);
  out.Field("jobs", submitter.report.jobs);
  out.Field("reachable", submitter.reported && !submitter.silent() &&
                             submitter.farewell == Farewell::kUnspecified);
  out.Field("farewell", FarewellName(submitter.farewell));
  out.Field("silent_seconds", absl::ToInt64Seconds(submitter.silent_for));
  WriteTime(out, "heard", submitter.heard_at);
  out.EndObject();
}

}  // namespace

void WriteJob(json::Writer& out, const Job& job, const SubmitterInfo* owner,
              const PoolDirectory::WaitReason& waiting, bool with_containers) {
  const JobRecord& record = job.record;
  const JobStatus& status = record.status;
  const bool queued = status.phase == JobPhase::kQueued;
  out.BeginObject();
  out.Field("uid", record.job.key.uid);
  out.Field("key", record.job.key.ToString());
  out.Field("namespace", record.job.pod_namespace);
  out.Field("name", record.job.pod_name);
  out.Field("pool", record.job.pool);
  out.Field("source", SourceName(record.source));
  out.Field("phase", ToString(status.phase));
  out.Field("reason", queued ? absl::string_view(waiting.reason)
                      : status.failure == FailureReason::kUnspecified ? absl::string_view()
                                                                      : ToString(status.failure));
  out.Field("message", queued ? waiting.message : status.message);
  WriteStrings(out, "warnings", record.warnings);
  out.Field("submitter", record.owner);
  out.Field("backend_job", status.backend_job_id);
  out.Field("round", record.round);
  out.Field("reachable", owner == nullptr || !owner->silent());
  out.Field("deleting", record.deleting());
  out.Field("deleted", record.tombstone.has_value() && record.tombstone->confirmed());
  WriteTime(out, "created", record.created_at);
  WriteTime(out, "changed", status.changed_at);
  out.Key("containers");
  out.BeginArray();
  if (with_containers) {
    for (const ContainerStatus& container :
         ShownContainers(record.job.containers, status, waiting.reason, waiting.message)) {
      WriteContainer(out, container);
    }
  } else {
    for (const ContainerSummary& container : record.job.containers) out.String(container.name);
  }
  out.EndArray();
  out.EndObject();
}

void WritePool(json::Writer& out, const PoolInfo& pool, size_t queued) {
  const ResourceReport* const report = pool.report();
  out.BeginObject();
  out.Field("name", pool.name);
  out.Field("reachable", pool.live());
  out.Field("legacy", pool.legacy);
  std::string problem = pool.problem;
  if (pool.legacy) {
    problem =
        "served by the Python original: its quotas are shown as zero; start podferry's "
        "submitter there, with a NATS prefix of its own";
  } else if (!pool.config_error.empty()) {
    problem = "its BuildConfig cannot be read: " + pool.config_error;
  } else if (pool.disagreement()) {
    problem = "its submitters report different capacities";
  }
  out.Field("problem", problem);
  WriteQuantities(out, "capacity",
                  report == nullptr ? std::map<std::string, std::string>{} : report->capacity);
  WriteQuantities(out, "used",
                  report == nullptr ? std::map<std::string, std::string>{} : report->used);
  WriteStrings(out, "labels", report == nullptr ? std::vector<std::string>{} : report->labels);
  WriteStrings(out, "taints", report == nullptr ? std::vector<std::string>{} : report->taints);
  out.Field("has_config", pool.config != nullptr);
  WriteTime(out, "config_time", pool.config_time);
  out.Field("queued", queued);
  out.Key("submitters");
  out.BeginArray();
  for (const auto& [id, submitter] : pool.submitters) WriteSubmitter(out, submitter);
  out.EndArray();
  if (pool.legacy) {
    out.Key("legacy_quotas");
    out.Raw(pool.legacy_quotas);
  }
  out.EndObject();
}

std::string RenderTimeline(const JobRecord& record, const std::vector<TimelineEntry>& submitter,
                           absl::string_view submitter_error) {
  struct Line {
    const TimelineEntry* entry;
    absl::string_view at;
  };
  std::vector<Line> lines;
  for (const TimelineEntry& entry : record.timeline) lines.push_back({&entry, "plugin"});
  for (const TimelineEntry& entry : submitter) lines.push_back({&entry, "submitter"});
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.entry->time < b.entry->time; });
  std::string text;
  json::Writer out(&text);
  out.BeginObject();
  out.Field("uid", record.job.key.uid);
  out.Field("key", record.job.key.ToString());
  out.Field("phase", ToString(record.status.phase));
  out.Field("submitter", record.owner);
  out.Field("submitter_error", submitter_error);
  out.Key("timeline");
  out.BeginArray();
  for (const Line& line : lines) {
    out.BeginObject();
    WriteTime(out, "time", line.entry->time);
    out.Field("at", line.at);
    out.Field("event", line.entry->event);
    out.EndObject();
  }
  out.EndArray();
  out.EndObject();
  return text;
}

}  // namespace podferry
