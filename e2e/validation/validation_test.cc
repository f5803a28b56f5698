// interLink's validation suite, as far as any plugin can pass it, against a real plugin, a real
// submitter and real containers, over the HTTP API as interLink calls it. Not here: 070 (sshd and
// FUSE in privileged containers, skipped upstream) and the Job objects of 110 (no plugin sees
// them).

#include <string>
#include <tuple>

#include "e2e/harness/site.h"
#include "e2e/harness/wait.h"
#include "e2e/validation/scenario.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry::e2e {
namespace {

using ::testing::Combine;
using ::testing::ContainsRegex;
using ::testing::ValuesIn;

class ValidationTest : public testing::TestWithParam<std::tuple<Runtime, Scenario>> {
 protected:
  const Runtime& runtime() const { return std::get<0>(GetParam()); }
  const Scenario& scenario() const { return std::get<1>(GetParam()); }
};

// POSIX has no "matches in the whole of several lines": one line is what the suite asks about.
bool LogsMatch(const Site& site, const Scenario& scenario) {
  for (const auto& [container, pattern] : scenario.logs) {
    if (!testing::Matches(ContainsRegex(pattern))(site.Log(scenario.pod, container))) return false;
  }
  return true;
}

void ExpectLogs(const Site& site, const Scenario& scenario) {
  WaitFor([&] { return LogsMatch(site, scenario); }, absl::Seconds(10));
  for (const auto& [container, pattern] : scenario.logs) {
    EXPECT_THAT(site.Log(scenario.pod, container), ContainsRegex(pattern)) << container;
  }
}

TEST_P(ValidationTest, TheUserSeesWhatTheSuiteWants) {
  ASSERT_EQ(runtime().missing, "");
  Site site(runtime());
  site.StartAll();
  const PodRequest& pod = scenario().pod;
  ASSERT_EQ(site.Create(pod), 200);
  PodAnswer answer;
  ASSERT_TRUE(WaitFor([&] { return (answer = site.Status(pod)).Phase() == scenario().phase; }))
      << answer.Phase() << " " << answer.ToString();
  ExpectLogs(site, scenario());
  for (const auto& [container, code] : scenario().exit_codes) {
    const ContainerAnswer* of = answer.Find(container);
    ASSERT_NE(of, nullptr) << container;
    EXPECT_EQ(of->exit_code, code) << answer.ToString();
  }
  EXPECT_EQ(site.Delete(pod), 200);
  EXPECT_TRUE(WaitFor([&] { return site.Leftovers().empty(); })) << site.Leftovers();
  EXPECT_TRUE(WaitFor([&] { return site.Leftovers(pod.uid).empty(); })) << site.Leftovers(pod.uid);
}

std::string Name(const testing::TestParamInfo<std::tuple<Runtime, Scenario>>& info) {
  return std::get<0>(info.param).name + "_" + std::get<1>(info.param).name;
}

enum class Where { kEverywhere, kWithImages };

std::vector<Scenario> Scenarios(Where where) {
  std::vector<Scenario> some;
  for (const auto& group : {BasicScenarios(), VolumeScenarios(), InitScenarios(),
                            FailureScenarios(), ImageScenarios(), RunningScenarios()}) {
    for (const Scenario& scenario : group) {
      const Where wanted = scenario.needs_images ? Where::kWithImages : Where::kEverywhere;
      if (where == wanted) some.push_back(scenario);
    }
  }
  return some;
}

INSTANTIATE_TEST_SUITE_P(Everywhere, ValidationTest,
                         Combine(ValuesIn(AllRuntimes()), ValuesIn(Scenarios(Where::kEverywhere))),
                         Name);
INSTANTIATE_TEST_SUITE_P(WithImages, ValidationTest,
                         Combine(ValuesIn(RuntimesWithImages()),
                                 ValuesIn(Scenarios(Where::kWithImages))),
                         Name);

}  // namespace
}  // namespace podferry::e2e
