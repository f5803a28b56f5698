// Quotes for bash: the only place that does. Pure, any thread.

#ifndef PODFERRY_CORE_TRANSLATE_SHELL_QUOTE_H_
#define PODFERRY_CORE_TRANSLATE_SHELL_QUOTE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace podferry {

// One word of bash 4.2 or later that stands for exactly these bytes, wherever a word may stand. The
// bytes must not hold NUL, which no argument or variable can.
std::string ShellQuote(absl::string_view bytes);

// The same at the end of `out`.
void AppendShellQuoted(absl::string_view bytes, std::string* out);

// Text for bash's `printf %b` that gives exactly these bytes, NUL among them. Not yet quoted.
std::string PrintfEscape(absl::string_view bytes);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_SHELL_QUOTE_H_
