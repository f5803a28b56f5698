#include "submitter/job_state.h"

#include <algorithm>

namespace podferry {
namespace {

constexpr Verdict kAccepted = {.accepted = true};

Verdict Refused(Refusal refusal) { return {.accepted = false, .refusal = refusal}; }

void RefuseUpTo(JobState& state, uint32_t round) {
  state.refused_up_to = std::max(state.refused_up_to, round);
  if (state.reserved <= state.refused_up_to) state.reserved = 0;
}

}  // namespace

Verdict OnOffer(JobState& state, uint32_t round, bool same_script) {
  if (state.tombstone) return Refused(Refusal::kTombstone);
  if (state.HasStarted()) return kAccepted;
  if (round <= state.refused_up_to) return Refused(Refusal::kStaleRound);
  if (state.reserved == round && same_script) return kAccepted;
  if (state.reserved >= round) {
    // An older round than the one we hold, or another script under the same number.
    RefuseUpTo(state, round);
    return Refused(Refusal::kStaleRound);
  }
  state.reserved = round;
  return kAccepted;
}

Verdict OnStart(JobState& state, uint32_t round, bool same_script) {
  if (state.tombstone) {
    RefuseUpTo(state, round);
    return Refused(Refusal::kTombstone);
  }
  if (state.HasStarted()) return kAccepted;
  if (round != 0 && state.reserved == round && same_script) {
    state.started = round;
    return kAccepted;
  }
  const bool stale = round <= state.refused_up_to;
  RefuseUpTo(state, round);
  return Refused(stale ? Refusal::kStaleRound : Refusal::kNotReserved);
}

Verdict OnRelease(JobState& state, uint32_t round) {
  if (state.HasStarted() && !state.tombstone) return Refused(Refusal::kUnspecified);
  RefuseUpTo(state, round);
  return kAccepted;
}

void OnLapse(JobState& state, uint32_t round) {
  if (state.IsReserved() && state.reserved == round) RefuseUpTo(state, round);
}

void OnDelete(JobState& state) { state.tombstone = true; }

void OnFound(JobState& state) { state.found = true; }

}  // namespace podferry
