// Long values in error texts: enough of them to be recognised, not so much that it hurts.

#ifndef PODFERRY_CORE_BASE_EXCERPT_H_
#define PODFERRY_CORE_BASE_EXCERPT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace podferry {

// `text` if it has at most `longest` bytes, else its beginning and its end with "[... 1234 bytes
// ...]" for what is left out between them: a little longer than `longest`. Never cuts through a
// character of UTF-8. Pure; any thread.
std::string Excerpt(absl::string_view text, size_t longest);

// The same in double quotes, one line, with everything that is not printable escaped.
std::string QuotedExcerpt(absl::string_view text, size_t longest = 60);

}  // namespace podferry

#endif  // PODFERRY_CORE_BASE_EXCERPT_H_
