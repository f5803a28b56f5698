// The grammar behind PythonRegexToPcre2, as one recursive-descent class; python_regex_grammar.cc
// has sequences and repeats, python_regex_groups.cc what stands in parentheses and refers to them.
// Private to these three files.

#ifndef PODFERRY_CORE_POOL_PYTHON_REGEX_GRAMMAR_H_
#define PODFERRY_CORE_POOL_PYTHON_REGEX_GRAMMAR_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/pool/python_regex_charset.h"
#include "core/pool/python_regex_flags.h"
#include "core/pool/python_regex_reader.h"
#include "core/pool/python_regex_tokens.h"

namespace podferry::python_regex {

// How deep parentheses may nest: PCRE2 and our stack both want a limit.
inline constexpr int kMaxDepth = 200;

// How many characters something can match; look-behind wants the two to be equal.
struct Width {
  uint64_t low = 0;
  uint64_t high = 0;
};

// A piece of the PCRE2 pattern. As an item of a sequence it is one atom, so that it can be
// repeated.
struct Piece {
  enum class Kind { kAtom, kAnchor, kAssertion, kRepeat };
  std::string text;
  Width width;
  Kind kind = Kind::kAtom;
};
using Items = std::vector<Piece>;

// Recursive descent. After an error the tokens end, so that every level returns.
class Grammar {
 public:
  explicit Grammar(absl::string_view pattern) : tokens_(pattern) {}

  absl::StatusOr<Pcre2Pattern> Read();

 private:
  // `flags` is changed only by global flags, which only the top level has.
  Piece Alternation(RegexFlags& flags, int depth);
  Piece Sequence(RegexFlags& flags, bool first, int depth);
  void Item(const RegexToken& token, RegexFlags& flags, bool first, int depth, Items& items);
  Piece Escaped(const RegexToken& token, const RegexFlags& flags);

  void Repeat(const RegexToken& token, const RegexFlags& flags, Items& items);
  bool ReadBounds(uint64_t& least, uint64_t& most);

  void Parenthesis(RegexFlags& flags, bool first, int depth, Items& items);
  void Extension(size_t start, RegexFlags& flags, bool first, int depth, Items& items);
  void PythonExtension(size_t start, const RegexFlags& flags, int depth, Items& items);
  void SkipComment(size_t start);
  void LookAround(char32_t direction, size_t start, RegexFlags flags, int depth, Items& items);
  void Conditional(size_t start, RegexFlags flags, int depth, Items& items);
  uint64_t ConditionalGroup();
  void Capture(const std::u32string& name, size_t start, RegexFlags flags, int depth, Items& items);
  void Enclosed(absl::string_view opening, size_t start, RegexFlags flags, int depth, Items& items);
  void GlobalFlags(const RegexFlagLetters& letters, size_t start, bool first, RegexFlags& flags,
                   const Items& items);
  void Close(size_t start);

  void CheckGroupName(const std::u32string& name);
  std::optional<uint64_t> GroupNamed(const std::u32string& name);
  Piece Reference(uint64_t group, size_t size, const RegexFlags& flags);
  void CheckLookBehindGroup(uint64_t group);
  bool IsClosed(uint64_t group) const {
    return group < groups_.size() && groups_[group].has_value();
  }

  RegexTokens tokens_;
  std::vector<std::optional<Width>> groups_ = {std::nullopt};  // by number; nullopt: open
  std::map<std::u32string, uint64_t> names_;
  std::vector<std::pair<uint64_t, size_t>> conditions_;  // a group, and where it is asked for
  std::optional<size_t> look_behind_groups_;  // how many there were before the look-behind
  bool look_behind_varies_ = false;           // Python says so only after reading everything
  bool ascii_text_only_ = false;
  bool global_ascii_ = false;
  bool global_unicode_ = false;
};

}  // namespace podferry::python_regex

#endif  // PODFERRY_CORE_POOL_PYTHON_REGEX_GRAMMAR_H_
