#include "core/base/excerpt.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::SizeIs;

TEST(ExcerptTest, LeavesShortTextsAlone) {
  EXPECT_EQ(Excerpt("", 10), "");
  EXPECT_EQ(Excerpt("0123456789", 10), "0123456789");
}

TEST(ExcerptTest, KeepsTheBeginningAndTheEndOfLongOnes) {
  EXPECT_EQ(Excerpt("0123456789abcdef", 9), "012345[... 7 bytes ...]def");
  EXPECT_THAT(Excerpt(std::string(1 << 20, 'x'), 100), SizeIs(100 + 23));
}

TEST(ExcerptTest, DoesNotCutThroughACharacter) {
  // Six bytes would end at the first byte of the second letter, and begin at the last of another.
  EXPECT_EQ(Excerpt("aaa\xc3\xbc\xc3\xbc\xc3\xbcz", 6), "aaa[... 6 bytes ...]z");
}

TEST(ExcerptTest, QuotesWhatATerminalWouldTakeForACommand) {
  EXPECT_EQ(QuotedExcerpt("a \"b\"\n\x1b[31m caf\xc3\xa9"),
            "\"a \\\"b\\\"\\n\\033[31m caf\xc3\xa9\"");
}

}  // namespace
}  // namespace podferry
