#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/pool/python_regex_grammar.h"

namespace podferry::python_regex {
namespace {

constexpr uint64_t kPythonMaxGroups = 1073741823;

}  // namespace

// `size`: characters of the reference before Tell(), for errors.
Piece Grammar::Reference(uint64_t group, size_t size, const RegexFlags& flags) {
  if (!IsClosed(group)) {
    tokens_.Fail("cannot refer to an open group", size);
    return {};
  }
  CheckLookBehindGroup(group);
  const std::string text = absl::StrCat("\\g{", group, "}");
  if (!flags.ignore_case) return {text, *groups_[group]};
  ascii_text_only_ = true;
  return {absl::StrCat("(?i:", text, ")"), *groups_[group]};
}

void Grammar::CheckLookBehindGroup(uint64_t group) {
  if (!look_behind_groups_.has_value()) return;
  if (!IsClosed(group)) tokens_.Fail("cannot refer to an open group");
  if (group >= *look_behind_groups_) {
    tokens_.Fail("cannot refer to group defined in the same lookbehind subpattern");
  }
}

void Grammar::Parenthesis(RegexFlags& flags, bool first, int depth, Items& items) {
  const size_t start = tokens_.Tell() - 1;
  if (tokens_.Match(U'?')) return Extension(start, flags, first, depth, items);
  Capture(U"", start, flags, depth, items);
}

void Grammar::Extension(size_t start, RegexFlags& flags, bool first, int depth, Items& items) {
  const std::optional<RegexToken> token = tokens_.Get();
  if (!token.has_value()) return tokens_.Fail("unexpected end of pattern");
  const char32_t c = token->escaped ? 0 : token->c;
  if (c == U'P') return PythonExtension(start, flags, depth, items);
  if (c == U':') return Enclosed("(?:", start, flags, depth, items);
  if (c == U'>') return Enclosed("(?>", start, flags, depth, items);
  if (c == U'#') return SkipComment(start);
  if (c == U'(') return Conditional(start, flags, depth, items);
  if (c == U'=' || c == U'!' || c == U'<') return LookAround(c, start, flags, depth, items);
  if (c == 0 || c >= 0x80 || (c != U'-' && !absl::StrContains(kRegexFlagLetters, char(c)))) {
    return tokens_.Fail(absl::StrCat("unknown extension ?", token->Text()), token->size() + 1);
  }
  const RegexFlagLetters letters = ReadRegexFlags(c, tokens_);
  if (tokens_.failed()) return;
  if (letters.global) return GlobalFlags(letters, start, first, flags, items);
  Enclosed("(?:", start, ApplyRegexFlags(letters, flags), depth, items);
}

void Grammar::GlobalFlags(const RegexFlagLetters& letters, size_t start, bool first,
                          RegexFlags& flags, const Items& items) {
  if (!first || !items.empty()) {
    return tokens_.Fail("global flags not at the start of the expression", tokens_.Tell() - start);
  }
  if (absl::StrContains(letters.on, 't')) {
    return tokens_.FailWith(
        absl::UnimplementedError("the flag 't' (template) is not supported, at position 0"));
  }
  global_ascii_ = global_ascii_ || absl::StrContains(letters.on, 'a');
  global_unicode_ = global_unicode_ || absl::StrContains(letters.on, 'u');
  flags = ApplyRegexFlags(letters, flags);
}

void Grammar::PythonExtension(size_t start, const RegexFlags& flags, int depth, Items& items) {
  if (tokens_.Match(U'<')) {
    const std::u32string name = tokens_.Until(U'>', "group name");
    CheckGroupName(name);
    return Capture(name, start, flags, depth, items);
  }
  if (!tokens_.Match(U'=')) {
    const std::optional<RegexToken> token = tokens_.Get();
    if (!token.has_value()) return tokens_.Fail("unexpected end of pattern");
    return tokens_.Fail(absl::StrCat("unknown extension ?P", token->Text()), token->size() + 2);
  }
  const std::u32string name = tokens_.Until(U')', "group name");
  CheckGroupName(name);
  if (const std::optional<uint64_t> group = GroupNamed(name)) {
    items.push_back(Reference(*group, name.size() + 1, flags));
  }
}

void Grammar::CheckGroupName(const std::u32string& name) {
  if (tokens_.failed()) return;
  bool identifier = !(name[0] >= U'0' && name[0] <= U'9');
  for (const char32_t c : name) {
    if (c >= 0x80) {
      return tokens_.FailWith(
          absl::UnimplementedError("group names outside ASCII are not supported"));
    }
    identifier = identifier && (absl::ascii_isalnum(static_cast<char>(c)) || c == U'_');
  }
  if (!identifier) {
    tokens_.Fail(absl::StrCat("bad character in group name ", PythonRepr(name)), name.size() + 1);
  }
}

std::optional<uint64_t> Grammar::GroupNamed(const std::u32string& name) {
  if (tokens_.failed()) return std::nullopt;
  const auto found = names_.find(name);
  if (found != names_.end()) return found->second;
  tokens_.Fail(absl::StrCat("unknown group name ", PythonRepr(name)), name.size() + 1);
  return std::nullopt;
}

void Grammar::SkipComment(size_t start) {
  while (!tokens_.AtEnd()) {
    if (tokens_.Get()->Is(U')')) return;
  }
  tokens_.Fail("missing ), unterminated comment", tokens_.Tell() - start);
}

void Grammar::Close(size_t start) {
  if (!tokens_.Match(U')')) {
    tokens_.Fail("missing ), unterminated subpattern", tokens_.Tell() - start);
  }
}

void Grammar::LookAround(char32_t direction, size_t start, RegexFlags flags, int depth,
                         Items& items) {
  const bool behind = direction == U'<';
  const std::optional<size_t> outer = look_behind_groups_;
  if (behind) {
    const std::optional<RegexToken> token = tokens_.Get();
    if (!token.has_value()) return tokens_.Fail("unexpected end of pattern");
    if (!token->Is(U'=') && !token->Is(U'!')) {
      return tokens_.Fail(absl::StrCat("unknown extension ?<", token->Text()), token->size() + 2);
    }
    direction = token->c;
    if (!outer.has_value()) look_behind_groups_ = groups_.size();
  }
  const Piece inner = Alternation(flags, depth + 1);
  look_behind_groups_ = outer;
  Close(start);
  if (behind && inner.width.low != inner.width.high) look_behind_varies_ = true;
  const char sign = static_cast<char>(direction);
  items.push_back({absl::StrCat("(?", behind ? "<" : "", std::string(1, sign), inner.text, ")"),
                   {},
                   Piece::Kind::kAssertion});
}

// The group that a condition asks for, as a name or a number; 0 after an error.
uint64_t Grammar::ConditionalGroup() {
  const std::u32string name = tokens_.Until(U')', "group name");
  if (tokens_.failed()) return 0;
  const bool digits =
      std::all_of(name.begin(), name.end(), [](char32_t c) { return c >= U'0' && c <= U'9'; });
  if (!digits) {
    CheckGroupName(name);
    return GroupNamed(name).value_or(0);
  }
  uint64_t group = 0;
  if (!absl::SimpleAtoi(ToUtf8(name), &group)) group = kPythonMaxGroups;
  if (group == 0) {
    tokens_.Fail("bad group number", name.size() + 1);
  } else if (group >= kPythonMaxGroups) {
    tokens_.Fail(absl::StrCat("invalid group reference ", ToUtf8(name)), name.size() + 1);
  } else {
    conditions_.emplace_back(group, tokens_.Tell() - name.size() - 1);
  }
  return group;
}

void Grammar::Conditional(size_t start, RegexFlags flags, int depth, Items& items) {
  const uint64_t group = ConditionalGroup();
  CheckLookBehindGroup(group);
  if (depth >= kMaxDepth) {
    return tokens_.FailWith(absl::UnimplementedError("conditions nested too deep"));
  }
  const Piece yes = Sequence(flags, false, depth + 1);
  Piece no;
  const bool has_no = tokens_.Match(U'|');
  if (has_no) {
    no = Sequence(flags, false, depth + 1);
    if (tokens_.NextIs(U'|')) {
      tokens_.Fail("conditional backref with more than two branches");
    }
  }
  Close(start);
  items.push_back(
      {absl::StrCat("(?(", group, ")", yes.text, has_no ? "|" : "", no.text, ")"),
       {std::min(yes.width.low, no.width.low), std::max(yes.width.high, no.width.high)}});
}

void Grammar::Capture(const std::u32string& name, size_t start, RegexFlags flags, int depth,
                      Items& items) {
  if (tokens_.failed()) return;
  const uint64_t group = groups_.size();
  groups_.push_back(std::nullopt);
  if (!name.empty()) {
    const auto [named, added] = names_.emplace(name, group);
    if (!added) {
      return tokens_.Fail(absl::StrCat("redefinition of group name ", PythonRepr(name),
                                       " as group ", group, "; was group ", named->second),
                          name.size() + 1);
    }
  }
  Enclosed("(", start, flags, depth, items);
  if (!tokens_.failed()) groups_[group] = items.back().width;
}

void Grammar::Enclosed(absl::string_view opening, size_t start, RegexFlags flags, int depth,
                       Items& items) {
  const Piece inner = Alternation(flags, depth + 1);
  Close(start);
  items.push_back({absl::StrCat(opening, inner.text, ")"), inner.width});
}

}  // namespace podferry::python_regex
