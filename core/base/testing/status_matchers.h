// GoogleMock matchers for absl::Status and absl::StatusOr, which Debian's Abseil does not have yet.
//
//   EXPECT_THAT(journal.Sync(), IsOk());
//   EXPECT_THAT(ParsePods("3"), IsOkAndHolds(3));
//   EXPECT_THAT(ParsePods("x"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("number")));
//   PODFERRY_ASSERT_OK_AND_ASSIGN(Pod pod, ParsePod(body));

#ifndef PODFERRY_CORE_BASE_TESTING_STATUS_MATCHERS_H_
#define PODFERRY_CORE_BASE_TESTING_STATUS_MATCHERS_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/status_macros.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace status_matchers_internal {

inline const absl::Status& GetStatus(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& GetStatus(const absl::StatusOr<T>& result) {
  return result.status();
}

}  // namespace status_matchers_internal

MATCHER(IsOk, negation ? "is an error" : "is OK") {
  const absl::Status& status = status_matchers_internal::GetStatus(arg);
  if (!status.ok()) *result_listener << "whose status is " << status;
  return status.ok();
}

MATCHER_P2(StatusIs, code, message,
           "has status " + absl::StatusCodeToString(code) + " whose message " +
               testing::DescribeMatcher<std::string>(message, negation)) {
  const absl::Status& status = status_matchers_internal::GetStatus(arg);
  *result_listener << "whose status is " << status;
  return status.code() == code && testing::Matches(message)(std::string(status.message()));
}

inline auto StatusIs(absl::StatusCode code) { return StatusIs(code, testing::_); }

MATCHER_P(IsOkAndHolds, value, "") {
  if (!arg.ok()) {
    *result_listener << "whose status is " << arg.status();
    return false;
  }
  return testing::ExplainMatchResult(value, *arg, result_listener);
}

}  // namespace podferry

#define PODFERRY_ASSERT_OK_AND_ASSIGN(declaration, expression)                         \
  PODFERRY_ASSERT_OK_AND_ASSIGN_IMPL_(PODFERRY_CONCAT_(podferry_status_or_, __LINE__), \
                                      declaration, expression)

#define PODFERRY_ASSERT_OK_AND_ASSIGN_IMPL_(result, declaration, expression) \
  auto result = (expression);                                                \
  ASSERT_TRUE(result.ok()) << result.status();                               \
  declaration = *std::move(result)

#endif  // PODFERRY_CORE_BASE_TESTING_STATUS_MATCHERS_H_
