#include "core/base/redact.h"

#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace podferry {
namespace {

constexpr absl::string_view kSchemeEnd = "://";

bool IsSchemeCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '+' || c == '-' || c == '.';
}

// Whether a new URL starts at the front of `text`. Without this, a comma in a password would pass
// for the end of its URL.
bool StartsWithScheme(absl::string_view text) {
  size_t length = 0;
  while (length < text.size() && IsSchemeCharacter(text[length])) ++length;
  return length > 0 && absl::string_view(text.substr(length)).substr(0, 3) == kSchemeEnd;
}

// The length of the URL whose scheme has been cut off.
size_t UrlLength(absl::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (absl::ascii_isspace(static_cast<unsigned char>(c)) || c == '"' || c == '\'') return i;
    if ((c == ',' || c == ';') && StartsWithScheme(text.substr(i + 1))) return i;
  }
  return text.size();
}

}  // namespace

std::string RedactUrls(absl::string_view text) {
  std::string redacted;
  while (true) {
    const size_t scheme_end = text.find(kSchemeEnd);
    if (scheme_end == absl::string_view::npos) break;
    const size_t start = scheme_end + kSchemeEnd.size();
    absl::StrAppend(&redacted, text.substr(0, start));
    text.remove_prefix(start);

    const absl::string_view url = text.substr(0, UrlLength(text));
    const size_t at = url.rfind('@');
    if (at != absl::string_view::npos) {
      absl::StrAppend(&redacted, "***");
      text.remove_prefix(at);
    }
  }
  absl::StrAppend(&redacted, text);
  return redacted;
}

}  // namespace podferry
