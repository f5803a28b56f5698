#include "core/job/job_key.h"

#include <string>

#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::HasSubstr;

TEST(JobKeyTest, WritesAndReadsBothForms) {
  const JobKey key{"5e9c2c3a-0000-4000-8000-000000000001", "uid-1"};
  EXPECT_EQ(key.ToString(), "5e9c2c3a-0000-4000-8000-000000000001/uid-1");
  EXPECT_EQ(key.FileName(), "5e9c2c3a-0000-4000-8000-000000000001.uid-1");
  EXPECT_THAT(ParseJobKey(key.ToString()), IsOkAndHolds(key));
  EXPECT_THAT(ParseJobKey(key.FileName()), IsOkAndHolds(key));
}

TEST(JobKeyTest, NamesThePartThatIsWrong) {
  struct Case {
    std::string text;
    std::string message;
  };
  const Case cases[] = {
      {"", "no '/'"},
      {"origin", "no '/'"},
      {"/uid", "the origin"},
      {"origin/", "the UID"},
      {"or_igin/uid", "the origin"},
      {"origin/u/i", "the UID"},
      {"origin/../etc", "the UID"},
      {"origin/u d", "the UID"},
      {std::string("origin/u\0d", 10), "the UID"},
      {"origin/" + std::string(64, 'u'), "the UID"},
      {std::string(64, 'o') + "/uid", "the origin"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(ParseJobKey(c.text),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.message)))
        << c.text;
  }
}

TEST(JobKeyTest, AcceptsPartsOfUpTo63Characters) {
  EXPECT_TRUE(IsKeyPart("a"));
  EXPECT_TRUE(IsKeyPart(std::string(63, 'a')));
  EXPECT_FALSE(IsKeyPart(std::string(64, 'a')));
  EXPECT_FALSE(IsKeyPart(""));
  EXPECT_FALSE(IsKeyPart("a.b"));
  EXPECT_FALSE(IsKeyPart("a/b"));
  EXPECT_FALSE(IsKeyPart("\xc3\xa9"));
}

TEST(JobKeyTest, OrdersByOriginThenUid) {
  EXPECT_LT((JobKey{"a", "2"}), (JobKey{"b", "1"}));
  EXPECT_LT((JobKey{"a", "1"}), (JobKey{"a", "2"}));
  EXPECT_FALSE((JobKey{"a", "1"}) < (JobKey{"a", "1"}));
}

}  // namespace
}  // namespace podferry
