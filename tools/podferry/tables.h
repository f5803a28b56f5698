#ifndef PODFERRY_TOOLS_PODFERRY_TABLES_H_
#define PODFERRY_TOOLS_PODFERRY_TABLES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/json/value.h"

// The plugin's JSON (its cli_api.h) as text for people. Pure.
namespace podferry {

// Columns padded to their widest cell, two spaces between; the last one is not padded.
std::string FormatTable(const std::vector<std::vector<std::string>>& rows);

// "5s", "3m20s", "4h5m", "12d": as kubectl shows an age.
std::string FormatAge(absl::Duration age);

std::string PoolsTable(const json::Value& answer, absl::Time now);
std::string JobsTable(const json::Value& answer, absl::Time now);
std::string TraceText(const json::Value& answer);

// One line on where a job stands: "Queued: NoSubmitter: no submitter of pool ...".
std::string ProgressLine(const json::Value& job);

}  // namespace podferry

#endif  // PODFERRY_TOOLS_PODFERRY_TABLES_H_
