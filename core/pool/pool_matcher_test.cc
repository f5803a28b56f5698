#include "core/pool/pool_matcher.h"

#include "core/base/testing/status_matchers.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

TEST(PoolMatcherTest, TakesPoolsByNameAndByExpression) {
  PODFERRY_ASSERT_OK_AND_ASSIGN(const PoolMatcher matcher,
                                PoolMatcher::Create({"cnaf", "recas"}, "podman-.*"));
  EXPECT_THAT(matcher.Matches("cnaf"), IsOkAndHolds(true));
  EXPECT_THAT(matcher.Matches("the-podman-pool"), IsOkAndHolds(true));
  EXPECT_THAT(matcher.Matches("cnaf-2"), IsOkAndHolds(false));
}

TEST(PoolMatcherTest, NamesAreNoExpressions) {
  PODFERRY_ASSERT_OK_AND_ASSIGN(const PoolMatcher matcher, PoolMatcher::Create({"a.c"}, ""));
  EXPECT_THAT(matcher.Matches("a.c"), IsOkAndHolds(true));
  EXPECT_THAT(matcher.Matches("abc"), IsOkAndHolds(false));
}

TEST(PoolMatcherTest, WantsANameOrAnExpression) {
  EXPECT_THAT(PoolMatcher::Create({}, ""), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(PoolMatcherTest, HandsOnWhatIsWrongWithTheExpression) {
  EXPECT_THAT(PoolMatcher::Create({"a"}, "("),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "missing ), unterminated subpattern at position 0"));
}

TEST(PoolMatcherTest, NeverGuessesWhenTheSearchWasCutShort) {
  PODFERRY_ASSERT_OK_AND_ASSIGN(const PoolMatcher matcher, PoolMatcher::Create({}, "^(a+)+$"));
  EXPECT_THAT(matcher.Matches(std::string(60, 'a') + "!"),
              StatusIs(absl::StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace podferry
