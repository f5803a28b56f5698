#include "core/pool/python_regex_escapes.h"

#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace podferry {
namespace {

using Kind = RegexEscape::Kind;

constexpr char kDigits[] = "0123456789";
constexpr char kOctalDigits[] = "01234567";
constexpr char kHexDigits[] = "0123456789abcdefABCDEF";
constexpr uint32_t kMaxOctal = 0377;

bool IsOneOf(char32_t c, absl::string_view set) {
  return c < 0x80 && absl::StrContains(set, static_cast<char>(c));
}
bool IsAsciiAlpha(char32_t c) { return c < 0x80 && absl::ascii_isalpha(static_cast<char>(c)); }

RegexEscape Literal(char32_t c) { return {Kind::kLiteral, c}; }

RegexEscape BadEscape(const std::string& text, RegexTokens& tokens) {
  tokens.Fail(absl::StrCat("bad escape ", text), text.size());
  return {};
}

// The letters that mean one fixed character.
std::optional<RegexEscape> ControlEscape(char32_t letter) {
  constexpr absl::string_view kLetters = "abfnrtv\\";
  constexpr absl::string_view kValues = "\a\b\f\n\r\t\v\\";
  if (!IsOneOf(letter, kLetters)) return std::nullopt;
  return Literal(kValues[kLetters.find(static_cast<char>(letter))]);
}

std::optional<RegexEscape> CategoryEscape(char32_t letter) {
  if (!IsOneOf(letter, "dDsSwW")) return std::nullopt;
  return RegexEscape{Kind::kCategory, letter};
}

// \x41, \u0041, \U00000041 and \N{NAME}.
std::optional<RegexEscape> CodePointEscape(const RegexToken& token, RegexTokens& tokens) {
  if (token.c == U'N') {
    tokens.FailWith(absl::UnimplementedError(
        absl::StrCat("character names (\\N{...}) are not supported: write \\uXXXX instead, at "
                     "position ",
                     tokens.Tell() - 2)));
    return RegexEscape{};
  }
  const size_t digits = token.c == U'x' ? 2 : token.c == U'u' ? 4 : token.c == U'U' ? 8 : 0;
  if (digits == 0) return std::nullopt;
  const std::string hex = tokens.While(digits, kHexDigits);
  const std::string text = absl::StrCat(token.Text(), hex);
  if (hex.size() != digits) {
    tokens.Fail(absl::StrCat("incomplete escape ", text), text.size());
    return RegexEscape{};
  }
  uint32_t value = 0;
  if (!absl::SimpleHexAtoi(hex, &value) || value > 0x10FFFF) return BadEscape(text, tokens);
  return Literal(value);
}

// `text` is a backslash and octal digits.
RegexEscape OctalEscape(const std::string& text, RegexTokens& tokens) {
  uint32_t value = 0;
  for (const char digit : text.substr(1)) value = value * 8 + (digit - '0');
  if (value > kMaxOctal) {
    tokens.Fail(absl::StrCat("octal escape value ", text, " outside of range 0-0o377"),
                text.size());
  }
  return Literal(value);
}

// Outside a set: \0 with octal digits, or three octal digits, are a character; the rest a group.
RegexEscape NumericEscape(const RegexToken& token, RegexTokens& tokens) {
  std::string text = token.Text();
  if (token.c == U'0') return OctalEscape(text + tokens.While(2, kOctalDigits), tokens);
  text += tokens.While(1, kDigits);
  if (text.size() == 3 && IsOneOf(text[1], kOctalDigits) && IsOneOf(text[2], kOctalDigits)) {
    const std::string third = tokens.While(1, kOctalDigits);
    if (!third.empty()) return OctalEscape(text + third, tokens);
  }
  uint32_t group = 0;
  for (const char digit : text.substr(1)) group = group * 10 + (digit - '0');
  return {Kind::kGroup, group, text.size()};
}

RegexEscape ReadClassEscape(const RegexToken& token, RegexTokens& tokens) {
  if (const auto category = CategoryEscape(token.c)) return *category;
  if (const auto control = ControlEscape(token.c)) return *control;
  if (const auto code_point = CodePointEscape(token, tokens)) return *code_point;
  if (IsOneOf(token.c, kOctalDigits)) {
    return OctalEscape(absl::StrCat(token.Text(), tokens.While(2, kOctalDigits)), tokens);
  }
  if (IsAsciiAlpha(token.c) || IsOneOf(token.c, kDigits)) return BadEscape(token.Text(), tokens);
  return Literal(token.c);
}

RegexEscape ReadMember(const RegexToken& token, RegexTokens& tokens) {
  return token.escaped ? ReadClassEscape(token, tokens) : Literal(token.c);
}

void AddMember(const RegexEscape& member, RegexCharset& set) {
  if (member.kind == Kind::kCategory) {
    set.AddCategory(static_cast<char>(member.value));
  } else {
    set.Add(member.value, member.value);
  }
}

// Adds a character, category or range; false when that ended the set.
bool ReadElement(const RegexToken& token, size_t start, RegexTokens& tokens, RegexCharset& set) {
  const RegexEscape low = ReadMember(token, tokens);
  if (!tokens.Match(U'-')) {
    AddMember(low, set);
    return true;
  }
  const std::optional<RegexToken> that = tokens.Get();
  if (!that.has_value()) {
    tokens.Fail("unterminated character set", tokens.Tell() - start);
    return false;
  }
  if (that->Is(U']')) {
    AddMember(low, set);
    set.Add(U'-', U'-');
    return false;
  }
  const RegexEscape high = ReadMember(*that, tokens);
  if (low.kind != Kind::kLiteral || high.kind != Kind::kLiteral || high.value < low.value) {
    tokens.Fail(absl::StrCat("bad character range ", token.Text(), "-", that->Text()),
                token.size() + 1 + that->size());
    return false;
  }
  set.Add(low.value, high.value);
  return true;
}

}  // namespace

RegexEscape ReadRegexEscape(const RegexToken& token, RegexTokens& tokens) {
  if (IsOneOf(token.c, "AbBZ")) return {Kind::kAnchor, token.c};
  if (const auto category = CategoryEscape(token.c)) return *category;
  if (const auto control = ControlEscape(token.c)) return *control;
  if (const auto code_point = CodePointEscape(token, tokens)) return *code_point;
  if (IsOneOf(token.c, kDigits)) return NumericEscape(token, tokens);
  if (IsAsciiAlpha(token.c)) return BadEscape(token.Text(), tokens);
  return Literal(token.c);
}

RegexCharset ReadRegexCharset(RegexTokens& tokens) {
  const size_t start = tokens.Tell() - 1;
  RegexCharset set;
  if (tokens.Match(U'^')) set.Negate();
  while (!tokens.failed()) {
    const std::optional<RegexToken> token = tokens.Get();
    if (!token.has_value()) {
      tokens.Fail("unterminated character set", tokens.Tell() - start);
      break;
    }
    if (token->Is(U']') && !set.empty()) break;
    if (!ReadElement(*token, start, tokens, set)) break;
  }
  return set;
}

}  // namespace podferry
