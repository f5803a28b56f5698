// Ends what was deleted: cancels it in the backend, for as long as that takes, and notes when
// nothing of it is left. All of it can be taken up again from the tombstones alone.
//
// Owned by the daemon; loop thread only.

#ifndef PODFERRY_SUBMITTER_JOB_ENDER_H_
#define PODFERRY_SUBMITTER_JOB_ENDER_H_

#include <cstdint>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "core/base/clock.h"
#include "core/job/job_key.h"
#include "core/os/event_loop.h"
#include "submitter/backend/backend.h"
#include "submitter/lifetime.h"
#include "submitter/records.h"
#include "submitter/status_feed.h"

namespace podferry {

class JobEnder {
 public:
  // `gone`: the end of this job is durable: nothing of it runs and nothing ever will.
  JobEnder(Records& records, Backend& backend, StatusFeed& feed, const Clock& clock,
           EventLoop& loop, absl::AnyInvocable<void(const JobKey&)> gone);

  // Takes up every delete that the records say is not complete.
  void Resume();

  // The tombstone of this job is durable; `gone` follows. Calling it again begins anew, with the
  // grace that the record says now.
  void End(const JobKey& key);

 private:
  struct Work {
    uint64_t id = 0;
    int attempts = 0;
    Timer timer;
  };

  Work* Current(const JobKey& key, uint64_t id);
  void Try(const JobKey& key, uint64_t id);
  void FindThenCancel(const JobKey& key, uint64_t id);
  void Cancel(const JobKey& key, uint64_t id);
  void TryLater(const JobKey& key, uint64_t id);
  void Confirm(const JobKey& key, uint64_t id);

  Records& records_;
  Backend& backend_;
  StatusFeed& feed_;
  const Clock& clock_;
  EventLoop& loop_;
  absl::AnyInvocable<void(const JobKey&)> gone_;
  absl::flat_hash_map<JobKey, std::unique_ptr<Work>> work_;
  uint64_t last_id_ = 0;
  Lifetime lifetime_;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_JOB_ENDER_H_
