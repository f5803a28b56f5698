// A store in a Redis server, for plugins that run as replicas or on nodes whose disks do not last.
// One hash per instance: the value of key K is field K of "podferry:{INSTANCE}:data".
//
// hiredis' blocking calls run on a thread of the store's own, in the order of the calls; writes
// that wait together are one transaction. A lost connection is made anew with back-off, and what
// waits is tried again (putting the same twice is harmless, and the order is kept).
//
// How durable a write is, the server decides, and what happens when two processes open the same
// instance: see REDIS.md.

#ifndef PODFERRY_CORE_STORE_REDIS_STORE_H_
#define PODFERRY_CORE_STORE_REDIS_STORE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/os/event_loop.h"
#include "core/store/store.h"

namespace podferry {

struct RedisStoreOptions {
  std::string url;                   // See redis_url.h.
  std::string instance = "default";  // Who shares an instance shares its jobs.
  // Of connecting, of a command, and how long anything is tried in all.
  absl::Duration timeout = absl::Seconds(10);
  // The pause before connecting anew, doubled each time up to 20 times as much.
  absl::Duration retry = absl::Milliseconds(100);
  // An idle connection is tried this often, for health().
  absl::Duration ping = absl::Seconds(5);
  // A write counts once so many replicas of the server have it as well (WAIT).
  int wait_replicas = 0;
};

class RedisStore final : public Store {
 public:
  // Connects, and takes the instance over: every store that was opened before fails its writes with
  // FAILED_PRECONDITION from now on. Blocks up to `timeout`. INVALID_ARGUMENT: the URL;
  // UNAVAILABLE: no server; PERMISSION_DENIED: it refuses us.
  static absl::StatusOr<std::unique_ptr<RedisStore>> Open(const RedisStoreOptions& options,
                                                          EventLoop& loop);
  // Writes what is queued, as far as that goes without a reconnect. Loop thread.
  ~RedisStore() override;

  void Write(std::vector<Mutation> batch, absl::AnyInvocable<void(absl::Status)> done) override;
  void Read(std::string key, absl::AnyInvocable<void(absl::StatusOr<std::string>)> done) override;
  void Scan(std::string prefix, absl::AnyInvocable<void(absl::StatusOr<Entries>)> done) override;
  StoreHealth health() const override;

 private:
  class Worker;
  RedisStore(EventLoop& loop, std::unique_ptr<Worker> worker);

  EventLoop& loop_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // Loop thread only.
  std::unique_ptr<Worker> worker_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_STORE_REDIS_STORE_H_
