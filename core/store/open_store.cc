#include "core/store/open_store.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/store/local_store.h"
#include "core/store/redis_store.h"
#include "core/store/redis_url.h"

namespace podferry {
namespace {

// A local store with the lock on its folder.
class LockedStore final : public Store {
 public:
  LockedStore(std::unique_ptr<FileLock> lock, std::unique_ptr<Store> store)
      : lock_(std::move(lock)), store_(std::move(store)) {}

  void Write(std::vector<Mutation> batch, absl::AnyInvocable<void(absl::Status)> done) override {
    store_->Write(std::move(batch), std::move(done));
  }
  void Read(std::string key, absl::AnyInvocable<void(absl::StatusOr<std::string>)> done) override {
    store_->Read(std::move(key), std::move(done));
  }
  void Scan(std::string prefix, absl::AnyInvocable<void(absl::StatusOr<Entries>)> done) override {
    store_->Scan(std::move(prefix), std::move(done));
  }
  StoreHealth health() const override { return store_->health(); }

 private:
  const std::unique_ptr<FileLock> lock_;  // Given up after the store is closed.
  const std::unique_ptr<Store> store_;
};

absl::StatusOr<std::unique_ptr<Store>> OpenLocal(const std::string& folder, FileSystem& file_system,
                                                 EventLoop& loop, WorkerPool& pool) {
  PODFERRY_RETURN_IF_ERROR(file_system.MakeDirs(folder, 0700));
  PODFERRY_ASSIGN_OR_RETURN(std::unique_ptr<FileLock> lock,
                            file_system.Lock(absl::StrCat(folder, "/lock")));
  LocalStoreOptions options;
  options.journal.folder = absl::StrCat(folder, "/journal");
  PODFERRY_ASSIGN_OR_RETURN(std::unique_ptr<LocalStore> store,
                            LocalStore::Open(options, file_system, loop, pool));
  return std::make_unique<LockedStore>(std::move(lock), std::move(store));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Store>> OpenStore(const std::string& state, FileSystem& file_system,
                                                 EventLoop& loop, WorkerPool& pool) {
  if (state.empty()) return absl::InvalidArgumentError("--state names no folder");
  if (!IsRedisUrl(state)) return OpenLocal(state, file_system, loop, pool);
  RedisStoreOptions options;
  options.url = state;
  return RedisStore::Open(options, loop);
}

}  // namespace podferry
