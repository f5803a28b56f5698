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
  EXPECT_EQ(NearestWord("bwrap", {"kind", "bwrap_executable", "allow"}), "bwrap_executable");
  EXPECT_EQ(NearestWord("executable", {"bwrap_executable", "exec"}), "bwrap_executable");
  EXPECT_EQ(NearestWord("allow_privileged_pods", {"kind", "allow_privileged"}), "allow_privileged");
  EXPECT_EQ(NearestWord("cpu", {"memory", "mem_per_cpu", "nodes"}), "mem_per_cpu");
  EXPECT_EQ(NearestWord("cpu_per_task", {"cpu", "cpus_per_task"}), "cpus_per_task");
  EXPECT_EQ(NearestWord("no", {"nodes", "no_home"}), "nodes");
}

}  // namespace
}  // namespace podferry
