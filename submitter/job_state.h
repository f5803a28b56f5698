// The rules by which a submitter takes, starts and gives up a job, as pure functions of what it has
// journalled. They are those of the checked model (docs/protocol.md): each has a counterexample
// when it is left out, so change none without checking the model again.
//
// Every function changes the state and returns the answer; whoever calls it journals a changed
// state before the answer leaves. Any thread.

#ifndef PODFERRY_SUBMITTER_JOB_STATE_H_
#define PODFERRY_SUBMITTER_JOB_STATE_H_

#include <cstdint>

#include "core/wire/messages.h"

namespace podferry {

struct JobState {
  uint32_t reserved = 0;       // the round reserved for; 0: none
  uint32_t refused_up_to = 0;  // no round up to this one is ever accepted again
  uint32_t started = 0;        // the round started; 0: none
  bool found = false;          // met in the backend without a record: somebody's start
  bool tombstone = false;

  // Something of it may run, or may have run, here.
  bool HasStarted() const { return started != 0 || found; }
  bool IsReserved() const { return reserved != 0 && !HasStarted() && !tombstone; }

  friend bool operator==(const JobState&, const JobState&) = default;
};

struct Verdict {
  bool accepted = false;
  Refusal refusal = Refusal::kUnspecified;

  friend bool operator==(const Verdict&, const Verdict&) = default;
};

// `same_script`: it offers what an earlier reservation was made for. A job that has started is
// "reserved" again in any round, so that a plugin which lost its journal comes to know its owner.
Verdict OnOffer(JobState& state, uint32_t round, bool same_script);

// Only a start of the reserved round starts; it is answered alike however often it comes. Any other
// is refused for ever.
Verdict OnStart(JobState& state, uint32_t round, bool same_script);

// Accepted: nothing was started, and no start of a round up to this one ever will be.
Verdict OnRelease(JobState& state, uint32_t round);

// A reservation of this round that nobody has started in time.
void OnLapse(JobState& state, uint32_t round);

// Also for jobs never seen: the tombstone refuses what comes late.
void OnDelete(JobState& state);

// The backend has it, and there was no record.
void OnFound(JobState& state);

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_JOB_STATE_H_
