// Characters and character sets of Python's `re`, written for PCRE2 in UTF mode without any option:
// what \w, \s and \d contain and which letters are equal without case is spelled out here, because
// PCRE2 and Python differ in all of these. Pure functions and a value, no owner, no thread.

#ifndef PODFERRY_CORE_POOL_PYTHON_REGEX_CHARSET_H_
#define PODFERRY_CORE_POOL_PYTHON_REGEX_CHARSET_H_

#include <string>
#include <utility>
#include <vector>

namespace podferry {

struct RegexFlags {
  bool ascii = false;
  bool ignore_case = false;
  bool multi_line = false;
  bool dot_all = false;
  bool verbose = false;
};

// One character; a single PCRE2 atom.
std::string RegexLiteral(char32_t c, const RegexFlags& flags);

// \b, or \B when `negated`.
std::string RegexWordBoundary(bool negated, const RegexFlags& flags);

// What stands between brackets.
class RegexCharset {
 public:
  void Negate() { negated_ = true; }
  void Add(char32_t low, char32_t high) { ranges_.emplace_back(low, high); }
  void AddCategory(char category) { categories_ += category; }  // one of dDsSwW
  bool empty() const { return ranges_.empty() && categories_.empty(); }

  // A single PCRE2 atom that takes one character.
  std::string ToPcre2(const RegexFlags& flags) const;

 private:
  std::string Elements(const RegexFlags& flags) const;

  bool negated_ = false;
  std::vector<std::pair<char32_t, char32_t>> ranges_;
  std::string categories_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_POOL_PYTHON_REGEX_CHARSET_H_
