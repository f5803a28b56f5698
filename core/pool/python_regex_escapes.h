// Python's escapes and character sets, read from tokens. What is wrong goes to RegexTokens::Fail.

#ifndef PODFERRY_CORE_POOL_PYTHON_REGEX_ESCAPES_H_
#define PODFERRY_CORE_POOL_PYTHON_REGEX_ESCAPES_H_

#include <cstddef>
#include <cstdint>

#include "core/pool/python_regex_charset.h"
#include "core/pool/python_regex_tokens.h"

namespace podferry {

// What a backslash and the characters after it mean.
struct RegexEscape {
  enum class Kind { kLiteral, kCategory, kAnchor, kGroup };
  Kind kind = Kind::kLiteral;
  char32_t value = 0;  // code point; letter of the category or anchor; number of the group
  size_t size = 0;     // characters in the pattern, for kGroup
};

// `token` is the backslash with its letter, already taken; takes the digits that belong to it.
RegexEscape ReadRegexEscape(const RegexToken& token, RegexTokens& tokens);

// After the opening bracket has been taken: reads through the closing one.
RegexCharset ReadRegexCharset(RegexTokens& tokens);

}  // namespace podferry

#endif  // PODFERRY_CORE_POOL_PYTHON_REGEX_ESCAPES_H_
