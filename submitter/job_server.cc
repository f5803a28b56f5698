#include "submitter/job_server.h"

#include <glog/logging.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/failpoint.h"
#include "core/base/status_macros.h"

namespace podferry {
namespace {

using Write = Records::Write;

constexpr uint64_t kMaxScript = uint64_t{64} << 20;
constexpr size_t kMaxCached = size_t{64} << 20;

// A refusal may have ended a reservation, and with it the need for its script.
Write KeepRefusal(JobRecord& record) {
  record.script_here = record.script_here && record.state.IsReserved();
  return {.kind = Write::Kind::kKeep, .drop_script = !record.script_here};
}

}  // namespace

JobServer::JobServer(std::string pool, Records& records, JobRunner& runner, StatusFeed& feed,
                     Bus& bus, const Clock& clock, EventLoop& loop, SubmitterMetrics& metrics)
    : pool_(std::move(pool)),
      records_(records),
      runner_(runner),
      feed_(feed),
      clock_(clock),
      metrics_(metrics),
      listener_(bus),
      reservations_(clock, loop, [this](const JobKey& key, uint32_t round) { Lapse(key, round); }),
      scripts_(kMaxCached) {
  // By the clock of this start: how long they have waited before it nobody knows.
  records_.ForEach([this](const JobRecord& record) {
    if (record.state.IsReserved()) reservations_.Add(record.job.key, record.state.reserved);
  });
}

absl::Status JobServer::Listen(const wire::Subjects& subjects, int responders) {
  const std::string& self = records_.self().id;
  PODFERRY_RETURN_IF_ERROR(listener_.On<Start>(
      subjects.AllJobs(pool_, self, "start"), "",
      [this](BusMessage message, const Start& start) { HandleStart(std::move(message), start); }));
  PODFERRY_RETURN_IF_ERROR(
      listener_.On<Release>(subjects.AllJobs(pool_, self, "release"), "",
                            [this](BusMessage message, const Release& release) {
                              HandleRelease(std::move(message), release);
                            }));
  for (int i = 0; i < responders; ++i) {
    PODFERRY_RETURN_IF_ERROR(
        listener_.On<Offer>(subjects.AllCreates(pool_), wire::EncodeToken(pool_),
                            [this](BusMessage message, Offer offer) {
                              HandleOffer(std::move(message), std::move(offer));
                            }));
  }
  return absl::OkStatus();
}

size_t JobServer::reservations() const {
  size_t count = 0;
  records_.ForEach([&](const JobRecord& record) { count += record.state.IsReserved() ? 1 : 0; });
  return count;
}

// --- Offers.

Verdict JobServer::CheckOffer(const Offer& offer, std::string* why) const {
  if (offer.size == 0 || offer.size > kMaxScript) {
    *why = absl::StrCat("a script of ", offer.size, " bytes; it must have 1 to ", kMaxScript);
    return {.refusal = Refusal::kUnfit};
  }
  if (!offer.script.empty() &&
      (offer.script.size() != offer.size || Sha256Hex(offer.script) != offer.digest)) {
    *why = "the script came damaged";
    return {.refusal = Refusal::kBusy};
  }
  if (draining_) {
    *why = "the submitter is leaving";
    return {.refusal = Refusal::kDraining};
  }
  return {.accepted = true};
}

void JobServer::HandleOffer(BusMessage message, Offer offer) {
  OfferReply reply{.by = records_.self(), .round = offer.round};
  if (!records_.Admit(offer.from)) {
    reply.refusal = Refusal::kStaleEpoch;
    return listener_.Respond(message, reply);
  }
  // Those we have already are answered by their records, whatever else is the matter now.
  const JobRecord* record = records_.Find(offer.job.key);
  const bool known = record != nullptr && (record->state.HasStarted() || record->state.tombstone);
  const Verdict verdict = CheckOffer(offer, &reply.message);
  if (!known && !verdict.accepted) {
    metrics_.offers_refused.Increment();
    reply.refusal = verdict.refusal;
    return listener_.Respond(message, reply);
  }
  auto result = std::make_shared<Result>();
  auto shared = std::make_shared<Offer>(std::move(offer));
  records_.Update(
      shared->job.key,
      [this, result, shared](JobRecord& record) { return Reserve(record, *shared, *result); },
      lifetime_.Bind([this, result, shared, message = std::move(message)](absl::Status status) {
        AnswerOffer(message, *shared, *result, status);
      }));
}

Write JobServer::Reserve(JobRecord& record, const Offer& offer, Result& result) {
  const JobState before = record.state;
  result.verdict = OnOffer(record.state, offer.round, record.digest == offer.digest);
  if (record.state == before) return {};
  if (!result.verdict.accepted) return KeepRefusal(record);
  Failpoint("submitter.reserve.before_journal");
  result.fresh = true;
  record.job = offer.job;
  record.job.pool = pool_;
  record.digest = offer.digest;
  record.size = offer.size;
  record.script_here = !offer.script.empty();
  record.Note(clock_.Now(), absl::StrCat("reserved for round ", offer.round));
  Write write{.kind = Write::Kind::kKeep, .drop_script = true};
  if (record.script_here) write.script = offer.script;
  return write;
}

void JobServer::AnswerOffer(const BusMessage& message, Offer& offer, const Result& result,
                            const absl::Status& journalled) {
  const JobKey& key = offer.job.key;
  OfferReply reply{.by = records_.self(), .round = offer.round};
  const JobRecord* record = records_.Find(key);
  if (record != nullptr) reply.refused_up_to = record->state.refused_up_to;
  if (journalled.ok()) {
    reply.reserved = result.verdict.accepted;
    reply.refusal = result.verdict.refusal;
  } else {
    reply.refusal = Refusal::kBusy;
    reply.message = absl::StrCat("the submitter cannot journal: ", journalled.message());
    LOG(ERROR) << key.ToString() << ": offer refused: " << journalled;
  }
  (reply.reserved ? metrics_.offers_reserved : metrics_.offers_refused).Increment();
  if (reply.reserved && result.fresh) {
    Failpoint("submitter.reserve.after_journal");
    reservations_.Add(key, offer.round);
    scripts_.Put(key, std::move(offer.script));
  }
  listener_.Respond(message, reply);
}

void JobServer::Lapse(const JobKey& key, uint32_t round) {
  auto lapsed = std::make_shared<bool>(false);
  records_.Update(
      key,
      [this, round, lapsed](JobRecord& record) -> Write {
        const JobState before = record.state;
        OnLapse(record.state, round);
        if (record.state == before) return {};
        *lapsed = true;
        record.Note(clock_.Now(), absl::StrCat("reservation of round ", round, " lapsed"));
        return KeepRefusal(record);
      },
      lifetime_.Bind([this, key, round, lapsed](absl::Status status) {
        if (!status.ok()) return reservations_.Add(key, round);
        if (!*lapsed) return;
        metrics_.lapses.Increment();
        scripts_.Take(key);
      }));
}

// --- Starts.

void JobServer::HandleStart(BusMessage message, const Start& start) {
  if (!records_.Admit(start.from)) {
    return listener_.Respond(
        message,
        StartReply{.by = records_.self(), .round = start.round, .refusal = Refusal::kStaleEpoch});
  }
  auto result = std::make_shared<Result>();
  records_.Update(
      start.key, [this, result, start](JobRecord& record) { return Begin(record, start, *result); },
      lifetime_.Bind([this, result, start, message = std::move(message)](absl::Status status) {
        // Not journalled is not answered: the start will be sent again.
        if (status.ok()) return AnswerStart(message, start, *result);
        LOG(ERROR) << start.key.ToString() << ": its start cannot be journalled: " << status;
      }));
}

Write JobServer::Begin(JobRecord& record, const Start& start, Result& result) {
  const JobState before = record.state;
  result.verdict = OnStart(record.state, start.round, record.digest == start.digest);
  if (record.state == before) return {};
  if (!result.verdict.accepted) {
    record.Note(clock_.Now(), absl::StrCat("start of round ", start.round, " refused"));
    return KeepRefusal(record);
  }
  Failpoint("submitter.start.before_journal");
  result.fresh = true;
  record.status = FreshStatus(record.job, clock_.Now());
  record.Note(clock_.Now(), absl::StrCat("started in round ", start.round));
  return {.kind = Write::Kind::kKeep};
}

void JobServer::AnswerStart(const BusMessage& message, const Start& start, const Result& result) {
  StartReply reply{.by = records_.self(),
                   .round = start.round,
                   .started = result.verdict.accepted,
                   .refusal = result.verdict.refusal};
  reply.status.key = start.key;
  if (const JobRecord* record = records_.Find(start.key)) {
    reply.refused_up_to = record->state.refused_up_to;
    if (reply.started) reply.status = record->status;
  }
  if (result.fresh) {
    Failpoint("submitter.start.after_journal");
    runner_.Run(start.key, scripts_.Take(start.key));
    feed_.Changed(start.key);
  }
  listener_.Respond(message, reply);
}

// --- Releases.

void JobServer::HandleRelease(BusMessage message, const Release& release) {
  ReleaseReply reply{.by = records_.self()};
  if (!records_.Admit(release.from)) {
    reply.refusal = Refusal::kStaleEpoch;
    return listener_.Respond(message, reply);
  }
  auto verdict = std::make_shared<Verdict>();
  const JobKey key = release.key;
  records_.Update(
      key,
      [this, verdict, round = release.round](JobRecord& record) -> Write {
        const JobState before = record.state;
        *verdict = OnRelease(record.state, round);
        if (record.state == before) return {};
        record.Note(clock_.Now(), absl::StrCat("released in round ", round));
        return KeepRefusal(record);
      },
      lifetime_.Bind(
          [this, key, verdict, reply, message = std::move(message)](absl::Status status) mutable {
            if (!status.ok()) return;
            const JobRecord* record = records_.Find(key);
            if (record != nullptr) reply.refused_up_to = record->state.refused_up_to;
            if (record == nullptr || !record->state.IsReserved()) scripts_.Take(key);
            reply.released = verdict->accepted;
            listener_.Respond(message, reply);
          }));
}

}  // namespace podferry
