#include "core/translate/shell_quote.h"

#include <algorithm>

namespace podferry {
namespace {

// Inside '...' bash takes every byte but the quote as it is.
bool IsControl(char c) {
  const unsigned char byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
}

// Carriage returns and other control characters are written as escapes, since batch systems refuse
// scripts that hold them raw. What looks like an expansion is, so that shellcheck can tell it from
// one that somebody forgot.
bool WantsEscape(char c) { return IsControl(c) || c == '$' || c == '`' || c == '\\'; }

void AppendOctal(char c, std::string* out) {
  const unsigned char byte = static_cast<unsigned char>(c);
  out->push_back(static_cast<char>('0' + (byte >> 6)));
  out->push_back(static_cast<char>('0' + ((byte >> 3) & 7)));
  out->push_back(static_cast<char>('0' + (byte & 7)));
}

void AppendPlainQuoted(absl::string_view bytes, std::string* out) {
  out->push_back('\'');
  for (;;) {
    const size_t quote = bytes.find('\'');
    out->append(bytes.data(), std::min(quote, bytes.size()));
    if (quote == absl::string_view::npos) break;
    out->append("'\\''");
    bytes.remove_prefix(quote + 1);
  }
  out->push_back('\'');
}

void AppendEscapedQuoted(absl::string_view bytes, std::string* out) {
  out->append("$'");
  for (const char c : bytes) {
    if (IsControl(c)) {
      out->push_back('\\');
      AppendOctal(c, out);
    } else {
      if (c == '\'' || c == '\\') out->push_back('\\');
      out->push_back(c);
    }
  }
  out->push_back('\'');
}

}  // namespace

void AppendShellQuoted(absl::string_view bytes, std::string* out) {
  if (std::any_of(bytes.begin(), bytes.end(), WantsEscape)) {
    AppendEscapedQuoted(bytes, out);
  } else {
    AppendPlainQuoted(bytes, out);
  }
}

std::string ShellQuote(absl::string_view bytes) {
  std::string quoted;
  quoted.reserve(bytes.size() + 2);
  AppendShellQuoted(bytes, &quoted);
  return quoted;
}

std::string PrintfEscape(absl::string_view bytes) {
  std::string escaped;
  escaped.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    if (IsControl(c) || c == '\\' || static_cast<unsigned char>(c) >= 0x80) {
      escaped.append("\\0");
      AppendOctal(c, &escaped);
    } else {
      escaped.push_back(c);
    }
  }
  return escaped;
}

}  // namespace podferry
