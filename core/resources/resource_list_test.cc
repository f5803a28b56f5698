#include "core/resources/resource_list.h"

#include "gtest/gtest.h"

namespace podferry {
namespace {

ResourceList Parsed(const StringMap& text) {
  Issues issues;
  return ParseResourceList(text, "resources", &issues);
}

TEST(ResourceListTest, ParsesAndPrints) {
  EXPECT_EQ(ToString(Parsed({{"cpu", "2"}, {"memory", "1024Mi"}, {"gpus", "1"}})),
            "cpu=2, memory=1Gi, nvidia.com/gpu=1");
  EXPECT_EQ(ToString(ResourceList()), "nothing");
  EXPECT_EQ(ToText(Parsed({{"cpu", "1000m"}})), (StringMap{{"cpu", "1"}}));
}

TEST(ResourceListTest, NamesEveryAmountThatIsWrong) {
  Issues issues;
  const ResourceList list =
      ParseResourceList({{"cpu", "-1"}, {"memory", "much"}, {"pods", "3"}}, "resources", &issues);
  EXPECT_EQ(ToString(list), "pods=3");
  ASSERT_EQ(issues.size(), 2u);
  EXPECT_EQ(issues.begin()->ToString(), "resources.cpu: is negative: -1");
  EXPECT_EQ((issues.begin() + 1)->field, "resources.memory");
}

TEST(ResourceListTest, AddsRaisesAndSubtracts) {
  ResourceList sum = Parsed({{"cpu", "1"}});
  Add(Parsed({{"cpu", "2"}, {"memory", "1Gi"}}), sum);
  EXPECT_EQ(ToString(sum), "cpu=3, memory=1Gi");
  RaiseTo(Parsed({{"cpu", "2"}, {"memory", "3Gi"}, {"pods", "1"}}), sum);
  EXPECT_EQ(ToString(sum), "cpu=3, memory=3Gi, pods=1");
  EXPECT_EQ(ToString(Without(sum, Parsed({{"cpu", "1"}, {"memory", "9Gi"}, {"x", "1"}}))),
            "cpu=2, memory=0, pods=1");
}

}  // namespace
}  // namespace podferry
