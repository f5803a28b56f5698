#include <utility>

#include "core/wire/convert.h"

namespace podferry::wire {
namespace {

static_assert(static_cast<int>(Refusal::kOtherOwner) == v1::REFUSAL_OTHER_OWNER);
static_assert(static_cast<int>(Refusal::kDraining) == v1::REFUSAL_DRAINING);
static_assert(static_cast<int>(Refusal::kUnfit) == v1::REFUSAL_UNFIT);

v1::Refusal Put(Refusal from) { return static_cast<v1::Refusal>(from); }
Refusal Take(v1::Refusal from) { return TakeEnum<Refusal>(from, v1::Refusal_IsValid); }

void CheckRound(uint32_t round, FieldCheck& check) {
  check.That(round >= 1, "round", "rounds count from 1");
}

}  // namespace

void ToProto(const Offer& from, v1::Offer& to) {
  ToProto(from.from, *to.mutable_from());
  ToProto(from.job, *to.mutable_job());
  to.set_round(from.round);
  to.set_digest(Text(from.digest));
  to.set_size(from.size);
  to.set_script(from.script);
}

void FromProto(v1::Offer& from, Offer& to, FieldCheck& check) {
  Inner(from.mutable_from(), to.from, "from", check);
  Inner(from.mutable_job(), to.job, "job", check);
  to.round = from.round();
  to.digest = std::move(*from.mutable_digest());
  to.size = from.size();
  to.script = std::move(*from.mutable_script());
  CheckRound(to.round, check);
  check.Digest(to.digest, "digest");
  check.That(to.script.empty() || to.script.size() == to.size, "script", "is not of that size");
}

void ToProto(const OfferReply& from, v1::OfferReply& to) {
  ToProto(from.by, *to.mutable_by());
  to.set_round(from.round);
  to.set_reserved(from.reserved);
  to.set_refusal(Put(from.refusal));
  to.set_message(Text(from.message));
  to.set_refused_up_to(from.refused_up_to);
}

void FromProto(v1::OfferReply& from, OfferReply& to, FieldCheck& check) {
  Inner(from.mutable_by(), to.by, "by", check);
  to.round = from.round();
  to.reserved = from.reserved();
  to.refusal = Take(from.refusal());
  to.message = std::move(*from.mutable_message());
  to.refused_up_to = from.refused_up_to();
}

void ToProto(const Start& from, v1::Start& to) {
  ToProto(from.from, *to.mutable_from());
  ToProto(from.key, *to.mutable_key());
  to.set_round(from.round);
  to.set_digest(Text(from.digest));
}

void FromProto(v1::Start& from, Start& to, FieldCheck& check) {
  Inner(from.mutable_from(), to.from, "from", check);
  Inner(from.mutable_key(), to.key, "key", check);
  to.round = from.round();
  to.digest = std::move(*from.mutable_digest());
  CheckRound(to.round, check);
  check.Digest(to.digest, "digest");
}

void ToProto(const StartReply& from, v1::StartReply& to) {
  ToProto(from.by, *to.mutable_by());
  to.set_round(from.round);
  to.set_started(from.started);
  to.set_refusal(Put(from.refusal));
  to.set_message(Text(from.message));
  to.set_refused_up_to(from.refused_up_to);
  if (from.status != JobStatus()) ToProto(from.status, *to.mutable_status());
}

void FromProto(v1::StartReply& from, StartReply& to, FieldCheck& check) {
  Inner(from.mutable_by(), to.by, "by", check);
  to.round = from.round();
  to.started = from.started();
  to.refusal = Take(from.refusal());
  to.message = std::move(*from.mutable_message());
  to.refused_up_to = from.refused_up_to();
  if (from.has_status()) Inner(from.mutable_status(), to.status, "status", check);
}

void ToProto(const Release& from, v1::Release& to) {
  ToProto(from.from, *to.mutable_from());
  ToProto(from.key, *to.mutable_key());
  to.set_round(from.round);
}

void FromProto(v1::Release& from, Release& to, FieldCheck& check) {
  Inner(from.mutable_from(), to.from, "from", check);
  Inner(from.mutable_key(), to.key, "key", check);
  to.round = from.round();
  CheckRound(to.round, check);
}

void ToProto(const ReleaseReply& from, v1::ReleaseReply& to) {
  ToProto(from.by, *to.mutable_by());
  to.set_released(from.released);
  to.set_refusal(Put(from.refusal));
  to.set_refused_up_to(from.refused_up_to);
}

void FromProto(v1::ReleaseReply& from, ReleaseReply& to, FieldCheck& check) {
  Inner(from.mutable_by(), to.by, "by", check);
  to.released = from.released();
  to.refusal = Take(from.refusal());
  to.refused_up_to = from.refused_up_to();
}

void ToProto(const Delete& from, v1::Delete& to) {
  ToProto(from.from, *to.mutable_from());
  ToProto(from.key, *to.mutable_key());
  PutDuration(from.grace, to.mutable_grace());
}

void FromProto(v1::Delete& from, Delete& to, FieldCheck& check) {
  Inner(from.mutable_from(), to.from, "from", check);
  Inner(from.mutable_key(), to.key, "key", check);
  to.grace = TakeDuration(from.grace(), "grace", check);
}

void ToProto(const DeleteReply& from, v1::DeleteReply& to) {
  ToProto(from.by, *to.mutable_by());
  to.set_confirmed(from.confirmed);
  to.set_refusal(Put(from.refusal));
  to.set_message(Text(from.message));
}

void FromProto(v1::DeleteReply& from, DeleteReply& to, FieldCheck& check) {
  Inner(from.mutable_by(), to.by, "by", check);
  to.confirmed = from.confirmed();
  to.refusal = Take(from.refusal());
  to.message = std::move(*from.mutable_message());
}

void ToProto(const BundleRequest& from, v1::BundleRequest& to) {
  ToProto(from.by, *to.mutable_by());
  ToProto(from.key, *to.mutable_key());
  to.set_digest(Text(from.digest));
  to.set_offset(from.offset);
  to.set_max_bytes(from.max_bytes);
}

void FromProto(v1::BundleRequest& from, BundleRequest& to, FieldCheck& check) {
  Inner(from.mutable_by(), to.by, "by", check);
  Inner(from.mutable_key(), to.key, "key", check);
  to.digest = std::move(*from.mutable_digest());
  to.offset = from.offset();
  to.max_bytes = from.max_bytes();
  check.Digest(to.digest, "digest");
  check.That(to.offset >= 0, "offset", "is negative");
  check.That(to.max_bytes > 0, "max_bytes", "is not positive");
}

void ToProto(const BundleReply& from, v1::BundleReply& to) {
  ToProto(from.from, *to.mutable_from());
  to.set_known(from.known);
  to.set_offset(from.offset);
  to.set_total(from.total);
  to.set_bytes(from.bytes);
}

void FromProto(v1::BundleReply& from, BundleReply& to, FieldCheck& check) {
  Inner(from.mutable_from(), to.from, "from", check);
  to.known = from.known();
  to.offset = from.offset();
  to.total = from.total();
  to.bytes = std::move(*from.mutable_bytes());
  const auto size = static_cast<int64_t>(to.bytes.size());
  check.That(to.offset >= 0, "offset", "is negative");
  check.That(to.total >= size && to.offset <= to.total - size, "bytes", "go beyond the total");
}

}  // namespace podferry::wire
