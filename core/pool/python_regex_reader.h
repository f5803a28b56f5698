// Reads Python 3.11's regular-expression syntax and writes the same meaning for PCRE2. Refuses what
// Python refuses, in Python's words. A pure function, callable from any thread.

#ifndef PODFERRY_CORE_POOL_PYTHON_REGEX_READER_H_
#define PODFERRY_CORE_POOL_PYTHON_REGEX_READER_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace podferry {

struct Pcre2Pattern {
  // For pcre2_compile with PCRE2_UTF and no other option: flags are spelled out in the pattern.
  std::string text;
  // It has back-references without case, where the two agree on ASCII text only.
  bool ascii_text_only = false;
};

// The errors of PythonRegex::Compile.
absl::StatusOr<Pcre2Pattern> PythonRegexToPcre2(absl::string_view pattern);

}  // namespace podferry

#endif  // PODFERRY_CORE_POOL_PYTHON_REGEX_READER_H_
