// Offers: from a job in its pool's queue to a reservation, or to the next attempt.

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/failpoint.h"
#include "core/wire/codec.h"
#include "glog/logging.h"
#include "plugin/dispatcher.h"
#include "plugin/store_keys.h"

namespace podferry {
namespace {

// How long second answers are listened to after the first: copies of one message come soon.
constexpr absl::Duration kSecondAnswers = absl::Seconds(2);

// How often a pool that we know nothing of is asked to announce itself.
constexpr absl::Duration kAskInterval = absl::Seconds(2);

// More of them help nobody who reads a pod's status.
constexpr size_t kMostWarnings = 16;

void TakeWarnings(JobRecord& record, std::vector<std::string> warnings, absl::Time now) {
  if (warnings.size() > kMostWarnings) {
    const size_t more = warnings.size() - kMostWarnings;
    warnings.resize(kMostWarnings);
    warnings.push_back(absl::StrCat("and ", more, " more"));
  }
  if (!warnings.empty()) {
    record.Note(now, absl::StrCat("ignored: ", absl::StrJoin(warnings, "; ")));
  }
  record.warnings = std::move(warnings);
}

// An error of the store that the next attempt may not have.
bool MayPass(const absl::Status& status) {
  return status.code() != absl::StatusCode::kNotFound &&
         status.code() != absl::StatusCode::kDataLoss;
}

}  // namespace

void Dispatcher::Enqueue(const Job& job) {
  const std::string& pool = job.record.job.pool;
  pools_[pool].queue.Push(job.uid());
  Pump(pool);
}

void Dispatcher::Pump(const std::string& pool) {
  auto it = pools_.find(pool);
  if (it == pools_.end() || options_.paused || fenced_ || !bus_.connected()) return;
  PoolOffers& offers = it->second;
  if (!directory_.Waiting(pool).reason.empty()) {
    const PoolInfo* const info = directory_.Find(pool);
    if (info == nullptr || info->config == nullptr) AskForAnnouncements(pool, offers);
    return;
  }
  while (std::optional<std::string> uid = offers.queue.Pop(clock_.Monotonic())) {
    BeginOffer(pool, *uid);
  }
  ArmPump(pool, offers);
}

// A pool that may have announced itself before we listened need not be waited for.
void Dispatcher::AskForAnnouncements(const std::string& pool, PoolOffers& offers) {
  const absl::Duration now = clock_.Monotonic();
  if (offers.queue.waiting() == 0 || now - offers.asked_at < kAskInterval) return;
  offers.asked_at = now;
  bus_.Publish(subjects_.Sync(pool), wire::Encode(SyncRequest{stamp_, "", ""})).IgnoreError();
}

void Dispatcher::ArmPump(const std::string& pool, PoolOffers& offers) {
  const absl::Duration next = offers.queue.next_try();
  const absl::Duration now = clock_.Monotonic();
  // With nothing to wait for, the end of an offer pumps.
  if (next <= now || next >= offers.timer_at) return;
  offers.timer_at = next;
  offers.timer = loop_.RunAfter(next - now, [this, pool] {
    auto it = pools_.find(pool);
    if (it == pools_.end()) return;
    it->second.timer_at = absl::InfiniteDuration();
    Pump(pool);
  });
}

void Dispatcher::EndSlot(const std::string& uid, SlotEnd end) {
  auto slot = slots_.find(uid);
  if (slot == slots_.end()) return;
  const std::string pool = std::move(slot->second);
  slots_.erase(slot);
  OfferQueue& queue = pools_[pool].queue;
  switch (end) {
    case SlotEnd::kSucceeded:
      queue.Succeeded();
      break;
    case SlotEnd::kFailed:
      queue.Failed(clock_.Monotonic());
      break;
    case SlotEnd::kDropped:
      queue.Dropped();
      break;
  }
  // Later: we may be in the middle of pumping.
  loop_.Post([this, pool, alive = std::weak_ptr<bool>(alive_)] {
    if (!alive.expired()) Pump(pool);
  });
}

void Dispatcher::BeginOffer(const std::string& pool, const std::string& uid) {
  if (!slots_.emplace(uid, pool).second) {
    pools_[pool].queue.Dropped();  // it stood in the queue twice
    return;
  }
  table_.Post(uid, [this, uid](Job* job) {
    if (job == nullptr || job->step != Step::kOffer) return EndSlot(uid, SlotEnd::kDropped);
    const uint32_t generation = ++job->generation;
    if (job->record.round > 0) {
      bundles_.Load(uid, [this, uid, generation,
                          alive = std::weak_ptr<bool>(alive_)](absl::StatusOr<std::string> script) {
        if (!alive.expired()) OnLoaded(uid, generation, std::move(script));
      });
      return;
    }
    const PoolInfo* const pool = directory_.Find(job->record.job.pool);
    CHECK(pool != nullptr && pool->config != nullptr) << "offered to a pool that is not ready";
    bundles_.Make(job->record, pool->config,
                  [this, uid, generation,
                   alive = std::weak_ptr<bool>(alive_)](absl::StatusOr<Translation> translation) {
                    if (!alive.expired()) OnTranslated(uid, generation, std::move(translation));
                  });
  });
}

void Dispatcher::OnTranslated(const std::string& uid, uint32_t generation,
                              absl::StatusOr<Translation> translation) {
  table_.Post(uid, [this, uid, generation, translation = std::move(translation)](Job* job) mutable {
    // What it was made for has been overtaken (a delete).
    if (job == nullptr || job->step != Step::kOffer || job->generation != generation) return;
    if (!translation.ok()) {
      if (MayPass(translation.status())) return Again(*job, false);
      return Apply(*job, Reject(job->record,
                                absl::StrCat("the pod cannot be read back from the plugin's "
                                             "store: ",
                                             translation.status().message()),
                                clock_.Now()));
    }
    if (!translation->issues.empty()) {
      return Apply(*job,
                   Reject(job->record,
                          absl::StrCat("pool ", job->record.job.pool,
                                       " cannot run this pod: ", translation->issues.ToString()),
                          clock_.Now()));
    }
    JobBundle& bundle = translation->bundle;
    if (job->record.source == JobSource::kCli) bundle.job.annotations[kSourceAnnotation] = "cli";
    const Outcome outcome = Freeze(job->record, bundle, clock_.Now());
    TakeWarnings(job->record, std::move(translation->warnings), clock_.Now());
    std::vector<Mutation> extra;
    extra.push_back(Mutation::Put(BundleStoreKey(uid), bundle.script));
    extra.push_back(Mutation::Delete(BodyStoreKey(uid)));
    table_.Commit(*job, outcome.persist, std::move(extra),
                  [this, generation, script = std::move(bundle.script)](Job& job) mutable {
                    if (job.generation == generation) SendOffer(job, std::move(script));
                  });
  });
}

void Dispatcher::OnLoaded(const std::string& uid, uint32_t generation,
                          absl::StatusOr<std::string> script) {
  table_.Post(uid, [this, generation, script = std::move(script)](Job* job) mutable {
    if (job == nullptr || job->step != Step::kOffer || job->generation != generation) return;
    if (script.ok()) return SendOffer(*job, *std::move(script));
    if (MayPass(script.status())) return Again(*job, false);
    Apply(*job, Reject(job->record,
                       absl::StrCat("its script cannot be read back from the plugin's store: ",
                                    script.status().message()),
                       clock_.Now()));
  });
}

void Dispatcher::SendOffer(Job& job, std::string script) {
  const JobRecord& record = job.record;
  Offer offer;
  offer.from = stamp_;
  offer.job = record.job;
  offer.round = record.round;
  offer.digest = record.digest;
  offer.size = script.size();
  if (static_cast<int64_t>(script.size()) <= bus_.MaxPayload() / 2) {
    offer.script = std::move(script);
  }
  Failpoint("plugin.dispatch.before_offer");
  observer_.OnOffered();
  const uint64_t id = next_id_++;
  SentOffer& sent = offers_[id];
  sent.uid = job.uid();
  sent.generation = job.generation;
  sent.timer = loop_.RunAfter(options_.offer_timeout, [this, id] { OnOfferTimer(id); });
  std::unique_ptr<Bus::Handle> answers = bus_.RequestMany(
      subjects_.Create(record.job.pool, record.job.SubjectName()), wire::Encode(offer),
      options_.reservation_time, [this, id](std::string payload) { OnOfferAnswer(id, payload); },
      [this, id] { OnOfferDone(id); });
  offers_[id].answers = std::move(answers);
}

void Dispatcher::OnOfferAnswer(uint64_t id, absl::string_view payload) {
  auto it = offers_.find(id);
  if (it == offers_.end() || fenced_) return;
  absl::StatusOr<OfferReply> reply = wire::Decode<OfferReply>(payload);
  if (!reply.ok()) {
    LOG_EVERY_N(WARNING, 100) << "an answer to an offer cannot be read: " << reply.status();
    return;  // the timer goes on
  }
  SentOffer& offer = it->second;
  offer.answered = true;
  offer.timer = loop_.RunAfter(kSecondAnswers, [this, id] { OnOfferTimer(id); });
  table_.Post(
      offer.uid, [this, generation = offer.generation, reply = *std::move(reply)](Job* job) {
        if (job == nullptr) return;
        const std::string pool = job->record.job.pool;
        Heard(pool, reply.by);
        if (reply.reserved) {
          Failpoint("plugin.dispatch.after_reservation");
          observer_.OnReserved();
        } else {
          observer_.OnRefused();
        }
        const SubmitterInfo* const submitter = directory_.FindSubmitter(pool, reply.by.id);
        const Outcome outcome = OnOfferReply(
            job->record, reply, submitter == nullptr ? "" : submitter->backend_id, clock_.Now());
        ApplyAnswer(*job, outcome, generation);
      });
}

void Dispatcher::OnOfferTimer(uint64_t id) {
  auto it = offers_.find(id);
  if (it == offers_.end()) return;
  if (it->second.answered) {
    offers_.erase(it);
    return;
  }
  // A reservation may still be on its way: the answers are listened to until it has lapsed.
  GiveUpOffer(it->second);
}

void Dispatcher::OnOfferDone(uint64_t id) {
  auto it = offers_.find(id);
  if (it == offers_.end()) return;
  SentOffer offer = std::move(it->second);
  offers_.erase(it);
  GiveUpOffer(offer);
}

void Dispatcher::GiveUpOffer(SentOffer& offer) {
  if (offer.answered || offer.given_up) return;
  offer.given_up = true;
  table_.Post(offer.uid, [this, generation = offer.generation](Job* job) {
    if (job != nullptr && job->step == Step::kOffer && job->generation == generation) {
      Again(*job, false);
    }
  });
}

}  // namespace podferry
