#include "core/base/issues.h"

#include <string>

#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;

TEST(IssuesTest, NamesEveryFieldInOrder) {
  Issues issues;
  EXPECT_TRUE(issues.empty());
  issues.Add("metadata.uid", "missing");
  issues.Add("spec.containers[0].image", "want string, got number");
  issues.Add("", "not an object");
  EXPECT_EQ(issues.ToString(),
            "metadata.uid: missing; spec.containers[0].image: want string, got number; not an "
            "object");
}

TEST(IssuesTest, BecomesAStatusOnlyWhenThereIsOne) {
  Issues issues;
  EXPECT_THAT(issues.ToStatus(), IsOk());
  issues.Add("a", "b");
  EXPECT_THAT(issues.ToStatus(), StatusIs(absl::StatusCode::kInvalidArgument, "a: b"));
}

TEST(IssuesTest, MergePutsFieldsUnderTheirParent) {
  Issues inner;
  inner.Add("image", "missing");
  inner.Add("[2].name", "missing");
  inner.Add("", "too long");
  Issues outer;
  outer.Add("kind", "missing");
  outer.Merge(inner, "spec");
  outer.Merge(inner);
  EXPECT_THAT(outer, ElementsAre(Issue{"kind", "missing"}, Issue{"spec.image", "missing"},
                                 Issue{"spec[2].name", "missing"}, Issue{"spec", "too long"},
                                 Issue{"image", "missing"}, Issue{"[2].name", "missing"},
                                 Issue{"", "too long"}));
}

TEST(IssuesTest, MergeWithItselfDoublesIt) {
  Issues issues;
  issues.Add("a", "b");
  issues.Merge(issues);
  EXPECT_EQ(issues.size(), 2u);
}

TEST(IssuesTest, ALongListIsCutAndSaysSo) {
  Issues issues;
  for (int i = 0; i < 1000; ++i) issues.Add("field", "bad");
  EXPECT_THAT(issues.ToString(), EndsWith("; and 936 more"));
}

TEST(IssuesTest, AHugeValueIsCutAndItsEndStays) {
  Issues issues;
  issues.Add("metadata.labels[" + std::string(1 << 20, 'k') + "]",
             "want a label, got " + std::string(1 << 20, 'v') + "; use an annotation");
  EXPECT_LT(issues.ToString().size(), 1500u);
  EXPECT_THAT(issues.ToString(), EndsWith("; use an annotation"));
}

}  // namespace
}  // namespace podferry
