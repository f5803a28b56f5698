// Listens to the pools: resource reports, BuildConfigs and deltas go to the directory and the
// dispatcher, gaps make it fetch snapshots, and a regular round trip to NATS tells silence of a
// pool from silence of our own connection. Keeps the pools' records in the store.
//
// Owned by the daemon; event loop's thread only.

#ifndef PODFERRY_PLUGIN_POOL_FEED_H_
#define PODFERRY_PLUGIN_POOL_FEED_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/nats/bus.h"
#include "core/os/event_loop.h"
#include "core/store/store.h"
#include "core/wire/messages.h"
#include "core/wire/subjects.h"
#include "plugin/dispatcher.h"
#include "plugin/job_table.h"
#include "plugin/pool_directory.h"
#include "plugin/snapshot_fetcher.h"

namespace podferry {

class PoolFeed {
 public:
  PoolFeed(EventLoop& loop, const Clock& clock, Bus& bus, Store& store, wire::Subjects subjects,
           PluginStamp stamp, PoolDirectory& directory, JobTable& table, Dispatcher& dispatcher);

  // Reads what the store has of pools. A record that cannot be read is named in damage().
  void Load(absl::AnyInvocable<void(absl::Status)> done);
  const std::vector<std::string>& damage() const { return damage_; }

  // Subscribes and begins to count silence. Once, after the dispatcher's Start.
  absl::Status Start();

  // The pool is gone for good: its jobs end, nothing is sent to it any more. Until it is heard
  // again, that is. False if it is not known.
  bool Forget(const std::string& pool);

  // The last round trip to NATS was answered.
  bool round_trip_works() const { return round_trip_works_; }

 private:
  using Handler = void (PoolFeed::*)(const std::string& pool, const BusMessage& message);

  absl::Status Listen(const std::string& subject, Handler handler);
  void OnReport(const std::string& pool, const BusMessage& message);
  void OnConfig(const std::string& pool, const BusMessage& message);
  void OnEvents(const std::string& pool, const BusMessage& message);
  void OnPage(const std::string& pool, const SyncReply& page);
  void OnSnapshotDone(const std::string& pool, const SubmitterStamp& by, uint64_t number);
  void Follow(const std::string& pool, const std::string& submitter,
              const PoolDirectory::Effect& effect);
  void Persist(const std::string& pool);
  void OnConnection(bool connected);
  void Tick();
  void OnRoundTrip(bool answered);
  void GiveUpLostJobs();
  void SeekOrphanedJobs();
  void ForgetOldSubmitters();

  EventLoop& loop_;
  const Clock& clock_;
  Bus& bus_;
  Store& store_;
  const wire::Subjects subjects_;
  const PluginStamp stamp_;
  PoolDirectory& directory_;
  JobTable& table_;
  Dispatcher& dispatcher_;
  SnapshotFetcher fetcher_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  // Of the snapshots under way: the jobs seen, by submitter.
  absl::flat_hash_map<std::string, absl::flat_hash_set<std::string>> seen_;
  std::vector<std::unique_ptr<Bus::Subscription>> subscriptions_;
  std::unique_ptr<Bus::Handle> connection_;
  Timer timer_;
  absl::Duration last_round_trip_ = absl::ZeroDuration();  // monotonic
  bool round_trip_works_ = false;
  std::vector<std::string> damage_;
};

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_POOL_FEED_H_
