#include "plugin/job_table.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/redact.h"
#include "glog/logging.h"
#include "plugin/store_keys.h"

namespace podferry {
namespace {

// Between two attempts at a write that failed.
constexpr absl::Duration kWriteRetry = absl::Seconds(1);

}  // namespace

JobTable::JobTable(EventLoop& loop, const Clock& clock, Store& store)
    : loop_(loop), clock_(clock), store_(store) {}

void JobTable::Load(absl::AnyInvocable<void(absl::Status)> done) {
  store_.Scan(kJobPrefix, [this, alive = std::weak_ptr<bool>(alive_),
                           done = std::move(done)](absl::StatusOr<Store::Entries> entries) mutable {
    if (alive.expired()) return;
    if (!entries.ok()) return done(entries.status());
    jobs_.reserve(entries->size());
    for (auto& [key, value] : *entries) {
      absl::StatusOr<JobRecord> record = ParseJobRecord(value);
      if (record.ok() && JobStoreKey(record->job.key.uid) != key) {
        record = absl::DataLossError("it is another job's");
      }
      if (!record.ok()) {
        damage_.push_back(absl::StrCat("record ", key, ": ", record.status().message()));
        LOG(ERROR) << "a job cannot be read from the store: " << damage_.back();
        continue;
      }
      std::string uid = record->job.key.uid;
      auto job = std::make_unique<Job>();
      job->record = *std::move(record);
      job->vouched = job->record.source != JobSource::kInterLink;
      Entry& entry = jobs_[std::move(uid)];
      entry.job = std::move(job);
      Count(entry);
    }
    done(absl::OkStatus());
  });
}

JobTable::Entry* JobTable::FindEntry(absl::string_view uid) {
  auto it = jobs_.find(uid);
  return it == jobs_.end() ? nullptr : &it->second;
}

Job* JobTable::Find(absl::string_view uid) {
  Entry* const entry = FindEntry(uid);
  return entry == nullptr ? nullptr : entry->job.get();
}

size_t JobTable::CountOf(JobPhase phase) const { return phases_[static_cast<size_t>(phase)]; }

void JobTable::ForEach(absl::FunctionRef<void(Job&)> visit) {
  for (auto it = jobs_.begin(); it != jobs_.end();) {
    Job& job = *it->second.job;
    ++it;  // before the visit, which may erase the job
    visit(job);
  }
}

void JobTable::Count(Entry& entry) {
  entry.shown = {entry.job->record.status.phase, entry.job->record.deleting()};
  ++phases_[static_cast<size_t>(entry.shown.phase)];
  if (entry.shown.tombstone_waiting) ++tombstones_waiting_;
}

void JobTable::Uncount(const Entry& entry) {
  --phases_[static_cast<size_t>(entry.shown.phase)];
  if (entry.shown.tombstone_waiting) --tombstones_waiting_;
}

void JobTable::Write(std::vector<Mutation> batch, absl::AnyInvocable<void(absl::Status)> done) {
  store_.Write(std::move(batch),
               [this, begun = clock_.Monotonic(), alive = std::weak_ptr<bool>(alive_),
                done = std::move(done)](absl::Status status) mutable {
                 if (alive.expired()) return;
                 if (watcher_) watcher_(clock_.Monotonic() - begun);
                 done(std::move(status));
               });
}

void JobTable::Create(JobRecord record, std::vector<Mutation> extra,
                      absl::AnyInvocable<void(absl::Status)> done) {
  std::string uid = record.job.key.uid;
  extra.push_back(Mutation::Put(JobStoreKey(uid), ToJson(record)));
  Entry& entry = jobs_[uid];
  CHECK(entry.job == nullptr) << "created twice";
  entry.job = std::make_unique<Job>();
  entry.job->record = std::move(record);
  entry.job->busy = true;
  Count(entry);
  Write(std::move(extra),
        [this, uid = std::move(uid), done = std::move(done)](absl::Status status) mutable {
          Entry* const entry = FindEntry(uid);
          if (!status.ok()) {
            // Nothing of it took effect, or, where that is not known, it is taken back.
            Write({Mutation::Delete(JobStoreKey(uid)), Mutation::Delete(BodyStoreKey(uid))},
                  [](absl::Status) {});
            std::vector<Event> waiting = std::move(entry->waiting);
            Uncount(*entry);
            jobs_.erase(uid);
            done(std::move(status));
            for (Event& event : waiting) event(nullptr);
            return;
          }
          entry->job->busy = false;
          done(absl::OkStatus());
          RunWaiting(uid);
        });
}

void JobTable::Post(absl::string_view uid, Event event) {
  Entry* const entry = FindEntry(uid);
  if (entry == nullptr) return event(nullptr);
  if (entry->job->busy) {
    entry->waiting.push_back(std::move(event));
    return;
  }
  event(entry->job.get());
}

void JobTable::RunWaiting(absl::string_view uid) {
  const std::string key(uid);  // the job's own may go with the job
  for (;;) {
    Entry* const entry = FindEntry(key);
    if (entry == nullptr || entry->job->busy || entry->waiting.empty()) return;
    Event next = std::move(entry->waiting.front());
    entry->waiting.erase(entry->waiting.begin());
    next(entry->job.get());
  }
}

void JobTable::Commit(Job& job, Outcome::Persist persist, std::vector<Mutation> extra,
                      absl::AnyInvocable<void(Job&)> done) {
  Entry* const entry = FindEntry(job.uid());
  CHECK(entry != nullptr && !job.busy);
  Uncount(*entry);
  Count(*entry);
  if (persist != Outcome::Persist::kNothing) {
    extra.push_back(Mutation::Put(JobStoreKey(job.uid()), ToJson(job.record)));
    if (persist == Outcome::Persist::kBefore) {
      job.busy = true;
      WriteBefore(job.uid(), std::move(extra), std::move(done));
      return;
    }
    WriteLater(job.uid(), std::move(extra));
  }
  if (done) done(job);
}

void JobTable::WriteBefore(std::string uid, std::vector<Mutation> batch,
                           absl::AnyInvocable<void(Job&)> done) {
  std::vector<Mutation> again = batch;
  Write(std::move(batch), [this, uid = std::move(uid), again = std::move(again),
                           done = std::move(done)](absl::Status status) mutable {
    Entry* const entry = FindEntry(uid);
    if (entry == nullptr) return;
    if (status.ok()) {
      entry->job->busy = false;
      if (done) done(*entry->job);
      RunWaiting(uid);
      return;
    }
    LOG_EVERY_N(ERROR, 100) << "a job's record cannot be written, trying again: "
                            << RedactUrls(std::string(status.message()));
    TryAgain(
        [this, uid = std::move(uid), again = std::move(again), done = std::move(done)]() mutable {
          WriteBefore(std::move(uid), std::move(again), std::move(done));
        });
  });
}

void JobTable::WriteLater(std::string uid, std::vector<Mutation> batch) {
  Write(std::move(batch), [this, uid = std::move(uid)](absl::Status status) mutable {
    Entry* const entry = FindEntry(uid);
    if (status.ok() || entry == nullptr || entry->job->dirty) return;
    entry->job->dirty = true;
    TryAgain([this, uid = std::move(uid)]() mutable {
      Entry* const entry = FindEntry(uid);
      if (entry == nullptr) return;
      entry->job->dirty = false;
      // A write that comes before anything else holds all this one would, and what belongs to it.
      if (entry->job->busy) return;
      // The newest record, whatever has happened since: it holds all that the lost one held.
      WriteLater(uid, {Mutation::Put(JobStoreKey(uid), ToJson(entry->job->record))});
    });
  });
}

void JobTable::TryAgain(absl::AnyInvocable<void()> write) {
  auto timer = std::make_shared<Timer>();  // its task holds it, until it has run
  *timer = loop_.RunAfter(kWriteRetry, [alive = std::weak_ptr<bool>(alive_), timer,
                                        write = std::move(write)]() mutable {
    if (!alive.expired()) write();
  });
}

void JobTable::Erase(absl::string_view uid) {
  auto it = jobs_.find(uid);
  if (it == jobs_.end()) return;
  const std::string key = it->first;
  Uncount(it->second);
  std::vector<Event> waiting = std::move(it->second.waiting);
  jobs_.erase(it);
  Write({Mutation::Delete(JobStoreKey(key)), Mutation::Delete(BodyStoreKey(key)),
         Mutation::Delete(BundleStoreKey(key))},
        [](absl::Status) {});
  for (Event& event : waiting) event(nullptr);
}

}  // namespace podferry
