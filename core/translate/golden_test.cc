// Translation step by step, as files that a reviewer reads. That the scripts are right is shown by
// running them (golden_run_test, script_test), not here.

#include "core/base/testing/golden.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/pod/pod_validator.h"
#include "core/translate/golden_cases.h"
#include "core/translate/planner.h"
#include "core/translate/script_renderer.h"
#include "core/translate/translate.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

class GoldenTest : public testing::TestWithParam<GoldenCase> {};

std::string Lines(const Issues& issues, const std::vector<std::string>& warnings) {
  std::string lines;
  for (const Issue& issue : issues) absl::StrAppend(&lines, issue.ToString(), "\n");
  for (const std::string& warning : warnings) absl::StrAppend(&lines, "warning: ", warning, "\n");
  return lines;
}

TEST_P(GoldenTest, TranslatesAsAReviewerHasSeen) {
  const GoldenCase& c = GetParam();
  Issues issues;
  const absl::StatusOr<RetrievedPod> pod = AdmitPod(ReadTestData(PodPath(c)), &issues);
  ASSERT_TRUE(pod.ok()) << pod.status();
  ASSERT_TRUE(issues.empty()) << issues.ToString();
  BuildConfig config;
  config.runtime.kind = c.runtime;
  config = Generous(std::move(config));
  const JobKey key = {"3bd3a9e2-2d6c-4c1e-9f0b-0a4de3b4a0c1", pod->pod.metadata.uid};

  const PlanResult result = PlanJob(*pod, key, "pool-a", config);
  const std::string name = GoldenPath(GoldenName(c));
  EXPECT_EQ(!result.issues.empty(), c.is_refused);
  if (c.is_refused) {
    EXPECT_TRUE(MatchesGolden(Lines(result.issues, result.warnings), name + ".issues.txt"));
    return;
  }
  EXPECT_TRUE(
      MatchesGolden(Describe(result.plan) + Lines({}, result.warnings), name + ".plan.txt"));
  const std::string script = RenderScript(result.plan);
  EXPECT_TRUE(MatchesGolden(script, name + ".sh"));
  const Translation translation = Translate(*pod, key, "pool-a", config);
  EXPECT_EQ(translation.bundle.script, script);
  EXPECT_EQ(translation.bundle.digest, Sha256Hex(script));
}

INSTANTIATE_TEST_SUITE_P(Pods, GoldenTest, testing::ValuesIn(kGoldenCases), [](const auto& info) {
  std::string name;
  for (const char c : info.param.name) {
    if (c != '-') name.push_back(c);
  }
  return name;
});

}  // namespace
}  // namespace podferry
