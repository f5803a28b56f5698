// Tries bytes as every message there is: for fuzzing, and for tests of damaged bytes.

#ifndef PODFERRY_CORE_WIRE_TESTING_DECODE_ALL_H_
#define PODFERRY_CORE_WIRE_TESTING_DECODE_ALL_H_

#include "absl/strings/string_view.h"

namespace podferry::wire {

// As how many kinds of message the bytes decode. Aborts when a decoded message cannot be encoded
// and decoded again.
int DecodeAll(absl::string_view bytes);

}  // namespace podferry::wire

#endif  // PODFERRY_CORE_WIRE_TESTING_DECODE_ALL_H_
