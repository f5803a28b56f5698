#include "submitter/job_record.h"

#include <utility>

#include "core/base/issues.h"
#include "core/base/status_macros.h"
#include "core/json/document.h"
#include "core/json/value.h"
#include "core/json/writer.h"
#include "submitter/job_json.h"

namespace podferry {
namespace {

uint32_t ReadRound(const json::Value& value) {
  const int64_t round = value.Int64Or(0);
  if (round < 0 || round > UINT32_MAX) value.AddIssue("want a number of 32 bits");
  return static_cast<uint32_t>(round);
}

void WriteFlag(absl::string_view name, bool flag, json::Writer& out) {
  if (flag) out.Field(name, flag);
}

void WriteRound(absl::string_view name, uint32_t round, json::Writer& out) {
  if (round != 0) out.Field(name, round);
}

void WriteTimeline(const std::vector<TimelineEntry>& timeline, json::Writer& out) {
  out.Key("timeline");
  out.BeginArray();
  for (const TimelineEntry& entry : timeline) {
    out.BeginObject();
    WriteTime("time", entry.time, out);
    out.Field("event", entry.event);
    out.EndObject();
  }
  out.EndArray();
}

}  // namespace

void JobRecord::Note(absl::Time time, std::string event) {
  timeline.push_back({.time = time, .event = std::move(event)});
  if (timeline.size() > kMaxTimeline) timeline.erase(timeline.begin() + 1);
}

bool IsLive(const JobRecord& record) {
  return record.state.HasStarted() && !record.state.tombstone && !IsFinal(record.status.phase);
}

bool IsOnlyRefusal(const JobRecord& record) {
  if (record.state.tombstone) return record.gone;
  return !record.state.HasStarted() && record.state.reserved == 0;
}

JobStatus FreshStatus(const JobDescription& job, absl::Time now) {
  JobStatus status;
  status.key = job.key;
  status.phase = JobPhase::kSubmitted;
  status.changed_at = now;
  for (const ContainerSummary& container : job.containers) {
    ContainerStatus& added = status.containers.emplace_back();
    added.name = container.name;
    added.image = container.image;
    added.init = container.init;
    added.sidecar = container.sidecar;
    added.state.kind = ContainerState::Kind::kWaiting;
    added.state.reason = "ContainerCreating";
  }
  return status;
}

std::string RecordToJson(const JobRecord& record) {
  std::string text;
  json::Writer out(&text);
  out.BeginObject();
  out.Key("job");
  WriteDescription(record.job, out);
  WriteRound("reserved", record.state.reserved, out);
  WriteRound("refusedUpTo", record.state.refused_up_to, out);
  WriteRound("started", record.state.started, out);
  WriteFlag("found", record.state.found, out);
  WriteFlag("tombstone", record.state.tombstone, out);
  if (!record.digest.empty()) out.Field("digest", record.digest);
  if (record.size != 0) out.Field("size", record.size);
  WriteFlag("scriptHere", record.script_here, out);
  WriteFlag("submitted", record.submitted, out);
  if (record.status.phase != JobPhase::kUnspecified) {
    out.Key("status");
    WriteStatus(record.status, out);
  }
  if (record.state.tombstone) {
    out.Field("deleteGrace", absl::ToInt64Nanoseconds(record.delete_grace));
  }
  WriteFlag("gone", record.gone, out);
  WriteTime("touched", record.touched, out);
  out.Field("epoch", record.epoch);
  WriteTimeline(record.timeline, out);
  out.EndObject();
  return text;
}

absl::StatusOr<JobRecord> ParseRecord(absl::string_view text) {
  PODFERRY_ASSIGN_OR_RETURN(const json::Document document, json::Document::Parse(text));
  Issues issues;
  const json::Value root = document.Root(&issues).RequireObject();
  JobRecord record;
  record.job = ReadDescription(root.Get("job").RequireObject());
  record.state.reserved = ReadRound(root.Get("reserved"));
  record.state.refused_up_to = ReadRound(root.Get("refusedUpTo"));
  record.state.started = ReadRound(root.Get("started"));
  record.state.found = root.Get("found").BoolOr(false);
  record.state.tombstone = root.Get("tombstone").BoolOr(false);
  record.digest = std::string(root.Get("digest").StringOr(""));
  record.size = static_cast<uint64_t>(root.Get("size").Int64Or(0));
  record.script_here = root.Get("scriptHere").BoolOr(false);
  record.submitted = root.Get("submitted").BoolOr(false);
  record.status.key = record.job.key;
  if (root.Get("status").present()) {
    record.status = ReadStatus(root.Get("status"), record.job.key);
  }
  const int64_t grace =
      root.Get("deleteGrace").Int64Or(absl::ToInt64Nanoseconds(record.delete_grace));
  record.delete_grace = absl::Nanoseconds(grace);
  record.gone = root.Get("gone").BoolOr(false);
  record.touched = ReadTime(root.Get("touched"));
  record.epoch = static_cast<uint64_t>(root.Get("epoch").Int64Or(0));
  for (const json::Value entry : root.Get("timeline").Items()) {
    record.timeline.push_back({.time = ReadTime(entry.Get("time")),
                               .event = std::string(entry.Get("event").StringOr(""))});
  }
  PODFERRY_RETURN_IF_ERROR(issues.ToStatus());
  return record;
}

}  // namespace podferry
