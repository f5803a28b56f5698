#include "plugin/snapshot_fetcher.h"

#include "absl/time/time.h"
#include "core/wire/codec.h"
#include "glog/logging.h"

namespace podferry {
namespace {

constexpr absl::Duration kPageTimeout = absl::Seconds(10);

}  // namespace

void SnapshotFetcher::Fetch(const std::string& pool, const std::string& submitter) {
  const Key key(pool, submitter);
  if (under_way_.emplace(key, Progress{}).second) Ask(key, "");
}

void SnapshotFetcher::Ask(const Key& key, std::string page_token) {
  bus_.Request(
      subjects_.Sync(key.first),
      wire::Encode(SyncRequest{stamp_, key.second, std::move(page_token)}), kPageTimeout,
      [this, key, alive = std::weak_ptr<bool>(alive_)](absl::StatusOr<std::string> answer) {
        if (!alive.expired()) OnAnswer(key, std::move(answer));
      });
}

void SnapshotFetcher::OnAnswer(const Key& key, absl::StatusOr<std::string> answer) {
  auto it = under_way_.find(key);
  if (it == under_way_.end()) return;
  absl::StatusOr<SyncReply> page =
      answer.ok() ? wire::Decode<SyncReply>(*answer) : absl::StatusOr<SyncReply>(answer.status());
  Progress& progress = it->second;
  const bool usable =
      page.ok() && page->by.id == key.second && (progress.by.id.empty() || progress.by == page->by);
  if (!usable) {
    LOG(WARNING) << "the snapshot of submitter " << key.second << " of pool " << key.first
                 << " was not got: "
                 << (page.ok() ? "it restarted meanwhile" : page.status().message());
    under_way_.erase(it);
    return;
  }
  if (progress.by.id.empty()) progress = {page->by, page->last_number};
  callbacks_.on_page(key.first, *page);
  if (!page->next_page_token.empty()) return Ask(key, std::move(page->next_page_token));
  const Progress done = progress;
  under_way_.erase(key);
  callbacks_.on_done(key.first, done.by, done.number);
}

}  // namespace podferry
