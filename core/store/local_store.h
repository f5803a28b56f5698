// A store in a folder, on core/journal: every batch is appended to the log, an index in memory says
// where each key's newest value lies, values stay on disk. This is the embedded default.
//
// Compaction: once dead bytes outweigh live ones, the live records of the oldest segments are
// copied to the end of the log, a few at a time between other writes, and the segments dropped.

#ifndef PODFERRY_CORE_STORE_LOCAL_STORE_H_
#define PODFERRY_CORE_STORE_LOCAL_STORE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/journal/journal.h"
#include "core/os/event_loop.h"
#include "core/os/file_system.h"
#include "core/os/worker_pool.h"
#include "core/store/compactor.h"
#include "core/store/log_index.h"
#include "core/store/store.h"

namespace podferry {

struct LocalStoreOptions {
  JournalOptions journal;
  // Compaction begins when the log has this many bytes that no key refers to, and as many as live
  // ones.
  uint64_t min_dead_bytes = 64 << 20;
};

class LocalStore final : public Store {
 public:
  // Blocks while it reads the log: some 30 ms for 100 MB in the page cache. The errors of
  // Journal::Open(); damage is no error but shows in health().
  static absl::StatusOr<std::unique_ptr<LocalStore>> Open(const LocalStoreOptions& options,
                                                          FileSystem& file_system, EventLoop& loop,
                                                          WorkerPool& pool);
  ~LocalStore() override;

  void Write(std::vector<Mutation> batch, absl::AnyInvocable<void(absl::Status)> done) override;
  void Read(std::string key, absl::AnyInvocable<void(absl::StatusOr<std::string>)> done) override;
  void Scan(std::string prefix, absl::AnyInvocable<void(absl::StatusOr<Entries>)> done) override;
  StoreHealth health() const override;

  struct Stats {
    uint64_t keys = 0;
    uint64_t live_bytes = 0;        // Of the records that keys refer to.
    uint64_t total_bytes = 0;       // Of all segments.
    uint64_t dropped_segments = 0;  // By compaction.
    JournalStats journal;
  };
  Stats stats() const;

 private:
  struct Change {
    std::string key;
    bool is_put = false;
  };
  struct PendingScan;

  LocalStore(EventLoop& loop, WorkerPool& pool);

  void Replay(const JournalRecord& record);
  void Begin(std::unique_ptr<Journal> journal, uint64_t min_dead_bytes);
  void Written(const std::vector<Change>& changes,
               const absl::StatusOr<std::vector<JournalPosition>>& positions);
  void RemoveSupersededBodies();
  void ReadItems(std::shared_ptr<PendingScan> scan);
  void FinishScan(std::shared_ptr<PendingScan> scan);
  void Post(absl::AnyInvocable<void()> task);

  EventLoop& loop_;
  WorkerPool& pool_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // Loop thread only.
  LogIndex index_;
  absl::flat_hash_map<std::string, int> in_flight_;       // Writes on their way, by key.
  absl::btree_map<std::string, absl::Status> lost_keys_;  // Whose values could not be read.
  std::unique_ptr<Compactor> compactor_;
  std::unique_ptr<Journal> journal_;  // Destroyed first: no callback comes afterwards.
};

}  // namespace podferry

#endif  // PODFERRY_CORE_STORE_LOCAL_STORE_H_
