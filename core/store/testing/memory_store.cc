#include "core/store/testing/memory_store.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace podferry {

MemoryStore::MemoryStore(EventLoop& loop, std::shared_ptr<Disk> disk)
    : loop_(loop), disk_(std::move(disk)) {}

MemoryStore::~MemoryStore() { *alive_ = false; }

void MemoryStore::Write(std::vector<Mutation> batch, absl::AnyInvocable<void(absl::Status)> done) {
  HeldWrite write = {std::move(batch), std::move(done)};
  if (holding_) {
    held_.push_back(std::move(write));
  } else {
    Apply(std::move(write));
  }
}

void MemoryStore::Apply(HeldWrite write) {
  absl::Status status = CheckBatch(write.batch);
  if (status.ok()) status = write_error_;
  if (status.ok()) {
    for (Mutation& mutation : write.batch) {
      if (mutation.kind == Mutation::Kind::kPut) {
        (*disk_)[std::move(mutation.key)] = std::move(mutation.value);
      } else {
        disk_->erase(mutation.key);
      }
    }
  }
  loop_.Post([alive = alive_, done = std::move(write.done), status]() mutable {
    if (*alive) done(status);
  });
}

void MemoryStore::ReleaseWrites() {
  holding_ = false;
  std::deque<HeldWrite> held = std::exchange(held_, {});
  for (HeldWrite& write : held) Apply(std::move(write));
}

void MemoryStore::Read(std::string key,
                       absl::AnyInvocable<void(absl::StatusOr<std::string>)> done) {
  auto it = disk_->find(key);
  absl::StatusOr<std::string> value = absl::NotFoundError(absl::StrCat("no key ", key));
  if (it != disk_->end()) value = it->second;
  loop_.Post([alive = alive_, done = std::move(done), value = std::move(value)]() mutable {
    if (*alive) done(std::move(value));
  });
}

void MemoryStore::Scan(std::string prefix, absl::AnyInvocable<void(absl::StatusOr<Entries>)> done) {
  Entries entries;
  for (auto it = disk_->lower_bound(prefix);
       it != disk_->end() && absl::StartsWith(it->first, prefix); ++it) {
    entries.emplace_back(it->first, it->second);
  }
  loop_.Post([alive = alive_, done = std::move(done), entries = std::move(entries)]() mutable {
    if (*alive) done(std::move(entries));
  });
}

}  // namespace podferry
