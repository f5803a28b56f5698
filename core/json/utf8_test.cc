#include "core/json/utf8.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace podferry::json {
namespace {

TEST(Utf8Test, AcceptsTheEdgesOfEveryLength) {
  const std::vector<std::string> valid = {
      "",
      "a",
      std::string(1, '\0'),
      "\x7f",
      "\xc2\x80",
      "\xdf\xbf",  // U+0080, U+07FF
      "\xe0\xa0\x80",
      "\xed\x9f\xbf",
      "\xee\x80\x80",  // U+0800, U+D7FF, U+E000
      "\xef\xbf\xbf",  // U+FFFF
      "\xf0\x90\x80\x80",
      "\xf4\x8f\xbf\xbf",  // U+10000, U+10FFFF
  };
  for (const std::string& text : valid) {
    EXPECT_TRUE(IsValidUtf8(text)) << testing::PrintToString(text);
    EXPECT_TRUE(IsValidUtf8("12345678" + text + "1234567890123456"));
  }
}

TEST(Utf8Test, RefusesEverythingElseAndSaysWhere) {
  const std::vector<std::string> invalid = {
      "\x80",
      "\xbf",  // a continuation without a start
      "\xc0\x80",
      "\xc1\xbf",  // overlong, two bytes
      "\xe0\x9f\xbf",
      "\xf0\x8f\xbf\xbf",  // overlong, three and four
      "\xed\xa0\x80",
      "\xed\xbf\xbf",  // surrogates
      "\xf4\x90\x80\x80",
      "\xf5\x80\x80\x80",
      "\xff",
      "\xfe",  // beyond U+10FFFF
      "\xc2",
      "\xe1\x80",
      "\xf1\x80\x80",  // cut short
      "\xc2"
      "a",
      "\xe1\x80"
      "a",
      "\xf1\x80\x80"
      "a",
  };
  for (const std::string& text : invalid) {
    EXPECT_EQ(ValidUtf8Prefix(text), 0u) << testing::PrintToString(text);
    EXPECT_EQ(ValidUtf8Prefix("123456789\xc3\xa9" + text), 11u) << testing::PrintToString(text);
  }
}

}  // namespace
}  // namespace podferry::json
