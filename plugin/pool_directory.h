// What the plugin knows of its pools: who serves them, what they offer, their BuildConfig, and how
// long each submitter has been silent. Survives restarts as one small record per pool.
//
// Owned by the daemon; event loop's thread only. It decides and remembers; pool_feed.h listens and
// sends. Rules of silence: docs/protocol.md.

#ifndef PODFERRY_PLUGIN_POOL_DIRECTORY_H_
#define PODFERRY_PLUGIN_POOL_DIRECTORY_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/wire/messages.h"
#include "plugin/pool_info.h"

namespace podferry {

class PoolDirectory {
 public:
  // `grace`: how long a submitter may be silent before its jobs are given up; zero: for ever.
  explicit PoolDirectory(absl::Duration grace) : grace_(grace) {}

  const std::map<std::string, PoolInfo>& pools() const { return pools_; }
  const PoolInfo* Find(absl::string_view pool) const;
  const SubmitterInfo* FindSubmitter(absl::string_view pool, absl::string_view id) const;
  // Grows when the answer of WaitReason may have changed.
  uint64_t version() const { return version_; }

  // What an announcement asks for.
  struct Effect {
    bool sync = false;     // its snapshot is to be fetched
    bool revived = false;  // it was silent, new, or restarted: what waits for it can be sent
    bool persist = false;  // the pool's record has changed
  };
  Effect OnReport(absl::string_view pool, const ResourceReport& report, absl::Time now);
  Effect OnConfig(absl::string_view pool, const ConfigAnnouncement& announcement, absl::Time now);
  // Deltas with the numbers from `first` to `last`. They may be applied in any case.
  Effect OnEvents(absl::string_view pool, const SubmitterStamp& by, uint64_t first, uint64_t last,
                  absl::Time now);
  // Any answer of it: it lives.
  Effect OnHeard(absl::string_view pool, const SubmitterStamp& by, absl::Time now);
  // A snapshot is complete that holds all deltas up to `last_number`.
  void OnSynced(absl::string_view pool, const SubmitterStamp& by, uint64_t last_number);
  // We were cut off: numbers may have been missed. All snapshots are to be fetched again.
  void OnReconnected();

  // A resource report that is no message of ours: the original's JSON, or a problem to show.
  void OnForeignReport(absl::string_view pool, absl::string_view payload,
                       const absl::Status& error);

  // A job's owner is known even if nothing of it has been heard since a restart.
  void Ensure(absl::string_view pool, absl::string_view submitter, absl::string_view backend_id);

  // `elapsed` has passed in which our own round trip to NATS worked. Returns the pools whose
  // silence has grown enough to be written again.
  std::vector<std::string> OnTick(absl::Duration elapsed);
  // Whether the jobs of this submitter are to be given up now.
  bool Lost(absl::string_view pool, absl::string_view submitter) const;
  // Two or more pools fell silent at once and none is left: it is we who are cut off. Their silence
  // does not grow meanwhile.
  bool Holding() const;

  // Why a job for this pool waits: a word and a sentence; empty when nothing is in its way.
  struct WaitReason {
    std::string reason;
    std::string message;
  };
  WaitReason Waiting(absl::string_view pool) const;

  // The sum of what the live pools offer: resource -> quantity. Empty when none is known.
  std::map<std::string, std::string> TotalCapacity() const;

  void Forget(absl::string_view pool);

  // Submitters that nothing has been heard of for so long: pool and id.
  std::vector<std::pair<std::string, std::string>> SilentSince(absl::Duration duration) const;
  void Remove(absl::string_view pool, absl::string_view submitter);

  // Takes up what ToJson (pool_info.h) wrote. DATA_LOSS, saying which field.
  absl::Status Restore(absl::string_view name, absl::string_view json);

 private:
  PoolInfo& Pool(absl::string_view pool);
  SubmitterInfo& Submitter(PoolInfo& pool, const SubmitterStamp& by, absl::Time now,
                           Effect& effect);
  // The shortest silence of any pool that has not taken its leave.
  absl::Duration ShortestSilence() const;

  const absl::Duration grace_;
  std::map<std::string, PoolInfo> pools_;
  uint64_t version_ = 1;
};

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_POOL_DIRECTORY_H_
