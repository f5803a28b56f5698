// Fetches a submitter's snapshot, page by page (P.sync.<pool>), one at a time per submitter.
//
// Owned by the feed; event loop's thread only. A fetch that fails just ends: the next report of the
// submitter asks for it again.

#ifndef PODFERRY_PLUGIN_SNAPSHOT_FETCHER_H_
#define PODFERRY_PLUGIN_SNAPSHOT_FETCHER_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "core/nats/bus.h"
#include "core/wire/messages.h"
#include "core/wire/subjects.h"

namespace podferry {

class SnapshotFetcher {
 public:
  // Both get the pool. `on_done` gets the first page's stamp and number: deltas up to that one are
  // contained.
  struct Callbacks {
    absl::AnyInvocable<void(const std::string& pool, const SyncReply& page)> on_page;
    absl::AnyInvocable<void(const std::string& pool, const SubmitterStamp& by, uint64_t number)>
        on_done;
  };

  SnapshotFetcher(Bus& bus, wire::Subjects subjects, PluginStamp stamp, Callbacks callbacks)
      : bus_(bus),
        subjects_(std::move(subjects)),
        stamp_(std::move(stamp)),
        callbacks_(std::move(callbacks)) {}

  // Begins, unless a fetch of it is under way.
  void Fetch(const std::string& pool, const std::string& submitter);

 private:
  struct Progress {
    SubmitterStamp by;  // empty id: before the first page
    uint64_t number = 0;
  };
  using Key = std::pair<std::string, std::string>;  // pool, submitter

  void Ask(const Key& key, std::string page_token);
  void OnAnswer(const Key& key, absl::StatusOr<std::string> answer);

  Bus& bus_;
  const wire::Subjects subjects_;
  const PluginStamp stamp_;
  Callbacks callbacks_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  absl::flat_hash_map<Key, Progress> under_way_;
};

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_SNAPSHOT_FETCHER_H_
