#include "core/store/open_store.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "core/base/status_macros.h"
#include "core/store/local_store.h"
#include "core/store/redis_store.h"
#include "core/store/redis_url.h"
#include "glog/logging.h"

namespace podferry {
namespace {

// Beside the journal: it has held something once.
constexpr char kUsedFile[] = "used";
constexpr char kUsedText[] =
    "This folder has kept jobs. Should its journal be found empty, they are lost, and the daemon "
    "says so.\n";

// For the admin to look at; nobody looks later than this.
constexpr absl::Duration kKeepDamaged = absl::Hours(24 * 90);

struct UsedMark {
  FileSystem& file_system;
  const std::string path;
  bool present = false;
};

// A local store with the lock on its folder.
class LockedStore final : public Store {
 public:
  LockedStore(std::unique_ptr<FileLock> lock, std::unique_ptr<LocalStore> store, WorkerPool& pool,
              UsedMark used, bool seen_damage)
      : lock_(std::move(lock)), store_(std::move(store)), pool_(pool), used_(std::move(used)) {
    emptied_ = store_->stats().keys == 0 && (used_.present || seen_damage);
    LOG_IF(ERROR, emptied_) << kEmptied << ": " << used_.path;
  }

  void Write(std::vector<Mutation> batch, absl::AnyInvocable<void(absl::Status)> done) override {
    store_->Write(std::move(batch), [this, done = std::move(done)](absl::Status status) mutable {
      if (status.ok() && !used_.present) Mark();
      done(std::move(status));
    });
  }
  void Read(std::string key, absl::AnyInvocable<void(absl::StatusOr<std::string>)> done) override {
    store_->Read(std::move(key), std::move(done));
  }
  void Scan(std::string prefix, absl::AnyInvocable<void(absl::StatusOr<Entries>)> done) override {
    store_->Scan(std::move(prefix), std::move(done));
  }
  StoreHealth health() const override {
    StoreHealth health = store_->health();
    if (!emptied_) return health;
    health.ready = false;
    absl::StrAppend(&health.reason, health.reason.empty() ? "" : "; ", kEmptied);
    health.damage.push_back(kEmptied);
    return health;
  }

 private:
  static constexpr char kEmptied[] =
      "the journal is empty although it has held records: they are lost";

  // Not before the first record is durable: a start that fails is none.
  void Mark() {
    used_.present = true;
    pool_.Run(
        [&file_system = used_.file_system, path = used_.path] {
          const absl::Status status = file_system.WriteFileAtomic(path, kUsedText, 0600);
          LOG_IF(WARNING, !status.ok()) << path << ": " << status;
        },
        [] {});
  }

  const std::unique_ptr<FileLock> lock_;  // Given up after the store is closed.
  const std::unique_ptr<LocalStore> store_;
  WorkerPool& pool_;
  UsedMark used_;
  bool emptied_ = false;
};

absl::StatusOr<std::unique_ptr<Store>> OpenLocal(const std::string& folder, FileSystem& file_system,
                                                 EventLoop& loop, WorkerPool& pool) {
  PODFERRY_RETURN_IF_ERROR(file_system.MakeDirs(folder, 0700));
  PODFERRY_ASSIGN_OR_RETURN(std::unique_ptr<FileLock> lock,
                            file_system.Lock(absl::StrCat(folder, "/lock")));
  LocalStoreOptions options;
  options.journal.folder = absl::StrCat(folder, "/journal");
  // Looked for before this start adds its own.
  const bool seen_damage = RemoveOldDamaged(options.journal.folder, file_system, absl::Now());
  PODFERRY_ASSIGN_OR_RETURN(std::unique_ptr<LocalStore> store,
                            LocalStore::Open(options, file_system, loop, pool));
  UsedMark used{file_system, absl::StrCat(folder, "/", kUsedFile)};
  used.present = file_system.Stat(used.path).ok();
  return std::make_unique<LockedStore>(std::move(lock), std::move(store), pool, std::move(used),
                                       seen_damage);
}

}  // namespace

bool RemoveOldDamaged(const std::string& folder, FileSystem& file_system, absl::Time now) {
  const absl::StatusOr<std::vector<std::string>> names = file_system.ListDir(folder);
  if (!names.ok()) return false;  // there is no journal yet
  bool any = false;
  for (const std::string& name : *names) {
    if (!absl::EndsWith(name, ".damaged")) continue;
    any = true;
    const std::string path = absl::StrCat(folder, "/", name);
    const absl::StatusOr<FileInfo> info = file_system.Stat(path);
    if (!info.ok() || now - info->modified < kKeepDamaged) continue;
    LOG(INFO) << "removing " << path
              << ", which was put aside long ago: " << file_system.Remove(path);
  }
  return any;
}

absl::StatusOr<std::unique_ptr<Store>> OpenStore(const std::string& state, FileSystem& file_system,
                                                 EventLoop& loop, WorkerPool& pool) {
  if (state.empty()) return absl::InvalidArgumentError("--state names no folder");
  if (!IsRedisUrl(state)) return OpenLocal(state, file_system, loop, pool);
  RedisStoreOptions options;
  options.url = state;
  return RedisStore::Open(options, loop);
}

}  // namespace podferry
