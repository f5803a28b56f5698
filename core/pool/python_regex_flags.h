// The letters of (?i), (?i-s: and the like, read from tokens. What is wrong goes to
// RegexTokens::Fail.

#ifndef PODFERRY_CORE_POOL_PYTHON_REGEX_FLAGS_H_
#define PODFERRY_CORE_POOL_PYTHON_REGEX_FLAGS_H_

#include <string>

#include "core/pool/python_regex_charset.h"
#include "core/pool/python_regex_tokens.h"

namespace podferry {

inline constexpr char kRegexFlagLetters[] = "iLmsxatu";

struct RegexFlagLetters {
  std::string on;
  std::string off;
  bool global = false;  // ended by ')', not ':'
};

// `letter` is the first one, or '-', already taken; reads through the ')' or ':'.
RegexFlagLetters ReadRegexFlags(char32_t letter, RegexTokens& tokens);

// `flags` with the letters switched on and off.
RegexFlags ApplyRegexFlags(const RegexFlagLetters& letters, RegexFlags flags);

}  // namespace podferry

#endif  // PODFERRY_CORE_POOL_PYTHON_REGEX_FLAGS_H_
