#include "core/pool/python_regex_flags.h"

#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace podferry {
namespace {

bool IsFlag(const RegexToken& token) {
  return !token.escaped && token.c < 0x80 &&
         absl::StrContains(kRegexFlagLetters, static_cast<char>(token.c));
}

// Python says str.isalpha(): a token with a backslash is two characters and no letter.
bool IsLetter(const RegexToken& token) {
  return !token.escaped && (token.c >= 0x80 || absl::ascii_isalpha(static_cast<char>(token.c)));
}

// The next token if it is a flag or in `ends`; else an error, and nullopt.
std::optional<char32_t> NextLetter(absl::string_view ends, absl::string_view missing,
                                   RegexTokens& tokens) {
  const std::optional<RegexToken> token = tokens.Get();
  if (!token.has_value()) {
    tokens.Fail(missing);
    return std::nullopt;
  }
  const bool end =
      !token->escaped && token->c < 0x80 && absl::StrContains(ends, static_cast<char>(token->c));
  if (end || IsFlag(*token)) return token->c;
  tokens.Fail(IsLetter(*token) ? "unknown flag" : missing, token->size());
  return std::nullopt;
}

bool IsType(char letter) { return letter == 'a' || letter == 'u' || letter == 'L'; }

// False after an error.
bool SwitchOn(char letter, std::string& on, RegexTokens& tokens) {
  if (letter == 'L') {
    tokens.Fail("bad inline flags: cannot use 'L' flag with a str pattern");
    return false;
  }
  on += letter;
  if (absl::StrContains(on, 'a') && absl::StrContains(on, 'u') && IsType(letter)) {
    tokens.Fail("bad inline flags: flags 'a', 'u' and 'L' are incompatible");
    return false;
  }
  return true;
}

// After the '-'; false after an error.
bool ReadOff(std::string& off, RegexTokens& tokens) {
  std::optional<char32_t> letter = NextLetter("", "missing flag", tokens);
  while (letter.has_value() && *letter != U':') {
    if (IsType(static_cast<char>(*letter))) {
      tokens.Fail("bad inline flags: cannot turn off flags 'a', 'u' and 'L'");
      return false;
    }
    off += static_cast<char>(*letter);
    letter = NextLetter(":", "missing :", tokens);
  }
  return letter.has_value();
}

}  // namespace

RegexFlagLetters ReadRegexFlags(char32_t first, RegexTokens& tokens) {
  RegexFlagLetters read;
  std::optional<char32_t> letter = first;
  while (*letter != U'-' && *letter != U')' && *letter != U':') {
    if (!SwitchOn(static_cast<char>(*letter), read.on, tokens)) return read;
    letter = NextLetter(")-:", "missing -, : or )", tokens);
    if (!letter.has_value()) return read;
  }
  if (*letter == U')') {
    read.global = true;
    return read;
  }
  if (absl::StrContains(read.on, 't')) {
    tokens.Fail("bad inline flags: cannot turn on global flag", 1);
    return read;
  }
  if (*letter == U'-' && !ReadOff(read.off, tokens)) return read;
  if (absl::StrContains(read.off, 't')) {
    tokens.Fail("bad inline flags: cannot turn off global flag", 1);
  } else if (read.on.find_first_of(read.off) != std::string::npos) {
    tokens.Fail("bad inline flags: flag turned on and off", 1);
  }
  return read;
}

RegexFlags ApplyRegexFlags(const RegexFlagLetters& letters, RegexFlags flags) {
  const auto apply = [&](char letter, bool& flag) {
    if (absl::StrContains(letters.on, letter)) flag = true;
    if (absl::StrContains(letters.off, letter)) flag = false;
  };
  apply('i', flags.ignore_case);
  apply('m', flags.multi_line);
  apply('s', flags.dot_all);
  apply('x', flags.verbose);
  apply('a', flags.ascii);
  if (absl::StrContains(letters.on, 'u')) flags.ascii = false;
  return flags;
}

}  // namespace podferry
