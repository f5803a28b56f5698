#include "core/base/ids.h"

#include <string>

#include "absl/container/flat_hash_set.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

TEST(IdsTest, AUuidHasVersion4AndTheRightVariant) {
  for (int i = 0; i < 100; ++i) {
    const std::string uuid = NewUuid();
    ASSERT_TRUE(IsUuid(uuid)) << uuid;
    EXPECT_EQ(uuid[14], '4') << uuid;
    EXPECT_THAT(std::string("89ab"), testing::HasSubstr(std::string(1, uuid[19]))) << uuid;
  }
}

TEST(IdsTest, NoTwoAreTheSame) {
  absl::flat_hash_set<std::string> seen;
  for (int i = 0; i < 10000; ++i) EXPECT_TRUE(seen.insert(NewUuid()).second);
}

TEST(IdsTest, IsUuidRefusesWhatOnlyLooksLikeOne) {
  EXPECT_TRUE(IsUuid("6BA7B810-9DAD-11D1-80B4-00C04FD430C8"));
  EXPECT_FALSE(IsUuid(""));
  EXPECT_FALSE(IsUuid("6ba7b810-9dad-11d1-80b4-00c04fd430c"));
  EXPECT_FALSE(IsUuid("6ba7b810-9dad-11d1-80b4-00c04fd430c80"));
  EXPECT_FALSE(IsUuid("6ba7b810x9dad-11d1-80b4-00c04fd430c8"));
  EXPECT_FALSE(IsUuid("6ba7b810-9dad-11d1-80b4-00c04fd430cg"));
  EXPECT_FALSE(IsUuid("6ba7b810-9dad-11d1-80b4-00c04fd4\0308"));
}

}  // namespace
}  // namespace podferry
