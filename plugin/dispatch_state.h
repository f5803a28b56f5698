// The rules of dispatch (docs/protocol.md, "A job never gets lost, doubled or leaked") as pure
// functions: a record and what has happened to it give the new record and what must follow. Every
// rule here is one of the checked model's; those for a lost journal, which the model has not, say
// so. No clock, no bus, no store: the dispatcher brings the effects.

#ifndef PODFERRY_PLUGIN_DISPATCH_STATE_H_
#define PODFERRY_PLUGIN_DISPATCH_STATE_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/job/job_request.h"
#include "core/job/job_status.h"
#include "core/wire/messages.h"
#include "plugin/job_record.h"

namespace podferry {

// What is to be sent for a job, and sent again until it is answered. It follows from the record
// alone, so that a crash is no more than a lost message.
enum class Step {
  kNone,
  kOffer,   // to the pool: nobody has it
  kStart,   // to its owner
  kDelete,  // to its owner
  kForget,  // to the pool: it is deleted, and who has it, if anyone, is not known
};
Step NextStep(const JobRecord& record);

// What follows from an event.
struct Outcome {
  enum class Persist {
    kNothing,
    kLater,   // written, but nobody waits for it: losing it costs a message more
    kBefore,  // durable before anything else happens with the job
  };
  Persist persist = Persist::kNothing;
  bool changed = false;  // what GET /status answers may have changed
  bool fenced = false;   // a newer plugin of this origin has spoken: this one must stop
  // A reservation that is not needed; sent once the record is durable.
  struct Release {
    std::string submitter;
    uint32_t round = 0;
  };
  std::optional<Release> release;
};

// The script is made: from now on it is this one.
Outcome Freeze(JobRecord& record, const JobBundle& bundle, absl::Time now);
// The pool's BuildConfig cannot honour the pod, or the backend can never run it.
Outcome Reject(JobRecord& record, absl::string_view message, absl::Time now);

// `backend_id` is what the directory knows of reply.by, or empty.
Outcome OnOfferReply(JobRecord& record, const OfferReply& reply, absl::string_view backend_id,
                     absl::Time now);
Outcome OnStartReply(JobRecord& record, const StartReply& reply, absl::Time now);

// A status as its owner saw it. `number` is that of the delta, or of the snapshot that holds it; 0
// when it has none (then it only counts when it is further on).
Outcome OnStatus(JobRecord& record, const SubmitterStamp& by, uint64_t number,
                 const JobStatus& status, absl::Time now);

// Another submitter than the owner has the job. It becomes the owner if it serves the same backend
// and the owner is silent, or if there is no owner (a lost journal).
Outcome OnFound(JobRecord& record, const SubmitterStamp& by, absl::string_view backend_id,
                bool owner_silent, absl::Time now);

Outcome OnDeleteRequested(JobRecord& record, absl::Duration grace, absl::string_view why,
                          absl::Time now);
Outcome OnDeleteReply(JobRecord& record, const DeleteReply& reply, absl::Time now);
// An answer to a Find with `forget`.
Outcome OnForgetReply(JobRecord& record, const FindReply& reply, absl::Time now);

// The owner is gone for good: the job ends as NodeLost, with a tombstone for an owner that returns.
Outcome OnOwnerLost(JobRecord& record, absl::string_view message, absl::Time now);
// The operator says that the pool is gone: nothing is sent any more.
Outcome OnPoolForgotten(JobRecord& record, absl::Time now);

// How long to wait before the step is sent again: doubles from one second up to ten minutes.
// `answered`: the other side is there and only not done yet; then five seconds at most.
absl::Duration RetryDelay(int attempts, bool answered);

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_DISPATCH_STATE_H_
