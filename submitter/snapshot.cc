#include "submitter/snapshot.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/job/job_key.h"

namespace podferry {
namespace {

struct Token {
  uint64_t number = 0;
  JobKey after;
};

std::optional<Token> ParseToken(const std::string& text) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits(':', 1));
  Token token;
  absl::StatusOr<JobKey> after = ParseJobKey(parts.second);
  if (!after.ok() || !absl::SimpleAtoi(parts.first, &token.number)) return std::nullopt;
  token.after = *std::move(after);
  return token;
}

// About what it takes on the wire before compression.
size_t SizeOf(const JobRecord& record) {
  size_t size = 512 + record.status.message.size();
  for (const ContainerStatus& container : record.status.containers) {
    size += 256 + 2 * container.image.size() + 2 * container.name.size() +
            container.state.message.size();
  }
  for (const auto& [name, value] : record.job.annotations) size += name.size() + value.size();
  for (const auto& [name, value] : record.job.resources) size += name.size() + value.size();
  return size;
}

}  // namespace

SyncReply SnapshotPage(const Records& records, const SyncRequest& request, uint64_t last_number,
                       size_t max_bytes) {
  const std::optional<Token> token = ParseToken(request.page_token);
  SyncReply page{.by = records.self(), .last_number = token ? token->number : last_number};
  size_t size = 0;
  const std::optional<JobKey> after =
      token.has_value() ? std::optional<JobKey>(token->after) : std::nullopt;
  records.ForEachAfter(after, [&](const JobRecord& record) {
    const bool ours = record.job.key.origin == request.from.origin && record.state.HasStarted() &&
                      !record.state.tombstone;
    if (!ours) return true;
    size += SizeOf(record);
    if (size > max_bytes && !page.jobs.empty()) {
      page.next_page_token = absl::StrCat(page.last_number, ":", page.jobs.back().key.FileName());
      return false;
    }
    page.statuses.push_back(record.status);
    page.jobs.push_back(record.job);
    return true;
  });
  return page;
}

}  // namespace podferry
