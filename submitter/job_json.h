// Job descriptions and statuses as JSON, for records in the store and for the copy in a sandbox
// that lets a submitter without its records know a job again. Readers take what is there: unknown
// members are ignored, absent ones are defaults; what is wrong becomes an issue of the value.

#ifndef PODFERRY_SUBMITTER_JOB_JSON_H_
#define PODFERRY_SUBMITTER_JOB_JSON_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/job/job_request.h"
#include "core/job/job_status.h"
#include "core/json/value.h"
#include "core/json/writer.h"

namespace podferry {

void WriteDescription(const JobDescription& job, json::Writer& out);
JobDescription ReadDescription(const json::Value& value);

// Without the key, which stands beside it.
void WriteStatus(const JobStatus& status, json::Writer& out);
JobStatus ReadStatus(const json::Value& value, const JobKey& key);

// Nanoseconds since the epoch; a time that is not known (InfinitePast) is not written.
void WriteTime(absl::string_view name, absl::Time time, json::Writer& out);
absl::Time ReadTime(const json::Value& value);

// A description as a text of its own. INVALID_ARGUMENT names what is wrong.
std::string DescriptionToJson(const JobDescription& job);
absl::StatusOr<JobDescription> ParseDescription(absl::string_view text);

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_JOB_JSON_H_
