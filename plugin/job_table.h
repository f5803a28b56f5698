// All jobs in memory, and their way into the store: a job's record is rewritten whole on every
// change. Bodies and scripts stay in the store.
//
// Owned by the daemon; event loop's thread only. Pointers to jobs are valid until the job is
// erased; nobody keeps one across a callback, but asks again with the UID.

#ifndef PODFERRY_PLUGIN_JOB_TABLE_H_
#define PODFERRY_PLUGIN_JOB_TABLE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/os/event_loop.h"
#include "core/store/store.h"
#include "plugin/dispatch_state.h"
#include "plugin/job_record.h"

namespace podferry {

struct Job {
  JobRecord record;

  // What is forgotten with the process.
  bool busy = false;        // a write is under way that comes before anything else
  bool dirty = false;       // a write failed that nobody waits for; it is done again
  bool vouched = true;      // somebody still wants it: false after a restart until it is polled
  Step step = Step::kNone;  // what the dispatcher is at: sent, queued, or waiting to be sent again
  int attempts = 0;         // of the step, without success
  uint32_t generation = 0;  // of the attempt: tells a late answer
  absl::Duration polled_at = absl::ZeroDuration();  // on the janitor's clock of polls
  absl::Duration sought_at = absl::ZeroDuration();  // when others were asked for it, monotonic

  // GET /status's answer; made again when `rendered_for` is not what it should be.
  std::string rendered;
  uint64_t rendered_for = 0;
  bool was_shown = false;  // with all its init containers waiting, see InterLinkApi::Status

  const std::string& uid() const { return record.job.key.uid; }
};

class JobTable {
 public:
  // What happens to a job; null if it is gone meanwhile.
  using Event = absl::AnyInvocable<void(Job*)>;

  JobTable(EventLoop& loop, const Clock& clock, Store& store);

  // Reads the records of the store. A record that cannot be read is left where it is and named in
  // damage(). `done` gets the store's error, if there was one.
  void Load(absl::AnyInvocable<void(absl::Status)> done);
  const std::vector<std::string>& damage() const { return damage_; }

  Job* Find(absl::string_view uid);
  size_t size() const { return jobs_.size(); }
  size_t CountOf(JobPhase phase) const;
  // Jobs that are deleted, but not known to be gone.
  size_t tombstones_waiting() const { return tombstones_waiting_; }
  // `visit` may erase the job that it is called with, and no other; it may not add any.
  void ForEach(absl::FunctionRef<void(Job&)> visit);

  // Adds a job that is durable when `done` says OK; until then it is busy. With an error it is gone
  // again. `extra` goes into the same write. There must be no job of that UID.
  void Create(JobRecord record, std::vector<Mutation> extra,
              absl::AnyInvocable<void(absl::Status)> done);

  // Runs `event` now, or as soon as the job is no longer busy.
  void Post(absl::string_view uid, Event event);

  // Writes the record. With kBefore the job is busy until it is durable, then `done` runs (not if
  // the job is erased meanwhile); with kLater it runs at once. A write that fails is done again
  // until it succeeds: what memory says must reach the disk. Not to be called for a busy job.
  void Commit(Job& job, Outcome::Persist persist, std::vector<Mutation> extra = {},
              absl::AnyInvocable<void(Job&)> done = nullptr);

  // Forgets the job, here and in the store.
  void Erase(absl::string_view uid);

  // Grows with every change of anything that a job's rendered status shows.
  void Touch(Job& job) { job.rendered_for = 0; }

  // Seconds a write took, for whoever measures; called on the loop.
  void WatchWrites(absl::AnyInvocable<void(absl::Duration)> watcher) {
    watcher_ = std::move(watcher);
  }

 private:
  struct Shown {  // as it is counted
    JobPhase phase = JobPhase::kUnspecified;
    bool tombstone_waiting = false;
  };
  struct Entry {
    std::unique_ptr<Job> job;
    Shown shown;
    std::vector<Event> waiting;  // while the job is busy
  };

  Entry* FindEntry(absl::string_view uid);
  void Count(Entry& entry);
  void Uncount(const Entry& entry);
  void Write(std::vector<Mutation> batch, absl::AnyInvocable<void(absl::Status)> done);
  void WriteBefore(std::string uid, std::vector<Mutation> batch,
                   absl::AnyInvocable<void(Job&)> done);
  void WriteLater(std::string uid, std::vector<Mutation> batch);
  void TryAgain(absl::AnyInvocable<void()> write);
  void RunWaiting(absl::string_view uid);

  EventLoop& loop_;
  const Clock& clock_;
  Store& store_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  absl::flat_hash_map<std::string, Entry> jobs_;
  std::array<size_t, 8> phases_{};
  size_t tombstones_waiting_ = 0;
  std::vector<std::string> damage_;
  absl::AnyInvocable<void(absl::Duration)> watcher_;
};

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_JOB_TABLE_H_
