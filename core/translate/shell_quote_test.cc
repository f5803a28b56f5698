#include "core/translate/shell_quote.h"

#include "gtest/gtest.h"

namespace podferry {
namespace {

TEST(ShellQuoteTest, QuotesEverythingTheSameWay) {
  const struct {
    absl::string_view bytes;
    absl::string_view quoted;
  } cases[] = {
      {"", "''"},
      {"word", "'word'"},
      {"two words", "'two words'"},
      {"it's", "'it'\\''s'"},
      {"'", "''\\'''"},
      {"$(id) `id` \"x\" !", "$'$(id) `id` \"x\" !'"},
      {"back\\slash", "$'back\\\\slash'"},
      {"line\nbreak\ttab", "'line\nbreak\ttab'"},
      {"caf\xc3\xa9", "'caf\xc3\xa9'"},
      {"dos\r\n", "$'dos\\015\n'"},
      {"\x01'\\\x7f", "$'\\001\\'\\\\\\177'"},
  };
  for (const auto& c : cases) EXPECT_EQ(ShellQuote(c.bytes), c.quoted);
}

TEST(ShellQuoteTest, AppendsToWhatIsThere) {
  std::string out = "x=";
  AppendShellQuoted("a b", &out);
  EXPECT_EQ(out, "x='a b'");
}

TEST(ShellQuoteTest, EscapesForPrintf) {
  EXPECT_EQ(PrintfEscape(absl::string_view("a\0b", 3)), "a\\0000b");
  EXPECT_EQ(PrintfEscape("50% \\n"), "50% \\0134n");
  EXPECT_EQ(PrintfEscape("\xff\r\n"), "\\0377\\0015\n");
}

}  // namespace
}  // namespace podferry
