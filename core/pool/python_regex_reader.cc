#include "core/pool/python_regex_reader.h"

#include "core/pool/python_regex_grammar.h"

namespace podferry {

absl::StatusOr<Pcre2Pattern> PythonRegexToPcre2(absl::string_view pattern) {
  return python_regex::Grammar(pattern).Read();
}

}  // namespace podferry
