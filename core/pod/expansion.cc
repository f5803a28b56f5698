#include "core/pod/expansion.h"

#include "absl/strings/str_cat.h"

namespace podferry {

std::string ExpandVariables(absl::string_view text, const VariableLookup& lookup) {
  std::string out;
  out.reserve(text.size());
  while (true) {
    size_t dollar = text.find('$');
    if (dollar == absl::string_view::npos || dollar + 1 == text.size()) break;
    absl::StrAppend(&out, text.substr(0, dollar));
    text.remove_prefix(dollar + 1);
    if (text[0] == '$') {
      out.push_back('$');
      text.remove_prefix(1);
      continue;
    }
    size_t close = text[0] == '(' ? text.find(')') : absl::string_view::npos;
    if (close == absl::string_view::npos) {
      // No reference: the dollar sign, and the character that made it none, stay.
      absl::StrAppend(&out, "$", text.substr(0, 1));
      text.remove_prefix(1);
      continue;
    }
    std::optional<std::string> value = lookup(text.substr(1, close - 1));
    if (value) {
      out += *value;
    } else {
      absl::StrAppend(&out, "$", text.substr(0, close + 1));
    }
    text.remove_prefix(close + 1);
  }
  absl::StrAppend(&out, text);
  return out;
}

}  // namespace podferry
