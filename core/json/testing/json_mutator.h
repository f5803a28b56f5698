// Random changes that leave JSON what it is, for fuzzing: of random bytes, hardly any get past the
// parser. Pure: the same text and seed give the same change.

#ifndef PODFERRY_CORE_JSON_TESTING_JSON_MUTATOR_H_
#define PODFERRY_CORE_JSON_TESTING_JSON_MUTATOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace podferry::json {

// The text with one value replaced (by another of the text, or by a hostile one), one element or
// member doubled or dropped, or one of `members` ("key":value) added to an object. "" if the text
// is not JSON.
std::string MutateJson(absl::string_view text, const std::vector<absl::string_view>& members,
                       uint64_t seed);

}  // namespace podferry::json

#endif  // PODFERRY_CORE_JSON_TESTING_JSON_MUTATOR_H_
