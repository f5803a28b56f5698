#include "core/pool/python_regex_charset.h"

#include <algorithm>
#include <initializer_list>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/strings/substitute.h"

namespace podferry {
namespace {

// str.isalnum() or '_', str.isspace(), and their ASCII versions, as elements of a PCRE2 class.
constexpr char kWord[] = "\\p{L}\\p{N}_";
constexpr char kNotWord[] = "[^\\p{L}\\p{N}_]";
constexpr char kAsciiWord[] = "0-9A-Za-z_";
constexpr char kNotAsciiWord[] =
    "\\x{0}-\\x{2f}\\x{3a}-\\x{40}\\x{5b}-\\x{5e}\\x{60}\\x{7b}-\\x{10ffff}";
constexpr char kSpace[] =
    "\\x{9}-\\x{d}\\x{1c}-\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}"
    "\\x{202f}\\x{205f}\\x{3000}";
constexpr char kNotSpace[] =
    "\\x{0}-\\x{8}\\x{e}-\\x{1b}\\x{21}-\\x{84}\\x{86}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}"
    "\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}"
    "\\x{3001}-\\x{10ffff}";
constexpr char kAsciiSpace[] = "\\x{9}-\\x{d}\\x{20}";
constexpr char kNotAsciiSpace[] = "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{10ffff}";

constexpr char kAnything[] = "[\\x{0}-\\x{10ffff}]";
constexpr char kNothing[] = "[^\\x{0}-\\x{10ffff}]";

// What Python takes for one letter where case does not matter, and PCRE2 10.42 for several. Found
// by comparing all of Unicode; the rest agrees, but for Python's own slip that a set of several
// members with one beyond U+FFFF does not match that one.
struct Family {
  std::initializer_list<char32_t> members;
  absl::string_view elements;
};
constexpr Family kFamilies[] = {
    {{U'I', U'i', 0x130, 0x131}, "Ii\\x{130}\\x{131}"},
    {{0x390, 0x1FD3}, "\\x{390}\\x{1fd3}"},
    {{0x3B0, 0x1FE3}, "\\x{3b0}\\x{1fe3}"},
    {{0xFB05, 0xFB06}, "\\x{fb05}\\x{fb06}"},
};

bool IsSurrogate(char32_t c) { return c >= 0xD800 && c <= 0xDFFF; }
bool IsAsciiLetter(char32_t c) { return c < 0x80 && absl::ascii_isalpha(static_cast<char>(c)); }

std::string Escaped(char32_t c) {
  if (c < 0x80 && absl::ascii_isalnum(static_cast<char>(c))) {
    return std::string(1, static_cast<char>(c));
  }
  return absl::StrFormat("\\x{%x}", static_cast<unsigned>(c));
}

absl::string_view CategoryElements(char category, bool ascii) {
  switch (category) {
    case 'd':
      return ascii ? "0-9" : "\\p{Nd}";
    case 'D':
      return ascii ? "\\x{0}-\\x{2f}\\x{3a}-\\x{10ffff}" : "\\P{Nd}";
    case 's':
      return ascii ? kAsciiSpace : kSpace;
    case 'S':
      return ascii ? kNotAsciiSpace : kNotSpace;
    case 'w':
      return ascii ? kAsciiWord : kWord;
    default:  // 'W'; the Unicode one has no form inside a class and is put beside it
      return ascii ? kNotAsciiWord : "";
  }
}

void AppendRange(char32_t low, char32_t high, std::string& out) {
  // Text is UTF-8 and has no surrogates; PCRE2 does not take them as ends.
  if (IsSurrogate(low)) low = 0xE000;
  if (IsSurrogate(high)) high = 0xD7FF;
  if (low > high) return;
  absl::StrAppend(&out, Escaped(low));
  if (low != high) absl::StrAppend(&out, "-", Escaped(high));
}

// The letters of [low, high] in the other ASCII case.
void AppendOtherAsciiCase(char32_t low, char32_t high, std::string& out) {
  const char32_t upper_low = std::max<char32_t>(low, 'A'),
                 upper_high = std::min<char32_t>(high, 'Z');
  if (upper_low <= upper_high) AppendRange(upper_low + 32, upper_high + 32, out);
  const char32_t lower_low = std::max<char32_t>(low, 'a'),
                 lower_high = std::min<char32_t>(high, 'z');
  if (lower_low <= lower_high) AppendRange(lower_low - 32, lower_high - 32, out);
}

// Whether [low, high] has a member of the family.
bool Meets(const Family& family, char32_t low, char32_t high) {
  return std::any_of(family.members.begin(), family.members.end(),
                     [&](char32_t c) { return low <= c && c <= high; });
}

}  // namespace

std::string RegexLiteral(char32_t c, const RegexFlags& flags) {
  if (IsSurrogate(c)) return kNothing;
  if (!flags.ignore_case) return Escaped(c);
  if (flags.ascii) {
    if (!IsAsciiLetter(c)) return Escaped(c);
    return absl::StrCat("[", Escaped(c & ~char32_t{32}), Escaped(c | 32), "]");
  }
  for (const Family& family : kFamilies) {
    if (Meets(family, c, c)) return absl::StrCat("[", family.elements, "]");
  }
  if (c < 0x80 && !IsAsciiLetter(c)) return Escaped(c);
  return absl::StrCat("(?i:", Escaped(c), ")");
}

std::string RegexWordBoundary(bool negated, const RegexFlags& flags) {
  const std::string word = absl::StrCat("[", flags.ascii ? kAsciiWord : kWord, "]");
  if (!negated) {
    return absl::Substitute("(?:(?<=$0)(?!$0)|(?<!$0)(?=$0))", word);
  }
  // Python's \B does not match in an empty text (it does from 3.14 on).
  return absl::Substitute("(?:(?!\\A\\z)(?:(?<=$0)(?=$0)|(?<!$0)(?!$0)))", word);
}

std::string RegexCharset::Elements(const RegexFlags& flags) const {
  std::string out;
  for (const auto& [low, high] : ranges_) {
    AppendRange(low, high, out);
    if (flags.ignore_case && flags.ascii) AppendOtherAsciiCase(low, high, out);
    if (!flags.ignore_case || flags.ascii) continue;
    for (const Family& family : kFamilies) {
      if (Meets(family, low, high)) absl::StrAppend(&out, family.elements);
    }
  }
  for (const char category : categories_) {
    absl::StrAppend(&out, CategoryElements(category, flags.ascii));
  }
  return out;
}

std::string RegexCharset::ToPcre2(const RegexFlags& flags) const {
  const std::string elements = Elements(flags);
  const bool not_word = !flags.ascii && categories_.find('W') != categories_.npos;
  std::string out;
  if (not_word && elements.empty()) {
    out = negated_ ? absl::StrCat("[", kWord, "]") : kNotWord;
  } else if (not_word && negated_) {
    out = absl::StrCat("(?:(?![", elements, "])[", kWord, "])");
  } else if (not_word) {
    out = absl::StrCat("(?:[", elements, "]|", kNotWord, ")");
  } else if (elements.empty()) {
    out = negated_ ? kAnything : kNothing;
  } else {
    out = absl::StrCat(negated_ ? "[^" : "[", elements, "]");
  }
  const bool by_pcre2 = flags.ignore_case && !flags.ascii && !ranges_.empty();
  return by_pcre2 ? absl::StrCat("(?i:", out, ")") : out;
}

}  // namespace podferry
