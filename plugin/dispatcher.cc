#include "plugin/dispatcher.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/failpoint.h"
#include "core/wire/codec.h"
#include "glog/logging.h"
#include "plugin/store_keys.h"

namespace podferry {
namespace {

// Starts, deletes and searches that may be under way at once, beside those of fresh offers.
constexpr size_t kRetriesUnderWay = 256;

}  // namespace

Dispatcher::Dispatcher(EventLoop& loop, const Clock& clock, Bus& bus, JobTable& table,
                       PoolDirectory& directory, BundleMaker& bundles, wire::Subjects subjects,
                       PluginStamp stamp, DispatchObserver& observer, DispatcherOptions options)
    : loop_(loop),
      clock_(clock),
      bus_(bus),
      table_(table),
      directory_(directory),
      bundles_(bundles),
      subjects_(std::move(subjects)),
      stamp_(std::move(stamp)),
      observer_(observer),
      options_(options),
      retries_(loop, clock, kRetriesUnderWay, [this](const std::string& uid) { RunStep(uid); }) {}

void Dispatcher::Start() {
  connection_ = bus_.WatchConnection([this](bool connected) { OnConnection(connected); });
  table_.ForEach([this](Job& job) {
    if (!job.record.owner.empty()) {
      directory_.Ensure(job.record.job.pool, job.record.owner, job.record.owner_backend);
    }
    Advance(job);
  });
}

void Dispatcher::OnConnection(bool connected) {
  ++connection_version_;
  if (!connected) return;
  for (auto& [pool, offers] : pools_) {
    offers.queue.Encourage();
    Pump(pool);
  }
  table_.ForEach([this](Job& job) { RetryNow(job); });
}

void Dispatcher::RetryNow(Job& job) {
  if (job.attempts == 0 || job.step == Step::kNone || job.step == Step::kOffer) return;
  job.attempts = 0;
  retries_.Set(job.uid(), absl::ZeroDuration());
}

void Dispatcher::OnPoolChanged(absl::string_view pool) {
  auto it = pools_.find(std::string(pool));
  if (it == pools_.end()) return;
  it->second.queue.Encourage();
  Pump(it->first);
}

void Dispatcher::OnRevived(absl::string_view pool, absl::string_view submitter) {
  OnPoolChanged(pool);
  table_.ForEach([&](Job& job) {
    const bool its_own =
        job.record.owner == submitter || (job.step == Step::kForget && job.record.job.pool == pool);
    if (its_own) RetryNow(job);
  });
}

void Dispatcher::Fence() {
  if (fenced_) return;
  fenced_ = true;
  ++connection_version_;
  LOG(ERROR) << "a newer plugin of origin " << stamp_.origin
             << " is at work: this one sends nothing any more";
}

void Dispatcher::Heard(const std::string& pool, const SubmitterStamp& by) {
  if (heard_) heard_(pool, by);
}

void Dispatcher::Advance(Job& job) {
  if (job.busy || fenced_) return;
  Step step = NextStep(job.record);
  // After a restart nothing new is begun for a pod that may be gone meanwhile.
  if (step == Step::kOffer && !job.vouched) step = Step::kNone;
  if (step == job.step) return;
  const Step was = std::exchange(job.step, step);
  job.attempts = 0;
  ++job.generation;
  retries_.Remove(job.uid());
  if (step != Step::kStart) {
    const bool started = was == Step::kStart && step == Step::kNone && job.record.started;
    if (started) observer_.OnStarted(clock_.Now() - job.record.created_at);
    EndSlot(job.uid(), started                                       ? SlotEnd::kSucceeded
                       : was == Step::kStart && step == Step::kOffer ? SlotEnd::kFailed
                                                                     : SlotEnd::kDropped);
  }
  switch (step) {
    case Step::kNone:
      return;
    case Step::kOffer:
      return Enqueue(job);
    case Step::kStart:
      // Its offer has a place under way, which it keeps; others wait for one.
      if (slots_.contains(job.uid())) return SendStart(job, /*from_retries=*/false);
      [[fallthrough]];
    case Step::kDelete:
    case Step::kForget:
      retries_.Set(job.uid(), absl::ZeroDuration());
  }
}

void Dispatcher::Again(Job& job, bool answered) {
  observer_.OnRetried(job.step);
  EndSlot(job.uid(), SlotEnd::kFailed);
  if (job.step == Step::kOffer) {
    ++job.attempts;
    return Enqueue(job);
  }
  retries_.Set(job.uid(), RetryDelay(job.attempts++, answered));
}

void Dispatcher::Apply(Job& job, Outcome outcome) {
  ApplyAnswer(job, std::move(outcome), job.generation - 1);
}

// `generation`: of the attempt that was answered; another than the job's is no attempt's answer.
void Dispatcher::ApplyAnswer(Job& job, Outcome outcome, uint32_t generation) {
  if (outcome.fenced) return Fence();
  if (outcome.changed) table_.Touch(job);
  const bool owned = job.step == Step::kOffer && NextStep(job.record) == Step::kStart;
  if (owned) Failpoint("plugin.dispatch.before_owner_sync");
  std::vector<Mutation> extra;
  const bool done = job.record.tombstone.has_value() && job.record.tombstone->confirmed();
  if (done || IsFinal(job.record.status.phase)) {
    extra.push_back(Mutation::Delete(BodyStoreKey(job.uid())));
  }
  if (done) extra.push_back(Mutation::Delete(BundleStoreKey(job.uid())));
  if (outcome.persist == Outcome::Persist::kNothing) extra.clear();
  table_.Commit(job, outcome.persist, std::move(extra),
                [this, release = std::move(outcome.release), generation, owned](Job& job) {
                  if (owned) Failpoint("plugin.dispatch.after_owner_sync");
                  if (release.has_value()) SendRelease(job, *release);
                  Settle(job, generation, /*answered=*/true);
                });
}

void Dispatcher::Settle(Job& job, uint32_t generation, bool answered) {
  if (fenced_) return;
  if (NextStep(job.record) != job.step) return Advance(job);
  if (job.step != Step::kNone && generation == job.generation) Again(job, answered);
}

void Dispatcher::Delete(Job& job, absl::Duration grace, absl::string_view why,
                        absl::AnyInvocable<void()> done) {
  const bool offered = job.record.owner.empty() && job.record.round > 0;
  Outcome outcome = OnDeleteRequested(job.record, grace, why, clock_.Now());
  if (outcome.persist == Outcome::Persist::kNothing) return done();
  if (offered) BroadcastForget(job);
  // What is done once it is durable waits behind the write like every other event.
  const std::string uid = job.uid();
  Apply(job, std::move(outcome));
  table_.Post(uid, [done = std::move(done)](Job*) mutable { done(); });
}

void Dispatcher::RunStep(const std::string& uid) {
  table_.Post(uid, [this](Job* job) {
    if (job == nullptr || fenced_) return retries_.Done();
    switch (job->step) {
      case Step::kStart:
        return SendStart(*job, /*from_retries=*/true);
      case Step::kDelete:
        return SendDelete(*job);
      case Step::kForget:
        return SendForget(*job);
      case Step::kNone:
      case Step::kOffer:
        return retries_.Done();
    }
  });
}

// Sends a request about the job to its owner. `judge` makes an outcome of the answer.
template <typename Reply, typename Judge>
void Dispatcher::Ask(Job& job, absl::string_view verb, std::string payload, absl::Duration timeout,
                     bool from_retries, Judge judge) {
  const JobDescription& description = job.record.job;
  const uint32_t generation = ++job.generation;
  bus_.Request(subjects_.Job(description.pool, job.record.owner, verb, description.SubjectName()),
               std::move(payload), timeout,
               [this, uid = job.uid(), generation, from_retries, judge = std::move(judge),
                alive = std::weak_ptr<bool>(alive_)](absl::StatusOr<std::string> answer) mutable {
                 if (alive.expired()) return;
                 if (from_retries) retries_.Done();
                 table_.Post(uid, [this, generation, judge = std::move(judge),
                                   answer = std::move(answer)](Job* job) mutable {
                   if (job == nullptr || fenced_) return;
                   absl::StatusOr<Reply> reply = answer.ok()
                                                     ? wire::Decode<Reply>(*answer)
                                                     : absl::StatusOr<Reply>(answer.status());
                   if (!reply.ok()) return Settle(*job, generation, /*answered=*/false);
                   Heard(job->record.job.pool, reply->by);
                   ApplyAnswer(*job, judge(*job, *reply), generation);
                 });
               });
}

void Dispatcher::SendStart(Job& job, bool from_retries) {
  podferry::Start start{stamp_, job.record.job.key, job.record.round, job.record.digest};
  Ask<StartReply>(job, "start", wire::Encode(start), options_.start_timeout, from_retries,
                  [this](Job& job, const StartReply& reply) {
                    return OnStartReply(job.record, reply, clock_.Now());
                  });
  Failpoint("plugin.dispatch.after_start");
}

void Dispatcher::SendDelete(Job& job) {
  podferry::Delete message{stamp_, job.record.job.key, job.record.tombstone->grace};
  Ask<DeleteReply>(job, "delete", wire::Encode(message), options_.delete_timeout,
                   /*from_retries=*/true, [this](Job& job, const DeleteReply& reply) {
                     if (reply.confirmed) Failpoint("plugin.delete.after_confirm");
                     return OnDeleteReply(job.record, reply, clock_.Now());
                   });
}

void Dispatcher::SendRelease(const Job& job, const Outcome::Release& release) {
  const JobDescription& description = job.record.job;
  bus_.Request(
      subjects_.Job(description.pool, release.submitter, "release", description.SubjectName()),
      wire::Encode(Release{stamp_, description.key, release.round}), options_.start_timeout,
      [](absl::StatusOr<std::string>) {});  // what is not released lapses
}

// Whoever was offered the job keeps in mind that it is over. Nothing depends on it: nothing of it
// was started, and nothing will be.
void Dispatcher::BroadcastForget(const Job& job) {
  const JobDescription& description = job.record.job;
  bus_.Publish(subjects_.Find(description.pool, description.SubjectName()),
               wire::Encode(Find{stamp_, description.key, /*forget=*/true}))
      .IgnoreError();
}

PoolDirectory::WaitReason Dispatcher::Waiting(const Job& job) const {
  if (fenced_) return {"Fenced", "another plugin has taken this one's place"};
  if (options_.paused) return {"DispatchPaused", "the plugin was started with --pause-dispatch"};
  if (!job.vouched) {
    return {"AwaitingPoll", "the plugin has restarted and waits to hear that the pod still exists"};
  }
  if (!bus_.connected()) return {"NatsUnavailable", "the plugin is not connected to NATS"};
  PoolDirectory::WaitReason reason = directory_.Waiting(job.record.job.pool);
  if (!reason.reason.empty()) return reason;
  if (!job.record.status.message.empty()) return {"PoolBusy", job.record.status.message};
  return {"Queued", absl::StrCat("waits for pool ", job.record.job.pool)};
}

size_t Dispatcher::queued(absl::string_view pool) const {
  auto it = pools_.find(std::string(pool));
  return it == pools_.end() ? 0 : it->second.queue.waiting();
}

}  // namespace podferry
