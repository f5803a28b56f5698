#include "plugin/dispatch_state.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace podferry {
namespace {

using Persist = Outcome::Persist;

Outcome Changed(Persist persist) { return {.persist = persist, .changed = true}; }

// An end that is decided here, not by the owner.
void Fail(JobRecord& record, FailureReason reason, absl::string_view message, absl::Time now) {
  record.status.phase = JobPhase::kFailed;
  record.status.failure = reason;
  record.status.message = std::string(message);
  record.status.changed_at = now;
  record.Note(now, absl::StrCat("failed, ", ToString(reason), ": ", message));
}

// If somebody may have it, a tombstone sees to it that nothing of it goes on.
void BuryAtOwner(JobRecord& record, absl::string_view why, absl::Time now) {
  if (record.tombstone.has_value() || record.owner.empty()) return;
  record.tombstone =
      Tombstone{.requested_at = now, .grace = record.job.grace, .why = std::string(why)};
}

void TakeOwner(JobRecord& record, const SubmitterStamp& by, absl::string_view backend_id) {
  record.owner = by.id;
  record.owner_epoch = by.epoch;
  if (!backend_id.empty()) record.owner_backend = std::string(backend_id);
}

// No round up to `refused` will be accepted by whom we asked: the next one can be.
void NextRound(JobRecord& record, uint32_t refused) {
  record.round = std::max(record.round, refused) + 1;
}

Outcome FailForGood(JobRecord& record, FailureReason reason, absl::string_view message,
                    absl::Time now) {
  Fail(record, reason, message, now);
  BuryAtOwner(record, ToString(reason), now);
  return Changed(Persist::kBefore);
}

absl::string_view MessageOr(const std::string& message, absl::string_view other) {
  return message.empty() ? other : absl::string_view(message);
}

constexpr char kDeletedThere[] = "the pool has a tombstone for this job: it was deleted there";

// A refusal that ends the job wherever it comes from.
std::optional<Outcome> FinalRefusal(JobRecord& record, Refusal refusal, const std::string& message,
                                    absl::Time now) {
  if (refusal == Refusal::kUnfit) {
    return FailForGood(record, FailureReason::kSubmitRejected,
                       MessageOr(message, "the backend can never run it"), now);
  }
  if (refusal == Refusal::kTombstone) {
    return FailForGood(record, FailureReason::kNodeLost, MessageOr(message, kDeletedThere), now);
  }
  return std::nullopt;
}

Outcome OnReservation(JobRecord& record, const OfferReply& reply, absl::string_view backend_id,
                      absl::Time now) {
  const bool wanted =
      NextStep(record) == Step::kOffer && record.round > 0 && reply.round == record.round;
  if (!wanted) {
    // Repeated answers of the owner are no second reservation.
    if (reply.by.id == record.owner) return {};
    return {.release = Outcome::Release{reply.by.id, reply.round}};
  }
  TakeOwner(record, reply.by, backend_id);
  record.status.phase = JobPhase::kReserved;
  record.status.message.clear();
  record.status.changed_at = now;
  record.Note(now, absl::StrCat("reserved by ", reply.by.id, " in round ", record.round));
  return Changed(Persist::kBefore);
}

bool Newer(const JobRecord& record, const SubmitterStamp& by, uint64_t number,
           const JobStatus& status) {
  if (status.phase < record.status.phase) return false;
  if (number == 0) {
    return status.phase > record.status.phase || record.status.containers.empty();
  }
  return std::tie(by.epoch, number) > std::tie(record.status_epoch, record.status_number);
}

Outcome ApplyStatus(JobRecord& record, const SubmitterStamp& by, uint64_t number,
                    const JobStatus& status, absl::Time now) {
  if (number > 0) {
    record.status_epoch = by.epoch;
    record.status_number = number;
  }
  if (status.phase != record.status.phase) {
    std::string event = std::string(ToString(status.phase));
    if (status.phase == JobPhase::kFailed) absl::StrAppend(&event, ", ", ToString(status.failure));
    if (!status.message.empty()) absl::StrAppend(&event, ": ", status.message);
    record.Note(now, std::move(event));
  }
  record.status = status;
  record.status.key = record.job.key;
  record.started = true;
  record.owner_epoch = std::max(record.owner_epoch, by.epoch);
  return Changed(Persist::kLater);
}

Outcome Confirm(JobRecord& record, absl::Time now) {
  record.tombstone->confirmed_at = now;
  if (!IsFinal(record.status.phase)) {
    record.status.phase = JobPhase::kDeleted;
    record.status.changed_at = now;
  }
  record.Note(now, "delete confirmed");
  return Changed(Persist::kBefore);
}

}  // namespace

Step NextStep(const JobRecord& record) {
  if (record.tombstone.has_value()) {
    if (record.tombstone->confirmed()) return Step::kNone;
    return record.owner.empty() ? Step::kForget : Step::kDelete;
  }
  if (IsFinal(record.status.phase)) return Step::kNone;
  if (record.owner.empty()) return Step::kOffer;
  return record.started ? Step::kNone : Step::kStart;
}

Outcome Freeze(JobRecord& record, const JobBundle& bundle, absl::Time now) {
  record.job = bundle.job;
  record.digest = bundle.digest;
  record.script_size = bundle.script.size();
  record.round = 1;
  record.Note(now, absl::StrCat("script of ", record.script_size, " bytes made"));
  return {.persist = Persist::kBefore};
}

Outcome Reject(JobRecord& record, absl::string_view message, absl::Time now) {
  return FailForGood(record, FailureReason::kSubmitRejected, message, now);
}

Outcome OnOfferReply(JobRecord& record, const OfferReply& reply, absl::string_view backend_id,
                     absl::Time now) {
  if (reply.refusal == Refusal::kStaleEpoch) return {.fenced = true};
  if (reply.reserved) return OnReservation(record, reply, backend_id, now);
  if (NextStep(record) != Step::kOffer || reply.round != record.round) return {};
  if (std::optional<Outcome> end = FinalRefusal(record, reply.refusal, reply.message, now)) {
    return *end;
  }
  Outcome outcome{.changed = record.status.message != reply.message};
  record.status.message = reply.message;
  if (reply.refused_up_to >= record.round) {
    NextRound(record, reply.refused_up_to);
    outcome.persist = Persist::kBefore;
  }
  return outcome;
}

Outcome OnStartReply(JobRecord& record, const StartReply& reply, absl::Time now) {
  if (reply.refusal == Refusal::kStaleEpoch) return {.fenced = true};
  if (NextStep(record) != Step::kStart || reply.by.id != record.owner ||
      reply.round != record.round) {
    return {};
  }
  if (reply.started) {
    record.started = true;
    record.owner_epoch = std::max(record.owner_epoch, reply.by.epoch);
    if (reply.status.phase > JobPhase::kSubmitted) {
      return ApplyStatus(record, reply.by, 0, reply.status, now);
    }
    record.status.phase = JobPhase::kSubmitted;
    record.status.message = reply.status.message;
    record.status.backend_job_id = reply.status.backend_job_id;
    record.status.changed_at = now;
    record.Note(now, "started");
    return Changed(Persist::kLater);
  }
  if (std::optional<Outcome> end = FinalRefusal(record, reply.refusal, reply.message, now)) {
    return *end;
  }
  // Only what the owner has journalled makes the job free again.
  if (reply.refused_up_to < record.round) return {};
  record.Note(now, absl::StrCat("refused by ", record.owner, " in round ", record.round,
                                reply.message.empty() ? "" : ": ", reply.message));
  record.owner.clear();
  record.owner_backend.clear();
  record.owner_epoch = 0;
  NextRound(record, reply.refused_up_to);
  record.status.phase = JobPhase::kQueued;
  record.status.message = reply.message;
  record.status.changed_at = now;
  return Changed(Persist::kBefore);
}

Outcome OnStatus(JobRecord& record, const SubmitterStamp& by, uint64_t number,
                 const JobStatus& status, absl::Time now) {
  if (by.id != record.owner || IsFinal(record.status.phase)) return {};
  if (status.phase < JobPhase::kSubmitted || !Newer(record, by, number, status)) return {};
  if (status.phase == JobPhase::kDeleted) {
    if (record.tombstone.has_value()) return {};  // its confirmation will say so
    return FailForGood(record, FailureReason::kNodeLost, MessageOr(status.message, kDeletedThere),
                       now);
  }
  return ApplyStatus(record, by, number, status, now);
}

Outcome OnFound(JobRecord& record, const SubmitterStamp& by, absl::string_view backend_id,
                bool owner_silent, absl::Time now) {
  if (by.id == record.owner) return {};
  const Step step = NextStep(record);
  const bool over = step == Step::kNone && IsFinal(record.status.phase);
  if (over || (record.tombstone.has_value() && record.tombstone->confirmed())) return {};
  if (!record.owner.empty()) {
    const bool same_backend = !backend_id.empty() && backend_id == record.owner_backend;
    if (!same_backend || !owner_silent) return {};
  }
  TakeOwner(record, by, backend_id);
  record.started = true;
  if (record.status.phase < JobPhase::kSubmitted) record.status.phase = JobPhase::kSubmitted;
  record.status.changed_at = now;
  record.Note(now, absl::StrCat("found at ", by.id, ", which answers for it from now on"));
  return Changed(Persist::kBefore);
}

Outcome OnDeleteRequested(JobRecord& record, absl::Duration grace, absl::string_view why,
                          absl::Time now) {
  if (record.tombstone.has_value()) return {};
  record.tombstone = Tombstone{.requested_at = now, .grace = grace, .why = std::string(why)};
  record.Note(now, absl::StrCat("delete requested: ", why));
  // With no owner nothing was ever started.
  if (record.owner.empty()) return Confirm(record, now);
  return Changed(Persist::kBefore);
}

Outcome OnDeleteReply(JobRecord& record, const DeleteReply& reply, absl::Time now) {
  if (reply.refusal == Refusal::kStaleEpoch) return {.fenced = true};
  if (NextStep(record) != Step::kDelete || reply.by.id != record.owner) return {};
  if (!reply.confirmed) return {};
  return Confirm(record, now);
}

Outcome OnForgetReply(JobRecord& record, const FindReply& reply, absl::Time now) {
  if (NextStep(record) != Step::kForget) return {};
  if (reply.forgotten) return Confirm(record, now);
  if (!reply.known) return {};
  TakeOwner(record, reply.by, reply.backend_id);
  record.started = true;
  record.Note(now, absl::StrCat("found at ", reply.by.id, ", to be deleted there"));
  return Changed(Persist::kBefore);
}

Outcome OnOwnerLost(JobRecord& record, absl::string_view message, absl::Time now) {
  if (record.owner.empty() || IsFinal(record.status.phase)) return {};
  return FailForGood(record, FailureReason::kNodeLost, message, now);
}

Outcome OnPoolForgotten(JobRecord& record, absl::Time now) {
  Outcome outcome;
  if (!record.deleting() && !record.owner.empty() && !IsFinal(record.status.phase)) {
    outcome = FailForGood(record, FailureReason::kNodeLost, "its pool was declared gone", now);
  }
  if (!record.deleting()) return outcome;
  record.Note(now, "no delete is sent any more: its pool was declared gone");
  return Confirm(record, now);
}

absl::Duration RetryDelay(int attempts, bool answered) {
  const absl::Duration longest = answered ? absl::Seconds(5) : absl::Minutes(10);
  return std::min(longest, absl::Seconds(1) * (int64_t{1} << std::clamp(attempts, 0, 10)));
}

}  // namespace podferry
