#include "core/nats/subject_match.h"

#include <string>

#include "core/base/testing/status_matchers.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

TEST(SubjectMatchTest, FollowsTheRulesOfNats) {
  struct Case {
    const char* pattern;
    const char* subject;
    bool matches;
  };
  const Case cases[] = {
      {"a", "a", true},          {"a", "b", false},        {"a.b", "a.b", true},
      {"a.b", "a", false},       {"a", "a.b", false},      {"*", "a", true},
      {"*", "a.b", false},       {"a.*", "a.b", true},     {"a.*", "a", false},
      {"a.*", "a.b.c", false},   {"*.b", "a.b", true},     {"a.*.c", "a.x.c", true},
      {"a.*.c", "a.x.d", false}, {">", "a", true},         {">", "a.b.c", true},
      {"a.>", "a.b", true},      {"a.>", "a.b.c.d", true}, {"a.>", "a", false},
      {"a.>", "b.c", false},     {"*.>", "a.b", true},     {"ab", "a", false},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(SubjectMatches(c.pattern, c.subject), c.matches) << c.pattern << " " << c.subject;
  }
}

TEST(SubjectMatchTest, RefusesWhatNatsWouldRefuse) {
  const std::string long_subject(3000, 'a');
  for (const std::string& subject :
       {std::string(""), std::string("."), std::string("a."), std::string(".a"),
        std::string("a..b"), std::string("a b"), std::string("a\r\nPUB x"), std::string("a\0b", 3),
        long_subject}) {
    EXPECT_THAT(CheckPublishSubject(subject), StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(CheckSubscribeSubject(subject), StatusIs(absl::StatusCode::kInvalidArgument));
  }
  EXPECT_THAT(CheckSubscribeSubject("a.>.b"), StatusIs(absl::StatusCode::kInvalidArgument));
  for (const char* wild : {"a.*", "*", ">", "a.>"}) {
    EXPECT_THAT(CheckPublishSubject(wild), StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(CheckSubscribeSubject(wild), IsOk());
  }
  EXPECT_THAT(CheckPublishSubject("a.b-c_d=2E"), IsOk());
}

TEST(SubjectMatchTest, AQueueGroupHasNoBlanks) {
  EXPECT_THAT(CheckQueueGroup(""), IsOk());
  EXPECT_THAT(CheckQueueGroup("hpc"), IsOk());
  EXPECT_THAT(CheckQueueGroup("a b"), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(CheckQueueGroup("a\n"), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace podferry
