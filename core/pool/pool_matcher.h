// Which pools a group of flavors takes: those named, those whose name an expression (Python's `re`,
// searched anywhere in the name) finds, or both. Immutable; any thread may ask.

#ifndef PODFERRY_CORE_POOL_POOL_MATCHER_H_
#define PODFERRY_CORE_POOL_POOL_MATCHER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/pool/python_regex.h"

namespace podferry {

class PoolMatcher {
 public:
  // INVALID_ARGUMENT when there is neither a name nor an expression, or from PythonRegex::Compile.
  // An empty expression is none.
  static absl::StatusOr<PoolMatcher> Create(const std::vector<std::string>& names,
                                            absl::string_view expression);

  // The errors of PythonRegex::Search; never a guess.
  absl::StatusOr<bool> Matches(absl::string_view pool) const;

 private:
  absl::flat_hash_set<std::string> names_;
  std::optional<PythonRegex> expression_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_POOL_POOL_MATCHER_H_
