#include "core/pool/python_regex.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/testing/status_matchers.h"
#include "core/pool/python_regex_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<bool> Search(const std::string& pattern, const std::string& text) {
  absl::StatusOr<PythonRegex> regex = PythonRegex::Compile(pattern);
  if (!regex.ok()) return regex.status();
  return regex->Search(text);
}

TEST(PythonRegexTest, FindsWhatPythonFinds) {
  const struct {
    std::string pattern, text;
    bool found;
  } kCases[] = {
      {"podman-.*", "my-podman-firenze", true},
      {"^podman", "my-podman", false},
      {"^(slurm|podman)-[a-z]+$", "slurm-cnaf", true},
      // A trailing newline is before `$`, but not before `\Z`.
      {"a$", "a\n", true},
      {"a\\Z", "a\n", false},
      // {,n} is a quantifier in Python, text in PCRE2.
      {"^a{,3}$", "aaa", true},
      {"^a{,3}$", "aaaa", false},
      {"^a{}$", "a{}", true},
      {"^a{,}$", "aaaaa", true},
      // No POSIX classes: a set, then a bracket.
      {"^[[:alpha:]]$", "h]", true},
      {"^[[:alpha:]]$", "x", false},
      {"^\\w+$", "Straße", true},
      {"(?a)^\\w+$", "Strasse", true},
      {"^(?a:\\w+)$", "Straße", false},
      {"^\\d$", "\u0663", true},
      {"^(?a:\\d)$", "\u0663", false},
      {"(?i)POOL", "my-pool", true},
      {"(?i:P)OOL", "pOOL", true},
      {"(?i:P)OOL", "pool", false},
      {"(?i)^\u0130$", "i", true},  // a dotted capital I is an i without case
      {"(?i)^k$", "\u212a", true},  // the Kelvin sign
      {"(?ai)^k$", "\u212a", false},
      {"(?x) a b  # both", "ab", true},
      {"(?P<site>cn|fi)-(?P=site)", "fi-fi", true},
      {"(?P<site>cn|fi)-(?P=site)", "fi-cn", false},
      {"^(<)?a(?(1)>|!)$", "<a>", true},
      {"^(<)?a(?(1)>|!)$", "a>", false},
      {"(?<=slurm-)cnaf", "slurm-cnaf", true},
      {"(?<!slurm-)cnaf", "slurm-cnaf", false},
      {"^(?>a+)b", "aab", true},
      {"^a++ab", "aaab", false},
      {"^k*(x)?+k$", "k", true},  // PCRE2 10.42 by itself says no
      {"(?:a+){2}+", "aa", false},
      {"\\B", "", false},
      {"^\\x41\\u0042\\U00000043\\104$", "ABCD", true},
      {"", "anything", true},
      {".", "\n", false},
      {"(?s).", "\n", true},
      {"(?m)^b$", "a\nb\nc", true},
      {std::string("\0", 1), std::string("a\0b", 3), true},
  };
  for (const auto& test : kCases) {
    EXPECT_THAT(Search(test.pattern, test.text), IsOkAndHolds(test.found))
        << test.pattern << " in " << test.text;
  }
}

TEST(PythonRegexTest, RefusesWhatPythonRefusesInItsWords) {
  const struct {
    std::string pattern, message;
  } kCases[] = {
      {"a[b", "unterminated character set at position 1"},
      {"(a", "missing ), unterminated subpattern at position 0"},
      {"a)", "unbalanced parenthesis at position 1"},
      {"*a", "nothing to repeat at position 0"},
      {"^*", "nothing to repeat at position 1"},
      {"a**", "multiple repeat at position 2"},
      {"a{3,2}", "min repeat greater than max repeat at position 2"},
      {"[b-a]", "bad character range b-a at position 1"},
      {"\\Qa\\E", "bad escape \\Q at position 0"},
      {"a\\K", "bad escape \\K at position 1"},
      {"\\p{L}", "bad escape \\p at position 0"},
      {"\\h", "bad escape \\h at position 0"},
      {"(?<n>a)", "unknown extension ?<n at position 1"},
      {"(*ACCEPT)", "nothing to repeat at position 1"},
      {"a(?i)b", "global flags not at the start of the expression at position 1"},
      {"\\", "bad escape (end of pattern) at position 0"},
      {"(?<=a+)b", "look-behind requires fixed-width pattern"},
      {"(?P=n)", "unknown group name 'n' at position 4"},
      {"\\1", "invalid group reference 1 at position 1"},
      {"(a\\1)", "cannot refer to an open group at position 2"},
      {"a\nb)", "unbalanced parenthesis at position 3 (line 2, column 2)"},
      {"(?a-u:b)", "bad inline flags: cannot turn off flags 'a', 'u' and 'L' at position 5"},
  };
  for (const auto& test : kCases) {
    EXPECT_THAT(Search(test.pattern, ""),
                StatusIs(absl::StatusCode::kInvalidArgument, test.message))
        << test.pattern;
  }
}

TEST(PythonRegexTest, SaysWhatItCannotHonour) {
  const struct {
    std::string pattern, message;
  } kCases[] = {
      {"\\N{EM DASH}", "character names"},
      {"a{70000}", "repeating more than 65535 times"},
      {"(?P<\u00e9>a)", "group names outside ASCII"},
      {"((a{1000}){1000}){1000}", "although Python takes it"},
      {std::string(300, '(') + std::string(300, ')'), "nested deeper than 200"},
      {std::string(20000, 'a'), "longer than 16384 bytes"},
  };
  for (const auto& test : kCases) {
    EXPECT_THAT(Search(test.pattern, ""),
                StatusIs(absl::StatusCode::kUnimplemented, HasSubstr(test.message)))
        << test.pattern;
  }
  EXPECT_THAT(Search("(?i)(a)\\1", "aA"), IsOkAndHolds(true));
  EXPECT_THAT(Search("(?i)(a)\\1", "\u00e9"), StatusIs(absl::StatusCode::kUnimplemented));
}

TEST(PythonRegexTest, EndsARunawaySearchWithAnErrorInsteadOfAnAnswer) {
  EXPECT_THAT(Search("^(a+)+$", std::string(60, 'a') + "!"),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("takes too long")));
}

TEST(PythonRegexTest, RefusesTextAndPatternsThatAreNotUtf8) {
  EXPECT_THAT(Search("a", "\xff"), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(Search("\xc3", "a"), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(PythonRegexReaderTest, SpellsOutWhatPcre2WouldTakeOtherwise) {
  const struct {
    std::string pattern, pcre2;
  } kCases[] = {
      {"a.b", "a[^\\x{a}]b"},         {"^a$", "\\Aa(?=\\x{a}?\\z)"},
      {"[-a]{2,}", "[\\x{2d}a]{2,}"}, {"(?P<n>a)(?P=n)", "(a)\\g{1}"},
      {"(?ai)a_", "[Aa]\\x{5f}"},     {"\\W", "[^\\p{L}\\p{N}_]"},
  };
  for (const auto& test : kCases) {
    const absl::StatusOr<Pcre2Pattern> read = PythonRegexToPcre2(test.pattern);
    ASSERT_THAT(read, IsOk());
    EXPECT_EQ(read->text, test.pcre2);
  }
}

}  // namespace
}  // namespace podferry
