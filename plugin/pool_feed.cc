#include "plugin/pool_feed.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/failpoint.h"
#include "core/wire/codec.h"
#include "glog/logging.h"
#include "plugin/store_keys.h"

namespace podferry {
namespace {

constexpr absl::Duration kTick = absl::Seconds(5);
constexpr absl::Duration kRoundTripTimeout = absl::Seconds(3);

// How often a job is asked for again, and how many in one tick.
constexpr absl::Duration kSeekInterval = absl::Minutes(1);
constexpr int kSeeksPerTick = 100;

// A submitter of whom nothing is heard or wanted any more.
constexpr absl::Duration kForgetSubmitter = absl::Hours(24);

}  // namespace

PoolFeed::PoolFeed(EventLoop& loop, const Clock& clock, Bus& bus, Store& store,
                   wire::Subjects subjects, PluginStamp stamp, PoolDirectory& directory,
                   JobTable& table, Dispatcher& dispatcher)
    : loop_(loop),
      clock_(clock),
      bus_(bus),
      store_(store),
      subjects_(subjects),
      stamp_(stamp),
      directory_(directory),
      table_(table),
      dispatcher_(dispatcher),
      fetcher_(bus, std::move(subjects), std::move(stamp),
               {[this](const std::string& pool, const SyncReply& page) { OnPage(pool, page); },
                [this](const std::string& pool, const SubmitterStamp& by, uint64_t number) {
                  OnSnapshotDone(pool, by, number);
                }}) {}

void PoolFeed::Load(absl::AnyInvocable<void(absl::Status)> done) {
  store_.Scan(kPoolPrefix, [this, alive = std::weak_ptr<bool>(alive_), done = std::move(done)](
                               absl::StatusOr<Store::Entries> entries) mutable {
    if (alive.expired()) return;
    if (!entries.ok()) return done(entries.status());
    for (const auto& [key, value] : *entries) {
      const absl::Status status =
          directory_.Restore(absl::string_view(key).substr(sizeof(kPoolPrefix) - 1), value);
      if (status.ok()) continue;
      damage_.push_back(absl::StrCat("record ", key, ": ", status.message()));
      LOG(ERROR) << "a pool cannot be read from the store: " << damage_.back();
    }
    done(absl::OkStatus());
  });
}

absl::Status PoolFeed::Start() {
  absl::Status status = Listen(subjects_.AllResources(), &PoolFeed::OnReport);
  status.Update(Listen(subjects_.AllConfigs(), &PoolFeed::OnConfig));
  status.Update(Listen(subjects_.AllEvents(), &PoolFeed::OnEvents));
  dispatcher_.WatchHeard([this](const std::string& pool, const SubmitterStamp& by) {
    Follow(pool, by.id, directory_.OnHeard(pool, by, clock_.Now()));
  });
  connection_ = bus_.WatchConnection([this](bool connected) { OnConnection(connected); });
  if (bus_.connected()) OnConnection(true);
  last_round_trip_ = clock_.Monotonic();
  Tick();
  return status;
}

absl::Status PoolFeed::Listen(const std::string& subject, Handler handler) {
  absl::StatusOr<std::unique_ptr<Bus::Subscription>> subscription =
      bus_.Subscribe(subject, "", [this, handler](BusMessage message) {
        const absl::StatusOr<std::string> pool = subjects_.PoolOf(message.subject);
        if (pool.ok()) (this->*handler)(*pool, message);
      });
  if (!subscription.ok()) return subscription.status();
  subscriptions_.push_back(*std::move(subscription));
  return absl::OkStatus();
}

void PoolFeed::OnConnection(bool connected) {
  if (!connected) {
    round_trip_works_ = false;
    return;
  }
  directory_.OnReconnected();
  for (const auto& [name, pool] : directory_.pools()) {
    for (const auto& [id, submitter] : pool.submitters) fetcher_.Fetch(name, id);
  }
}

void PoolFeed::OnReport(const std::string& pool, const BusMessage& message) {
  absl::StatusOr<ResourceReport> report = wire::Decode<ResourceReport>(message.payload);
  if (!report.ok()) {
    LOG_EVERY_N(WARNING, 60) << "a resource report of pool " << pool
                             << " cannot be read: " << report.status();
    return directory_.OnForeignReport(pool, message.payload, report.status());
  }
  const std::string id = report->by.id;
  Follow(pool, id, directory_.OnReport(pool, *report, clock_.Now()));
}

void PoolFeed::OnConfig(const std::string& pool, const BusMessage& message) {
  absl::StatusOr<ConfigAnnouncement> config = wire::Decode<ConfigAnnouncement>(message.payload);
  if (!config.ok()) {
    LOG_EVERY_N(WARNING, 60) << "a BuildConfig of pool " << pool
                             << " cannot be read: " << config.status();
    return;
  }
  Follow(pool, config->by.id, directory_.OnConfig(pool, *config, clock_.Now()));
}

void PoolFeed::OnEvents(const std::string& pool, const BusMessage& message) {
  absl::StatusOr<EventBatch> batch = wire::Decode<EventBatch>(message.payload);
  if (!batch.ok() || batch->deltas.empty()) {
    LOG_IF_EVERY_N(WARNING, !batch.ok(), 60)
        << "events of pool " << pool << " cannot be read: " << batch.status();
    return;
  }
  PoolDirectory::Effect effect = directory_.OnEvents(pool, batch->by, batch->deltas.front().number,
                                                     batch->deltas.back().number, clock_.Now());
  for (const StatusDelta& delta : batch->deltas) {
    if (delta.status.key.origin != stamp_.origin) continue;
    // Deltas have no description: a job that we do not know comes with the snapshot.
    if (table_.Find(delta.status.key.uid) == nullptr) effect.sync = true;
    dispatcher_.OnStatus(pool, batch->by, delta.number, delta.status);
    Failpoint("plugin.delta.after_first");
  }
  Follow(pool, batch->by.id, effect);
}

void PoolFeed::Follow(const std::string& pool, const std::string& submitter,
                      const PoolDirectory::Effect& effect) {
  if (effect.persist) Persist(pool);
  if (effect.sync) fetcher_.Fetch(pool, submitter);
  if (effect.revived) dispatcher_.OnRevived(pool, submitter);
}

void PoolFeed::Persist(const std::string& name) {
  const PoolInfo* const pool = directory_.Find(name);
  if (pool == nullptr) return;
  // Lost, it is learned again from the next announcement.
  store_.Write({Mutation::Put(PoolStoreKey(name), ToJson(*pool))}, [](absl::Status status) {
    LOG_IF_EVERY_N(WARNING, !status.ok(), 60) << "a pool's record was not written: " << status;
  });
}

void PoolFeed::OnPage(const std::string& pool, const SyncReply& page) {
  Follow(pool, page.by.id, directory_.OnHeard(pool, page.by, clock_.Now()));
  absl::flat_hash_set<std::string>& seen = seen_[page.by.id];
  for (size_t i = 0; i < page.statuses.size() && i < page.jobs.size(); ++i) {
    if (page.statuses[i].key.origin != stamp_.origin) continue;
    seen.insert(page.statuses[i].key.uid);
    dispatcher_.OnSnapshotJob(pool, page.by, page.last_number, page.jobs[i], page.statuses[i]);
  }
}

void PoolFeed::OnSnapshotDone(const std::string& pool, const SubmitterStamp& by, uint64_t number) {
  directory_.OnSynced(pool, by, number);
  dispatcher_.OnSnapshotDone(pool, by, seen_[by.id]);
  seen_.erase(by.id);
}

void PoolFeed::Tick() {
  bus_.Ping(kRoundTripTimeout, [this, alive = std::weak_ptr<bool>(alive_)](bool answered) {
    if (!alive.expired()) OnRoundTrip(answered);
  });
  timer_ = loop_.RunAfter(kTick, [this] { Tick(); });
}

void PoolFeed::OnRoundTrip(bool answered) {
  const absl::Duration now = clock_.Monotonic();
  const absl::Duration elapsed = now - std::exchange(last_round_trip_, now);
  // Only time between two round trips that both worked counts as somebody else's silence.
  const bool counts = answered && round_trip_works_;
  round_trip_works_ = answered;
  if (!counts) return;
  for (const std::string& pool : directory_.OnTick(std::min(elapsed, 2 * kTick))) Persist(pool);
  GiveUpLostJobs();
  SeekOrphanedJobs();
  ForgetOldSubmitters();
}

void PoolFeed::GiveUpLostJobs() {
  table_.ForEach([this](Job& job) {
    const JobRecord& record = job.record;
    if (job.busy || record.owner.empty() || IsFinal(record.status.phase)) return;
    if (!directory_.Lost(record.job.pool, record.owner)) return;
    dispatcher_.Apply(
        job, OnOwnerLost(job.record,
                         absl::StrCat("submitter ", record.owner, " of pool ", record.job.pool,
                                      " has not been heard of for the grace period"),
                         clock_.Now()));
  });
}

// Where the owner is silent, another submitter of the same backend may know better.
void PoolFeed::SeekOrphanedJobs() {
  int budget = kSeeksPerTick;
  const absl::Duration now = clock_.Monotonic();
  table_.ForEach([&](Job& job) {
    const JobRecord& record = job.record;
    if (budget == 0 || job.busy || record.owner.empty() || record.owner_backend.empty()) return;
    if (NextStep(record) == Step::kNone && IsFinal(record.status.phase)) return;
    if (record.tombstone.has_value() && record.tombstone->confirmed()) return;
    if (now - job.sought_at < kSeekInterval) return;
    const SubmitterInfo* const owner = directory_.FindSubmitter(record.job.pool, record.owner);
    if (owner == nullptr || !owner->silent()) return;
    const PoolInfo* const pool = directory_.Find(record.job.pool);
    const bool others =
        std::any_of(pool->submitters.begin(), pool->submitters.end(), [&](const auto& entry) {
          return !entry.second.silent() && entry.second.backend_id == record.owner_backend;
        });
    if (!others) return;
    --budget;
    dispatcher_.Seek(job);
  });
}

// Each new state folder of a submitter is a new id: those of old ones are not kept for ever.
void PoolFeed::ForgetOldSubmitters() {
  const auto silent = directory_.SilentSince(kForgetSubmitter);
  if (silent.empty()) return;
  absl::flat_hash_set<std::string> owners;
  table_.ForEach([&](Job& job) {
    if (!IsFinal(job.record.status.phase) || job.record.deleting()) owners.insert(job.record.owner);
  });
  for (const auto& [pool, submitter] : silent) {
    if (owners.contains(submitter)) continue;
    directory_.Remove(pool, submitter);
    Persist(pool);
  }
}

bool PoolFeed::Forget(const std::string& pool) {
  if (directory_.Find(pool) == nullptr) return false;
  directory_.Forget(pool);
  store_.Write({Mutation::Delete(PoolStoreKey(pool))}, [](absl::Status) {});
  std::vector<std::string> uids;
  table_.ForEach([&](Job& job) {
    if (job.record.job.pool == pool) uids.push_back(job.uid());
  });
  for (const std::string& uid : uids) {
    table_.Post(uid, [this](Job* job) {
      if (job != nullptr) dispatcher_.Apply(*job, OnPoolForgotten(job->record, clock_.Now()));
    });
  }
  return true;
}

}  // namespace podferry
