// A regular expression with the syntax and meaning of Python 3.11's `re` (str patterns), run by
// PCRE2 under limits. Python's syntax is read by us (python_regex_reader.h) and written anew for
// PCRE2, because the two languages differ where it hurts (docs/decisions.md). Immutable once
// compiled; any thread may search.

#ifndef PODFERRY_CORE_POOL_PYTHON_REGEX_H_
#define PODFERRY_CORE_POOL_PYTHON_REGEX_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace podferry {

class PythonRegex {
 public:
  // INVALID_ARGUMENT with Python's own words and the position in characters ("unterminated
  // character set at position 3"); UNIMPLEMENTED for what Python takes and we cannot honour, saying
  // what.
  static absl::StatusOr<PythonRegex> Compile(absl::string_view pattern);

  // re.search: whether it matches anywhere in `text` (UTF-8). RESOURCE_EXHAUSTED when the limits on
  // time and memory end the search first; INVALID_ARGUMENT when `text` is not UTF-8.
  absl::StatusOr<bool> Search(absl::string_view text) const;

  const std::string& pattern() const { return pattern_; }

 private:
  struct Compiled;
  PythonRegex(std::string pattern, std::shared_ptr<const Compiled> compiled);

  std::string pattern_;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_POOL_PYTHON_REGEX_H_
