#include "core/base/testing/golden.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::HasSubstr;

constexpr char kTwoLines[] = "core/base/testing/testdata/two_lines.txt";

TEST(GoldenTest, AcceptsTheSameBytes) {
  EXPECT_TRUE(MatchesGolden("first\nsecond\n", kTwoLines));
  EXPECT_EQ(ReadTestData(kTwoLines), "first\nsecond\n");
}

TEST(GoldenTest, ShowsTheFirstLineThatDiffers) {
  const testing::AssertionResult result = MatchesGolden("first\nthird\n", kTwoLines);
  EXPECT_FALSE(result);
  EXPECT_THAT(result.message(), HasSubstr("two_lines.txt:2\n  want: second\n  got:  third"));
  EXPECT_THAT(MatchesGolden("first\n", kTwoLines).message(), HasSubstr("want: second\n  got:  \n"));
  EXPECT_THAT(MatchesGolden("first\nsecond\n\n", kTwoLines).message(),
              HasSubstr("want: (no such line)\n  got:  \n"));
}

TEST(GoldenTest, SaysHowToMakeAMissingFile) {
  EXPECT_THAT(MatchesGolden("", "no/such/file").message(), HasSubstr("PODFERRY_UPDATE_GOLDEN=1"));
}

TEST(GoldenTest, UpdatesTheSourceTree) {
  const std::string root = testing::TempDir() + "/golden_root";
  setenv("PODFERRY_UPDATE_GOLDEN", "1", 1);
  unsetenv("BUILD_WORKSPACE_DIRECTORY");
  EXPECT_FALSE(MatchesGolden("new\n", "new/folder/case.txt"));
  setenv("BUILD_WORKSPACE_DIRECTORY", root.c_str(), 1);
  EXPECT_TRUE(MatchesGolden("new\n", "new/folder/case.txt"));
  unsetenv("PODFERRY_UPDATE_GOLDEN");
  EXPECT_TRUE(MatchesGolden("new\n", root + "/new/folder/case.txt"));
}

}  // namespace
}  // namespace podferry
