// How long to wait before what has failed is tried again: 1 s, 2 s, 4 s... at most a minute. Pure.

#ifndef PODFERRY_SUBMITTER_PAUSE_H_
#define PODFERRY_SUBMITTER_PAUSE_H_

#include <algorithm>

#include "absl/time/time.h"

namespace podferry {

// `attempts` that have failed before this one, from 0.
inline absl::Duration PauseAfter(int attempts) {
  return absl::Seconds(std::min(60, 1 << std::clamp(attempts, 0, 6)));
}

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_PAUSE_H_
