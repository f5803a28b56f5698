// A store in memory whose writes a test can delay and fail.

#ifndef PODFERRY_CORE_STORE_TESTING_MEMORY_STORE_H_
#define PODFERRY_CORE_STORE_TESTING_MEMORY_STORE_H_

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/os/event_loop.h"
#include "core/store/store.h"

namespace podferry {

class MemoryStore final : public Store {
 public:
  // What "the disk" holds. Give the same to a second store to play a restart of the daemon.
  using Disk = std::map<std::string, std::string>;

  explicit MemoryStore(EventLoop& loop, std::shared_ptr<Disk> disk = std::make_shared<Disk>());
  ~MemoryStore() override;

  void Write(std::vector<Mutation> batch, absl::AnyInvocable<void(absl::Status)> done) override;
  void Read(std::string key, absl::AnyInvocable<void(absl::StatusOr<std::string>)> done) override;
  void Scan(std::string prefix, absl::AnyInvocable<void(absl::StatusOr<Entries>)> done) override;
  StoreHealth health() const override { return health_; }

  // From now on writes wait (and are not on the disk) until ReleaseWrites().
  void HoldWrites() { holding_ = true; }
  void ReleaseWrites();
  size_t held_writes() const { return held_.size(); }

  // From now on writes fail with `status` and change nothing; OK ends that.
  void FailWrites(absl::Status status) { write_error_ = std::move(status); }

  void SetHealth(StoreHealth health) { health_ = std::move(health); }

  Disk& disk() { return *disk_; }

 private:
  struct HeldWrite {
    std::vector<Mutation> batch;
    absl::AnyInvocable<void(absl::Status)> done;
  };

  void Apply(HeldWrite write);

  EventLoop& loop_;
  std::shared_ptr<Disk> disk_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  bool holding_ = false;
  std::deque<HeldWrite> held_;
  absl::Status write_error_;
  StoreHealth health_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_STORE_TESTING_MEMORY_STORE_H_
