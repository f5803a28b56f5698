// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing beyond U+10FFFF. Any thread.

#ifndef PODFERRY_CORE_JSON_UTF8_H_
#define PODFERRY_CORE_JSON_UTF8_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace podferry::json {

// How many bytes at the front of `text` are valid: text.size() if all of them are, else the offset
// of the first sequence that is not.
size_t ValidUtf8Prefix(absl::string_view text);

inline bool IsValidUtf8(absl::string_view text) { return ValidUtf8Prefix(text) == text.size(); }

// The length (1 to 4) of the valid sequence at the front of `text`; 0 if there is none.
size_t Utf8SequenceLength(absl::string_view text);

}  // namespace podferry::json

#endif  // PODFERRY_CORE_JSON_UTF8_H_
