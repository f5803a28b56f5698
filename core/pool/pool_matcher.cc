#include "core/pool/pool_matcher.h"

#include <utility>

#include "absl/status/status.h"
#include "core/base/status_macros.h"

namespace podferry {

absl::StatusOr<PoolMatcher> PoolMatcher::Create(const std::vector<std::string>& names,
                                                absl::string_view expression) {
  PoolMatcher matcher;
  matcher.names_.insert(names.begin(), names.end());
  if (!expression.empty()) {
    PODFERRY_ASSIGN_OR_RETURN(matcher.expression_, PythonRegex::Compile(expression));
  }
  if (matcher.names_.empty() && !matcher.expression_.has_value()) {
    return absl::InvalidArgumentError("neither a pool's name nor an expression is given");
  }
  return matcher;
}

absl::StatusOr<bool> PoolMatcher::Matches(absl::string_view pool) const {
  if (names_.contains(pool)) return true;
  if (!expression_.has_value()) return false;
  return expression_->Search(pool);
}

}  // namespace podferry
