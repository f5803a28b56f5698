// All that a submitter must not forget, on a durable store: its own id and how often it has been
// started, the highest epoch of each origin, and a record per job.
//
// Journal first, then act: a change is asked for by Update(), and what follows from it is done when
// it is durable. Changes of one job run one after the other, each on the durable outcome of the one
// before it, so that no answer ever leaves on a state that a crash would take back.
//
// Owned by the daemon; loop thread only.

#ifndef PODFERRY_SUBMITTER_RECORDS_H_
#define PODFERRY_SUBMITTER_RECORDS_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/base/clock.h"
#include "core/job/job_key.h"
#include "core/store/store.h"
#include "core/wire/messages.h"
#include "submitter/job_record.h"
#include "submitter/lifetime.h"

namespace podferry {

class Records {
 public:
  // What is to happen to a record that a change has looked at.
  struct Write {
    enum class Kind { kNothing, kKeep, kRemove };
    Kind kind = Kind::kNothing;         // kKeep: as changed, durably; kRemove: no record any more
    std::optional<std::string> script;  // with kKeep: kept beside it, until it is dropped
    bool drop_script = false;
  };
  // Gets a copy of the record (a fresh one, with only the key, where there is none) to change.
  using Change = absl::AnyInvocable<Write(JobRecord&)>;
  using Done = absl::AnyInvocable<void(absl::Status)>;

  // Reads the store, and counts this start: the epoch is durable before `done`. Records that cannot
  // be read are reported by unreadable() and left alone. Errors are the store's.
  // `boot_id` names this start of the machine.
  static void Open(Store& store, const Clock& clock, std::string boot_id,
                   absl::AnyInvocable<void(absl::StatusOr<std::unique_ptr<Records>>)> done);

  const SubmitterStamp& self() const { return self_; }

  // Whether the machine has been restarted since this record was written last.
  bool IsFromEarlierBoot(const JobRecord& record) const { return record.epoch < boot_epoch_; }

  // False: a newer plugin of that origin has spoken. A newer epoch is kept, before anything that is
  // written afterwards.
  bool Admit(const PluginStamp& from);

  // The durable record; null: none. Valid until the loop runs on.
  const JobRecord* Find(const JobKey& key) const;
  void ForEach(absl::FunctionRef<void(const JobRecord&)> visit) const;  // in the order of the keys
  // From `after` on (not included), in the order of the keys, until `visit` says false.
  void ForEachAfter(const std::optional<JobKey>& after,
                    absl::FunctionRef<bool(const JobRecord&)> visit) const;
  size_t size() const { return slots_.size(); }

  // `change` runs once earlier changes of this job are durable (inline when there are none), and
  // `done` when its own is (inline when it writes nothing). With an error nothing has changed.
  void Update(const JobKey& key, Change change, Done done);

  void ReadScript(const JobKey& key,
                  absl::AnyInvocable<void(absl::StatusOr<std::string>)> done) const;

  // Calls back when all that was asked for until now is durable, or has failed.
  void Flush(absl::AnyInvocable<void()> done);

  const std::vector<std::string>& unreadable() const { return unreadable_; }

 private:
  struct PendingChange {
    Change change;
    Done done;
  };
  struct Slot {
    std::optional<JobRecord> record;
    bool writing = false;
    std::list<PendingChange> waiting;  // does not move what is running
  };

  Records(Store& store, const Clock& clock) : store_(store), clock_(clock) {}
  absl::Status Load(const Store::Entries& entries);
  void Start(const std::string& boot_id, absl::AnyInvocable<void(absl::Status)> done);
  std::string SelfToJson() const;
  absl::Status ParseSelf(absl::string_view text);
  void RunNext(const JobKey& key, Slot& slot);
  void Apply(const JobKey& key, JobRecord record, Write write, Done done);
  void Finished();

  Store& store_;
  const Clock& clock_;
  SubmitterStamp self_;
  std::string boot_id_;
  uint64_t boot_epoch_ = 0;  // the first of this boot
  absl::flat_hash_map<std::string, uint64_t> epochs_;
  // Ordered, for snapshots in pages; nodes do not move while a change looks at them.
  std::map<JobKey, Slot> slots_;
  std::vector<std::string> unreadable_;
  size_t writing_ = 0;
  std::vector<absl::AnyInvocable<void()>> flushes_;
  Lifetime lifetime_;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_RECORDS_H_
