// The characters of a Python regular expression, as Python's own reader sees them: one code point,
// or a backslash with the code point after it. Looks one token ahead, and keeps the first error;
// after an error the pattern seems to end, so that every loop does. Used by one parse, on one
// thread.

#ifndef PODFERRY_CORE_POOL_PYTHON_REGEX_TOKENS_H_
#define PODFERRY_CORE_POOL_PYTHON_REGEX_TOKENS_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace podferry {

struct RegexToken {
  bool escaped = false;  // a backslash stood before it
  char32_t c = 0;

  bool Is(char32_t plain) const { return !escaped && c == plain; }
  size_t size() const { return escaped ? 2 : 1; }
  std::string Text() const;  // as written, in UTF-8
  friend bool operator==(const RegexToken&, const RegexToken&) = default;
};

class RegexTokens {
 public:
  explicit RegexTokens(absl::string_view pattern);

  // nullopt at the end of the pattern.
  const std::optional<RegexToken>& next() const { return next_; }
  bool NextIs(char32_t plain) const { return next_.has_value() && next_->Is(plain); }
  bool AtEnd() const { return !next_.has_value(); }
  std::optional<RegexToken> Get();
  bool Match(char32_t plain);  // takes it if it is next

  // The position of the next token, in code points.
  size_t Tell() const { return index_ - (next_.has_value() ? next_->size() : 0); }
  void Seek(size_t position);

  // Takes everything up to `terminator`, which is taken too. `what` ("group name") is for errors.
  std::u32string Until(char32_t terminator, absl::string_view what);
  // Takes at most `limit` plain tokens of `allowed`.
  std::string While(size_t limit, absl::string_view allowed);

  // Python's way to say it: "message at position N". `back`: so many characters before Tell().
  void Fail(absl::string_view message, size_t back = 0) { FailAt(message, Tell() - back); }
  void FailAt(absl::string_view message, size_t position);
  void FailWith(absl::Status status);
  bool failed() const { return !error_.ok(); }
  const absl::Status& error() const { return error_; }

 private:
  void Advance();

  std::u32string pattern_;
  size_t index_ = 0;  // behind next_
  std::optional<RegexToken> next_;
  absl::Status error_;
};

// A string as Python's repr() shows it.
std::string PythonRepr(const std::u32string& text);
std::string ToUtf8(const std::u32string& text);

}  // namespace podferry

#endif  // PODFERRY_CORE_POOL_PYTHON_REGEX_TOKENS_H_
