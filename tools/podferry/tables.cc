#include "tools/podferry/tables.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace podferry {
namespace {

std::string Text(const json::Value& value, absl::string_view key) {
  return std::string(value.Get(key).StringOr(""));
}

std::string OrDash(std::string text) { return text.empty() ? "-" : text; }

absl::Time TimeOf(const json::Value& value, absl::string_view key) {
  absl::Time time = absl::InfinitePast();
  std::string error;
  absl::ParseTime(absl::RFC3339_full, Text(value, key), &time, &error);
  return time;
}

std::string AgeOf(const json::Value& value, absl::string_view key, absl::Time now) {
  absl::Time time = TimeOf(value, key);
  return time == absl::InfinitePast() ? "-" : FormatAge(now - time);
}

std::string UsedOfTotal(const json::Value& pool, absl::string_view resource) {
  std::string total = Text(pool.Get("capacity"), resource);
  if (total.empty()) return "-";
  std::string used = Text(pool.Get("used"), resource);
  return absl::StrCat(used.empty() ? "0" : used, "/", total);
}

std::string PoolState(const json::Value& pool) {
  if (pool.Get("legacy").BoolOr(false)) return "Legacy";
  if (!pool.Get("reachable").BoolOr(false)) return "Silent";
  return pool.Get("has_config").BoolOr(false) ? "Ready" : "NoConfig";
}

}  // namespace

std::string FormatTable(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    for (size_t i = 0; i + 1 < row.size(); ++i) {
      absl::StrAppendFormat(&out, "%-*s  ", static_cast<int>(widths[i]), row[i]);
    }
    if (!row.empty()) out += row.back();
    out += '\n';
  }
  return out;
}

std::string FormatAge(absl::Duration age) {
  int64_t seconds = std::max<int64_t>(0, absl::ToInt64Seconds(age));
  if (seconds < 120) return absl::StrCat(seconds, "s");
  if (seconds < 3600) return absl::StrCat(seconds / 60, "m", seconds % 60, "s");
  if (seconds < 48 * 3600) return absl::StrCat(seconds / 3600, "h", seconds / 60 % 60, "m");
  return absl::StrCat(seconds / 86400, "d");
}

std::string PoolsTable(const json::Value& answer, absl::Time now) {
  std::vector<std::vector<std::string>> rows = {{"POOL", "STATE", "BACKEND", "SUBMITTERS", "CPU",
                                                 "MEMORY", "PODS", "QUEUED", "HEARD", "PROBLEM"}};
  for (json::Value pool : answer.Get("pools").Items()) {
    json::Range<json::Value> submitters = pool.Get("submitters").Items();
    std::string backend;
    absl::Time heard = absl::InfinitePast();
    for (json::Value submitter : submitters) {
      if (!absl::StrContains(backend, Text(submitter, "backend"))) {
        absl::StrAppend(&backend, backend.empty() ? "" : ",", Text(submitter, "backend"));
      }
      heard = std::max(heard, TimeOf(submitter, "heard"));
    }
    rows.push_back({Text(pool, "name"), PoolState(pool), OrDash(backend),
                    absl::StrCat(submitters.size()), UsedOfTotal(pool, "cpu"),
                    UsedOfTotal(pool, "memory"), UsedOfTotal(pool, "pods"),
                    absl::StrCat(pool.Get("queued").Int64Or(0)),
                    heard == absl::InfinitePast() ? "-" : FormatAge(now - heard),
                    OrDash(Text(pool, "problem"))});
  }
  return FormatTable(rows);
}

std::string JobsTable(const json::Value& answer, absl::Time now) {
  std::vector<std::vector<std::string>> rows = {
      {"NAMESPACE", "NAME", "POOL", "STATE", "AGE", "UID", "WHY"}};
  for (json::Value job : answer.Get("jobs").Items()) {
    std::string state = Text(job, "phase");
    if (job.Get("deleting").BoolOr(false)) state = "Deleting";
    if (job.Get("deleted").BoolOr(false)) state = "Deleted";
    if (!job.Get("reachable").BoolOr(true)) state += "(unheard)";
    std::string why = Text(job, "reason");
    if (std::string message = Text(job, "message"); !message.empty()) {
      absl::StrAppend(&why, why.empty() ? "" : ": ", message);
    }
    for (json::Value warning : job.Get("warnings").Items()) {
      absl::StrAppend(&why, why.empty() ? "ignored: " : "; ", warning.StringOr(""));
    }
    rows.push_back({Text(job, "namespace"), Text(job, "name"), Text(job, "pool"), state,
                    AgeOf(job, "created", now), Text(job, "uid"), OrDash(why)});
  }
  return FormatTable(rows);
}

std::string TraceText(const json::Value& answer) {
  std::vector<std::vector<std::string>> rows = {{"TIME", "AFTER", "WHERE", "EVENT"}};
  absl::Time before = absl::InfinitePast();
  for (json::Value entry : answer.Get("timeline").Items()) {
    absl::Time time = TimeOf(entry, "time");
    std::string after = before == absl::InfinitePast()
                            ? "-"
                            : absl::StrFormat("+%.3fs", absl::ToDoubleSeconds(time - before));
    before = time;
    rows.push_back({Text(entry, "time"), after, Text(entry, "at"), Text(entry, "event")});
  }
  std::string out = FormatTable(rows);
  if (std::string error = Text(answer, "submitter_error"); !error.empty()) {
    absl::StrAppend(&out, "(without the submitter's side: ", error, ")\n");
  }
  return out;
}

std::string ProgressLine(const json::Value& job) {
  std::string line = Text(job, "phase");
  for (const char* key : {"reason", "message"}) {
    if (std::string text = Text(job, key); !text.empty()) absl::StrAppend(&line, ": ", text);
  }
  return line;
}

}  // namespace podferry
