#include "core/base/testing/status_matchers.h"

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Not;

absl::StatusOr<int> Three() { return 3; }
absl::StatusOr<int> NoPool() { return absl::NotFoundError("no pool a"); }

TEST(StatusMatchersTest, TellGoodFromBad) {
  EXPECT_THAT(absl::OkStatus(), IsOk());
  EXPECT_THAT(Three(), IsOk());
  EXPECT_THAT(NoPool(), Not(IsOk()));
  EXPECT_THAT(absl::InternalError("x"), Not(IsOk()));
}

TEST(StatusMatchersTest, LookAtCodeAndMessage) {
  EXPECT_THAT(NoPool(), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(NoPool(), StatusIs(absl::StatusCode::kNotFound, "no pool a"));
  EXPECT_THAT(NoPool().status(), StatusIs(absl::StatusCode::kNotFound, HasSubstr("pool")));
  EXPECT_THAT(NoPool(), Not(StatusIs(absl::StatusCode::kInternal)));
  EXPECT_THAT(NoPool(), Not(StatusIs(absl::StatusCode::kNotFound, HasSubstr("queue"))));
}

TEST(StatusMatchersTest, LookAtTheValue) {
  EXPECT_THAT(Three(), IsOkAndHolds(3));
  EXPECT_THAT(Three(), IsOkAndHolds(Gt(2)));
  EXPECT_THAT(Three(), Not(IsOkAndHolds(4)));
  EXPECT_THAT(NoPool(), Not(IsOkAndHolds(3)));
}

absl::Status Check(const absl::StatusOr<int>& input, int* seen) {
  PODFERRY_ASSIGN_OR_RETURN(const int value, input);
  PODFERRY_RETURN_IF_ERROR(value > 2 ? absl::OkStatus() : absl::OutOfRangeError("small"));
  *seen = value;
  return absl::OkStatus();
}

TEST(StatusMacrosTest, ReturnTheFirstErrorAndStopThere) {
  int seen = 0;
  EXPECT_THAT(Check(NoPool(), &seen), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(Check(1, &seen), StatusIs(absl::StatusCode::kOutOfRange));
  EXPECT_EQ(seen, 0);
  EXPECT_THAT(Check(3, &seen), IsOk());
  EXPECT_EQ(seen, 3);
}

absl::StatusOr<std::unique_ptr<int>> MakePointer() { return std::make_unique<int>(5); }

TEST(StatusMacrosTest, MoveValuesThatCannotBeCopied) {
  PODFERRY_ASSERT_OK_AND_ASSIGN(std::unique_ptr<int> pointer, MakePointer());
  EXPECT_EQ(*pointer, 5);
}

}  // namespace
}  // namespace podferry
