// The known word nearest to one that is not known, for "did you mean". Pure; any thread.

#ifndef PODFERRY_CORE_POOL_EDIT_DISTANCE_H_
#define PODFERRY_CORE_POOL_EDIT_DISTANCE_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"

namespace podferry {

// How many characters must be added, removed, changed or swapped with a neighbour.
size_t EditDistance(absl::string_view a, absl::string_view b);

// The nearest one. First come those with a slip or two, then those of which this is a part between
// underscores, or the other way round ("bwrap", "bwrap_executable"), then the rest by edit distance
// less the length of a common beginning, as people err at the end of long names. The first of
// several; "" if there are no words.
absl::string_view NearestWord(absl::string_view word, const std::vector<absl::string_view>& words);

}  // namespace podferry

#endif  // PODFERRY_CORE_POOL_EDIT_DISTANCE_H_
