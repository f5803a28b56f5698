#include "plugin/pool_info.h"

#include <algorithm>
#include <utility>

#include "core/base/issues.h"
#include "core/json/document.h"
#include "core/json/value.h"
#include "core/json/writer.h"
#include "core/pool/build_config_toml.h"

namespace podferry {
namespace {

SubmitterInfo ReadSubmitter(const json::Value& value) {
  SubmitterInfo submitter;
  submitter.id = std::string(value.Get("id").RequireString());
  submitter.epoch = static_cast<uint64_t>(std::max<int64_t>(0, value.Get("epoch").Int64Or(0)));
  submitter.backend = std::string(value.Get("backend").StringOr(""));
  submitter.backend_id = std::string(value.Get("backend_id").StringOr(""));
  submitter.silent_for =
      absl::Seconds(std::max<int64_t>(0, value.Get("silent_seconds").Int64Or(0)));
  return submitter;
}

void WriteSubmitter(json::Writer& out, const SubmitterInfo& submitter) {
  out.BeginObject();
  out.Field("id", submitter.id);
  out.Field("epoch", submitter.epoch);
  out.Field("backend", submitter.backend);
  out.Field("backend_id", submitter.backend_id);
  out.Field("silent_seconds", absl::ToInt64Seconds(submitter.silent_for));
  out.EndObject();
}

}  // namespace

bool PoolInfo::live() const { return report() != nullptr; }

const ResourceReport* PoolInfo::report() const {
  const ResourceReport* newest = nullptr;
  for (const auto& [id, submitter] : submitters) {
    if (!submitter.reported || submitter.silent() || submitter.farewell != Farewell::kUnspecified) {
      continue;
    }
    if (newest == nullptr || submitter.report.time > newest->time) newest = &submitter.report;
  }
  return newest;
}

bool PoolInfo::disagreement() const {
  const ResourceReport* const newest = report();
  if (newest == nullptr) return false;
  return std::any_of(submitters.begin(), submitters.end(), [newest](const auto& entry) {
    const SubmitterInfo& submitter = entry.second;
    return submitter.reported && !submitter.silent() &&
           submitter.farewell == Farewell::kUnspecified &&
           submitter.report.capacity != newest->capacity;
  });
}

absl::Duration PoolInfo::silent_for() const {
  absl::Duration shortest = absl::InfiniteDuration();
  for (const auto& [id, submitter] : submitters) {
    shortest = std::min(shortest, submitter.silent_for);
  }
  return shortest;
}

bool PoolInfo::left() const {
  return std::all_of(submitters.begin(), submitters.end(), [](const auto& submitter) {
    return submitter.second.farewell != Farewell::kUnspecified;
  });
}

void PoolInfo::SetConfig(std::string text, absl::Time time) {
  BuildConfigReading reading = ReadBuildConfig(text, NoEnvironment);
  config_time = time;
  if (!reading.errors.empty()) {
    config_error = reading.errors.ToString();
    return;
  }
  config_text = std::move(text);
  config_error.clear();
  config = std::make_shared<const BuildConfig>(std::move(reading.config));
}

std::string ToJson(const PoolInfo& pool) {
  std::string text;
  json::Writer out(&text);
  out.BeginObject();
  out.Field("version", 1);
  out.Field("config", pool.config_text);
  if (pool.config != nullptr) out.Field("config_time", absl::ToUnixNanos(pool.config_time));
  out.Key("submitters");
  out.BeginArray();
  for (const auto& [id, submitter] : pool.submitters) WriteSubmitter(out, submitter);
  out.EndArray();
  out.EndObject();
  return text;
}

absl::StatusOr<PoolInfo> ParsePoolInfo(absl::string_view name, absl::string_view text) {
  absl::StatusOr<json::Document> document = json::Document::Parse(text);
  if (!document.ok()) return absl::DataLossError(document.status().message());
  Issues issues;
  const json::Value root = document->Root(&issues).RequireObject();
  PoolInfo pool;
  pool.name = std::string(name);
  const json::Value time = root.Get("config_time");
  if (time.present()) {
    pool.SetConfig(std::string(root.Get("config").StringOr("")),
                   absl::FromUnixNanos(time.Int64Or(0)));
  }
  for (const json::Value value : root.Get("submitters").Items()) {
    SubmitterInfo submitter = ReadSubmitter(value);
    if (!submitter.id.empty()) pool.submitters[submitter.id] = std::move(submitter);
  }
  if (!issues.empty()) return absl::DataLossError(issues.ToString());
  return pool;
}

}  // namespace podferry
