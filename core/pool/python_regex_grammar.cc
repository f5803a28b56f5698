#include "core/pool/python_regex_grammar.h"

#include <algorithm>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/pool/python_regex_escapes.h"

namespace podferry::python_regex {
namespace {

constexpr uint64_t kPythonMaxRepeat = 4294967295;
constexpr uint64_t kPcre2MaxRepeat = 65535;
constexpr uint64_t kUnbounded = std::numeric_limits<uint64_t>::max();

uint64_t Plus(uint64_t a, uint64_t b) { return a > kUnbounded - b ? kUnbounded : a + b; }
uint64_t Times(uint64_t a, uint64_t b) { return b != 0 && a > kUnbounded / b ? kUnbounded : a * b; }

}  // namespace

absl::StatusOr<Pcre2Pattern> Grammar::Read() {
  RegexFlags flags;
  const Piece whole = Alternation(flags, 0);
  if (global_ascii_ && global_unicode_) {
    tokens_.FailWith(absl::InvalidArgumentError("ASCII and UNICODE flags are incompatible"));
  }
  if (!tokens_.AtEnd()) tokens_.Fail("unbalanced parenthesis");
  for (const auto& [group, position] : conditions_) {
    if (group < groups_.size()) continue;
    tokens_.FailAt(absl::StrCat("invalid group reference ", group), position);
  }
  if (look_behind_varies_) {
    tokens_.FailWith(absl::InvalidArgumentError("look-behind requires fixed-width pattern"));
  }
  if (tokens_.failed()) return tokens_.error();
  return Pcre2Pattern{whole.text, ascii_text_only_};
}

Piece Grammar::Alternation(RegexFlags& flags, int depth) {
  if (depth > kMaxDepth) {
    tokens_.FailWith(absl::UnimplementedError(
        absl::StrCat("parentheses nested deeper than ", kMaxDepth, " are not supported")));
    return {};
  }
  Piece all = Sequence(flags, depth == 0, depth);
  while (tokens_.Match(U'|')) {
    const Piece branch = Sequence(flags, false, depth);
    absl::StrAppend(&all.text, "|", branch.text);
    all.width.low = std::min(all.width.low, branch.width.low);
    all.width.high = std::max(all.width.high, branch.width.high);
  }
  return all;
}

Piece Grammar::Sequence(RegexFlags& flags, bool first, int depth) {
  Items items;
  while (!tokens_.AtEnd() && !tokens_.NextIs(U'|') && !tokens_.NextIs(U')')) {
    const RegexToken token = *tokens_.Get();
    if (flags.verbose && !token.escaped && token.c < 0x80 && absl::ascii_isspace(token.c)) continue;
    if (flags.verbose && token.Is(U'#')) {
      while (const std::optional<RegexToken> skipped = tokens_.Get()) {
        if (skipped->Is(U'\n')) break;
      }
      continue;
    }
    Item(token, flags, first, depth, items);
  }
  Piece all;
  for (const Piece& item : items) {
    all.text += item.text;
    all.width = {Plus(all.width.low, item.width.low), Plus(all.width.high, item.width.high)};
  }
  return all;
}

void Grammar::Item(const RegexToken& token, RegexFlags& flags, bool first, int depth,
                   Items& items) {
  if (token.escaped) {
    items.push_back(Escaped(token, flags));
    return;
  }
  switch (token.c) {
    case U'[':
      items.push_back({ReadRegexCharset(tokens_).ToPcre2(flags), {1, 1}});
      return;
    case U'?':
    case U'*':
    case U'+':
    case U'{':
      return Repeat(token, flags, items);
    case U'(':
      return Parenthesis(flags, first, depth, items);
    case U'.':
      items.push_back({flags.dot_all ? "[\\x{0}-\\x{10ffff}]" : "[^\\x{a}]", {1, 1}});
      return;
    case U'^':
      items.push_back({flags.multi_line ? "(?:\\A|(?<=\\x{a}))" : "\\A", {}, Piece::Kind::kAnchor});
      return;
    case U'$':
      items.push_back(
          {flags.multi_line ? "(?=\\x{a}|\\z)" : "(?=\\x{a}?\\z)", {}, Piece::Kind::kAnchor});
      return;
    default:
      items.push_back({RegexLiteral(token.c, flags), {1, 1}});
  }
}

Piece Grammar::Escaped(const RegexToken& token, const RegexFlags& flags) {
  const RegexEscape escape = ReadRegexEscape(token, tokens_);
  switch (escape.kind) {
    case RegexEscape::Kind::kLiteral:
      return {RegexLiteral(escape.value, flags), {1, 1}};
    case RegexEscape::Kind::kCategory: {
      RegexCharset set;
      set.AddCategory(static_cast<char>(escape.value));
      return {set.ToPcre2(flags), {1, 1}};
    }
    case RegexEscape::Kind::kGroup:
      if (escape.value >= groups_.size()) {
        tokens_.Fail(absl::StrCat("invalid group reference ", uint32_t{escape.value}),
                     escape.size - 1);
      }
      return Reference(escape.value, escape.size, flags);
    case RegexEscape::Kind::kAnchor:
      break;
  }
  if (escape.value == U'A') return {"\\A", {}, Piece::Kind::kAnchor};
  if (escape.value == U'Z') return {"\\z", {}, Piece::Kind::kAnchor};
  return {RegexWordBoundary(escape.value == U'B', flags), {}, Piece::Kind::kAnchor};
}

// {m}, {m,}, {,n}, {m,n} behind the brace; false when it is no quantifier after all.
bool Grammar::ReadBounds(uint64_t& least, uint64_t& most) {
  constexpr char kDigits[] = "0123456789";
  const size_t start = tokens_.Tell();
  const std::string low = tokens_.While(std::string::npos, kDigits);
  std::string high = low;
  if (tokens_.Match(U',')) high = tokens_.While(std::string::npos, kDigits);
  if (tokens_.failed()) return false;
  if (!tokens_.Match(U'}')) {
    tokens_.Seek(start);
    return false;
  }
  for (const auto& [text, bound] :
       {std::pair(absl::string_view(low), &least), std::pair(absl::string_view(high), &most)}) {
    if (text.empty()) continue;
    if (!absl::SimpleAtoi(text, bound) || *bound >= kPythonMaxRepeat) {
      tokens_.FailWith(absl::InvalidArgumentError("the repetition number is too large"));
      return true;
    }
  }
  if (most < least) {
    tokens_.Fail("min repeat greater than max repeat", tokens_.Tell() - start);
  } else if (least > kPcre2MaxRepeat || (most > kPcre2MaxRepeat && most != kPythonMaxRepeat)) {
    tokens_.FailWith(absl::UnimplementedError(
        absl::StrCat("repeating more than ", kPcre2MaxRepeat, " times is not supported")));
  }
  return true;
}

void Grammar::Repeat(const RegexToken& token, const RegexFlags& flags, Items& items) {
  const size_t start = tokens_.Tell();
  uint64_t least = token.c == U'+' ? 1 : 0;
  uint64_t most = token.c == U'?' ? 1 : kPythonMaxRepeat;
  if (token.c == U'{' && (tokens_.NextIs(U'}') || !ReadBounds(least, most))) {
    items.push_back({RegexLiteral(U'{', flags), {1, 1}});
    return;
  }
  const size_t back = tokens_.Tell() - start + 1;
  if (items.empty() || items.back().kind == Piece::Kind::kAnchor) {
    return tokens_.Fail("nothing to repeat", back);
  }
  Piece& item = items.back();
  if (item.kind == Piece::Kind::kRepeat) return tokens_.Fail("multiple repeat", back);
  const bool unbounded = most == kPythonMaxRepeat;
  item.width.low = Times(item.width.low, least);
  item.width.high = unbounded && item.width.high > 0 ? kUnbounded : Times(item.width.high, most);
  const bool lazy = tokens_.Match(U'?');
  const bool possessive = !lazy && tokens_.Match(U'+');
  if (possessive) {
    // In Python each round by itself gives nothing back, either: "(?:a+){2}+" never matches "aa".
    item.text = absl::StrCat("(?>", item.text, ")");
  } else if (item.kind == Piece::Kind::kAssertion) {
    item.text = absl::StrCat("(?:", item.text, ")");
  }
  absl::StrAppend(&item.text, "{", least, ",", unbounded ? "" : absl::StrCat(most), "}",
                  lazy         ? "?"
                  : possessive ? "+"
                               : "");
  item.kind = Piece::Kind::kRepeat;
}

}  // namespace podferry::python_regex
