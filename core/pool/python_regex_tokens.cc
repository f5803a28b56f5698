#include "core/pool/python_regex_tokens.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace podferry {
namespace {

void AppendUtf8(char32_t c, std::string& out) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

// The code point at `text[i]`, whose bytes are taken; nullopt for what is no UTF-8.
std::optional<char32_t> TakeUtf8(absl::string_view text, size_t& i) {
  const unsigned char first = text[i++];
  if (first < 0x80) return first;
  const int more = first >= 0xF0 && first < 0xF5 ? 3 : first >= 0xE0 ? 2 : first >= 0xC2 ? 1 : 0;
  if (more == 0 || first >= 0xF5 || i + more > text.size()) return std::nullopt;
  char32_t c = first & (0x3F >> more);
  for (int k = 0; k < more; ++k) {
    const unsigned char byte = text[i++];
    if ((byte & 0xC0) != 0x80) return std::nullopt;
    c = (c << 6) | (byte & 0x3F);
  }
  const bool overlong = (more == 2 && c < 0x800) || (more == 3 && c < 0x10000);
  if (overlong || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return std::nullopt;
  return c;
}

}  // namespace

std::string ToUtf8(const std::u32string& text) {
  std::string out;
  for (const char32_t c : text) AppendUtf8(c, out);
  return out;
}

std::string PythonRepr(const std::u32string& text) {
  const bool single = text.find(U'\'') != text.npos;
  const bool both = single && text.find(U'"') != text.npos;
  const char32_t quote = single && !both ? U'"' : U'\'';
  std::string out(1, static_cast<char>(quote));
  for (const char32_t c : text) {
    if (c == quote || c == U'\\') {
      absl::StrAppend(&out, "\\", std::string(1, static_cast<char>(c)));
    } else if (c == U'\n') {
      out += "\\n";
    } else if (c == U'\r') {
      out += "\\r";
    } else if (c == U'\t') {
      out += "\\t";
    } else if (c < 0x20 || c == 0x7F) {
      absl::StrAppendFormat(&out, "\\x%02x", static_cast<unsigned>(c));
    } else {
      AppendUtf8(c, out);
    }
  }
  out += static_cast<char>(quote);
  return out;
}

std::string RegexToken::Text() const {
  std::string out = escaped ? "\\" : "";
  AppendUtf8(c, out);
  return out;
}

RegexTokens::RegexTokens(absl::string_view pattern) {
  for (size_t i = 0; i < pattern.size();) {
    const std::optional<char32_t> c = TakeUtf8(pattern, i);
    if (!c.has_value()) {
      FailWith(absl::InvalidArgumentError(
          absl::StrCat("not valid UTF-8 after ", pattern_.size(), " characters")));
      return;
    }
    pattern_ += *c;
  }
  Advance();
}

void RegexTokens::Advance() {
  next_.reset();
  if (failed() || index_ >= pattern_.size()) return;
  if (pattern_[index_] != U'\\') {
    next_ = RegexToken{false, pattern_[index_++]};
    return;
  }
  if (index_ + 1 >= pattern_.size()) {
    FailAt("bad escape (end of pattern)", pattern_.size() - 1);
    return;
  }
  next_ = RegexToken{true, pattern_[index_ + 1]};
  index_ += 2;
}

std::optional<RegexToken> RegexTokens::Get() {
  const std::optional<RegexToken> taken = next_;
  Advance();
  return taken;
}

bool RegexTokens::Match(char32_t plain) {
  if (!NextIs(plain)) return false;
  Advance();
  return true;
}

void RegexTokens::Seek(size_t position) {
  index_ = position;
  Advance();
}

std::u32string RegexTokens::Until(char32_t terminator, absl::string_view what) {
  std::u32string result;
  while (true) {
    const std::optional<RegexToken> token = Get();
    if (failed()) return {};
    if (!token.has_value()) {
      if (result.empty()) {
        Fail(absl::StrCat("missing ", what));
      } else {
        Fail(absl::StrCat("missing ", ToUtf8({terminator}), ", unterminated name"), result.size());
      }
      return {};
    }
    if (token->Is(terminator)) break;
    if (token->escaped) result += U'\\';
    result += token->c;
  }
  if (result.empty()) Fail(absl::StrCat("missing ", what), 1);
  return result;
}

std::string RegexTokens::While(size_t limit, absl::string_view allowed) {
  std::string result;
  while (result.size() < limit && next_.has_value() && !next_->escaped && next_->c < 0x80 &&
         absl::StrContains(allowed, static_cast<char>(next_->c))) {
    result += static_cast<char>(next_->c);
    Advance();
  }
  return result;
}

void RegexTokens::FailAt(absl::string_view message, size_t position) {
  if (failed()) return;
  std::string text = absl::StrCat(message, " at position ", position);
  if (pattern_.find(U'\n') != pattern_.npos) {
    const std::u32string before = pattern_.substr(0, position);
    const size_t newline = before.rfind(U'\n');
    const size_t column = newline == before.npos ? position + 1 : position - newline;
    absl::StrAppend(&text, " (line ", 1 + std::count(before.begin(), before.end(), U'\n'),
                    ", column ", column, ")");
  }
  FailWith(absl::InvalidArgumentError(text));
}

void RegexTokens::FailWith(absl::Status status) {
  if (failed()) return;
  error_ = std::move(status);
  next_.reset();
}

}  // namespace podferry
