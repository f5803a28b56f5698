#include "core/pool/edit_distance.h"

#include "gtest/gtest.h"

namespace podferry {
namespace {

TEST(EditDistanceTest, CountsAddedRemovedChangedAndSwappedCharacters) {
  const struct {
    absl::string_view a, b;
    size_t distance;
  } kCases[] = {{"", "", 0},
                {"abc", "abc", 0},
                {"abc", "", 3},
                {"", "ab", 2},
                {"abc", "abxc", 1},
                {"abc", "ac", 1},
                {"abc", "axc", 1},
                {"abc", "acb", 1},
                {"kitten", "sitting", 3},
                {"cpu_per_task", "cpus_per_task", 1}};
  for (const auto& test : kCases) {
    EXPECT_EQ(EditDistance(test.a, test.b), test.distance) << test.a << " " << test.b;
  }
}

TEST(EditDistanceTest, FindsTheNearestWord) {
  EXPECT_EQ(NearestWord("qoss", {"cpu", "qos", "nodes"}), "qos");
  EXPECT_EQ(NearestWord("fuse_enabled_on_host", {"fakeroot", "unsquash", "fuse_mode"}),
            "fuse_mode");
  EXPECT_EQ(NearestWord("x", {}), "");
}

}  // namespace
}  // namespace podferry
