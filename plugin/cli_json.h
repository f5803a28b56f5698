// Jobs, pools and timelines as the JSON that `podferry` reads. Pure.

#ifndef PODFERRY_PLUGIN_CLI_JSON_H_
#define PODFERRY_PLUGIN_CLI_JSON_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/json/writer.h"
#include "core/wire/messages.h"
#include "plugin/job_table.h"
#include "plugin/pool_directory.h"

namespace podferry {

// `owner` is what is known of its submitter, or null; `waiting` says why a queued job waits.
void WriteJob(json::Writer& out, const Job& job, const SubmitterInfo* owner,
              const PoolDirectory::WaitReason& waiting, bool with_containers);

void WritePool(json::Writer& out, const PoolInfo& pool, size_t queued);

// Both histories in the order of time; each entry says where it was written down. `submitter_error`
// is why there is none of the submitter, or empty.
std::string RenderTimeline(const JobRecord& record, const std::vector<TimelineEntry>& submitter,
                           absl::string_view submitter_error);

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_CLI_JSON_H_
