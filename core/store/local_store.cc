#include "core/store/local_store.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/status_macros.h"

namespace podferry {
namespace {

// Types of records. On disks out there: never change them.
constexpr uint8_t kPut = 1;
constexpr uint8_t kDelete = 2;

// The journal's errors in the words of Store::Write().
absl::Status ToWriteStatus(const absl::Status& status) {
  const bool has_a_meaning = status.ok() || absl::IsInvalidArgument(status) ||
                             absl::IsResourceExhausted(status) || absl::IsUnavailable(status);
  return has_a_meaning ? status : absl::DataLossError(status.message());
}

}  // namespace

struct LocalStore::PendingScan {
  struct Item {
    std::string key;
    JournalPosition position;
    absl::StatusOr<std::string> value;
  };
  std::vector<Item> items;
  absl::AnyInvocable<void(absl::StatusOr<Entries>)> done;
};

absl::StatusOr<std::unique_ptr<LocalStore>> LocalStore::Open(const LocalStoreOptions& options,
                                                             FileSystem& file_system,
                                                             EventLoop& loop, WorkerPool& pool) {
  auto store = std::unique_ptr<LocalStore>(new LocalStore(loop, pool));
  PODFERRY_ASSIGN_OR_RETURN(
      std::unique_ptr<Journal> journal,
      Journal::Open(options.journal, file_system, loop,
                    [&](const JournalRecord& record) { store->Replay(record); }));
  store->Begin(std::move(journal), options.min_dead_bytes);
  return store;
}

LocalStore::LocalStore(EventLoop& loop, WorkerPool& pool) : loop_(loop), pool_(pool) {}

LocalStore::~LocalStore() { *alive_ = false; }

void LocalStore::Replay(const JournalRecord& record) {
  if (record.type == kPut) {
    index_.Put(record.head, record.position);
  } else if (record.type == kDelete) {
    index_.Erase(record.head);
  }
}

void LocalStore::Begin(std::unique_ptr<Journal> journal, uint64_t min_dead_bytes) {
  journal_ = std::move(journal);
  compactor_ = std::make_unique<Compactor>(
      *journal_, index_, min_dead_bytes,
      [this](const std::string& key) { return in_flight_.contains(key); });
  RemoveSupersededBodies();
  compactor_->Step();
}

void LocalStore::Post(absl::AnyInvocable<void()> task) {
  loop_.Post([alive = alive_, task = std::move(task)]() mutable {
    if (*alive) task();
  });
}

void LocalStore::Write(std::vector<Mutation> batch, absl::AnyInvocable<void(absl::Status)> done) {
  if (absl::Status status = CheckBatch(batch); !status.ok()) {
    return Post([done = std::move(done), status]() mutable { done(status); });
  }
  std::vector<JournalEntry> entries;
  std::vector<Change> changes;
  entries.reserve(batch.size());
  changes.reserve(batch.size());
  for (Mutation& mutation : batch) {
    const bool is_put = mutation.kind == Mutation::Kind::kPut;
    ++in_flight_[mutation.key];
    changes.push_back({mutation.key, is_put});
    entries.push_back({is_put ? kPut : kDelete, std::move(mutation.key),
                       is_put ? std::move(mutation.value) : std::string()});
  }
  journal_->Append(std::move(entries),
                   [this, changes = std::move(changes), done = std::move(done)](
                       absl::StatusOr<std::vector<JournalPosition>> positions) mutable {
                     Written(changes, positions);
                     done(ToWriteStatus(positions.status()));
                   });
}

void LocalStore::Written(const std::vector<Change>& changes,
                         const absl::StatusOr<std::vector<JournalPosition>>& positions) {
  for (size_t i = 0; i < changes.size(); ++i) {
    const Change& change = changes[i];
    if (auto it = in_flight_.find(change.key); --it->second == 0) in_flight_.erase(it);
    if (!positions.ok()) continue;
    lost_keys_.erase(change.key);
    if (change.is_put) {
      index_.Put(change.key, (*positions)[i]);
    } else {
      index_.Erase(change.key);
    }
  }
  RemoveSupersededBodies();
  compactor_->Step();
}

void LocalStore::RemoveSupersededBodies() {
  for (const JournalPosition& position : index_.TakeSuperseded()) {
    journal_->RemoveBodyFile(position);
  }
}

void LocalStore::Read(std::string key, absl::AnyInvocable<void(absl::StatusOr<std::string>)> done) {
  const JournalPosition* found = index_.Find(key);
  if (found == nullptr) {
    return Post([key = std::move(key), done = std::move(done)]() mutable {
      done(absl::NotFoundError(absl::StrCat("no key ", key)));
    });
  }
  auto answer = [this, alive = alive_, key, position = *found,
                 done = std::move(done)](absl::StatusOr<JournalEntry> entry) mutable {
    if (!*alive) return;
    if (entry.ok()) return done(std::move(entry->body));
    // Compaction or another write may have taken the record away while it was read.
    if (!index_.IsAt(key, position)) return Read(std::move(key), std::move(done));
    lost_keys_[key] = entry.status();
    done(absl::DataLossError(entry.status().message()));
  };
  RunOnPool(
      pool_, [reader = journal_->reader(), position = *found] { return reader->Read(position); },
      std::move(answer));
}

void LocalStore::Scan(std::string prefix, absl::AnyInvocable<void(absl::StatusOr<Entries>)> done) {
  auto scan = std::make_shared<PendingScan>();
  scan->done = std::move(done);
  for (auto& [key, position] : index_.List(prefix)) {
    scan->items.push_back({std::move(key), position, absl::UnknownError("not read yet")});
  }
  ReadItems(std::move(scan));
}

void LocalStore::ReadItems(std::shared_ptr<PendingScan> scan) {
  pool_.Run(
      [reader = journal_->reader(), scan] {
        for (PendingScan::Item& item : scan->items) {
          if (item.value.ok()) continue;
          absl::StatusOr<JournalEntry> entry = reader->Read(item.position);
          if (entry.ok()) {
            item.value = std::move(entry->body);
          } else {
            item.value = entry.status();
          }
        }
      },
      [this, alive = alive_, scan] {
        if (*alive) FinishScan(scan);
      });
}

void LocalStore::FinishScan(std::shared_ptr<PendingScan> scan) {
  bool some_moved = false;
  Entries entries;
  entries.reserve(scan->items.size());
  for (PendingScan::Item& item : scan->items) {
    const JournalPosition* position = item.value.ok() ? nullptr : index_.Find(item.key);
    if (position == nullptr) continue;
    if (*position == item.position) {
      lost_keys_[item.key] = item.value.status();
    } else {
      item.position = *position;
      some_moved = true;
    }
  }
  if (some_moved) return ReadItems(std::move(scan));
  for (PendingScan::Item& item : scan->items) {
    if (item.value.ok()) entries.emplace_back(std::move(item.key), *std::move(item.value));
  }
  scan->done(std::move(entries));
}

StoreHealth LocalStore::health() const {
  StoreHealth health;
  std::vector<std::string> reasons;
  if (absl::Status status = journal_->status(); !status.ok()) {
    reasons.emplace_back(status.message());
  }
  if (journal_->disk_full()) reasons.emplace_back("the disk is full");
  bool lost = false;
  for (const JournalDamage& damage : journal_->damage()) {
    health.damage.push_back(damage.ToString());
    lost = lost || damage.kind == JournalDamage::Kind::kCorrupt;
  }
  if (lost) reasons.emplace_back("the journal was damaged when it was opened");
  if (!lost_keys_.empty()) {
    reasons.push_back(absl::StrCat(lost_keys_.size(), " values can no longer be read"));
    for (const auto& [key, status] : lost_keys_) {
      health.damage.push_back(absl::StrCat(key, ": ", status.message()));
    }
  }
  health.ready = reasons.empty();
  health.reason = absl::StrJoin(reasons, "; ");
  return health;
}

LocalStore::Stats LocalStore::stats() const {
  Stats stats;
  stats.keys = index_.size();
  stats.live_bytes = index_.live_bytes();
  for (const Journal::Segment& segment : journal_->segments()) stats.total_bytes += segment.bytes;
  stats.dropped_segments = compactor_->dropped_segments();
  stats.journal = journal_->stats();
  return stats;
}

}  // namespace podferry
