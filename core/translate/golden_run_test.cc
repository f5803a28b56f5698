// Runs every golden script and compares what it comes to: how the job and its containers ended, and
// all their logs.

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/testing/golden.h"
#include "core/pod/pod_validator.h"
#include "core/translate/golden_cases.h"
#include "core/translate/job_description.h"
#include "core/translate/testing/script_run.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

class GoldenRunTest : public testing::TestWithParam<GoldenCase> {};

void AppendState(const ContainerState& state, std::string* out) {
  EXPECT_EQ(state.kind, ContainerState::Kind::kTerminated);
  absl::StrAppend(out, state.reason, ", exit ", state.exit_code, ", signal ", state.signal);
  if (!state.message.empty()) absl::StrAppend(out, ", ", state.message);
  absl::StrAppend(out, "\n");
}

void AppendLog(const std::string& log, std::string* out) {
  for (const absl::string_view line : absl::StrSplit(log, '\n')) {
    absl::StrAppend(out, "    ", absl::Utf8SafeCHexEscape(line), "\n");
  }
}

std::string Result(const ScriptRun& run, const JobDescription& job, int exit_code) {
  const FinishedFile finished = run.Finished();
  EXPECT_EQ(exit_code, finished.exit_code);
  std::string out = absl::StrCat("exit ", exit_code, ", ", ToString(finished.failure), ", ",
                                 finished.message, "\n");
  for (size_t i = 0; i < job.containers.size(); ++i) {
    const std::string& name = job.containers[i].name;
    const ContainerStatus status = run.Status(static_cast<int>(i), name);
    absl::StrAppend(&out, name, ": ready ", status.ready, ", ");
    AppendState(status.state, &out);
    if (status.last_state.has_value()) {
      absl::StrAppend(&out, "  restart ", status.restart_count, " after ");
      AppendState(*status.last_state, &out);
    }
    for (int attempt = 0; attempt <= status.restart_count; ++attempt) {
      AppendLog(run.Log(static_cast<int>(i), name, attempt), &out);
    }
  }
  return out;
}

TEST_P(GoldenRunTest, ComesToWhatAReviewerHasSeen) {
  const GoldenCase& c = GetParam();
  if (c.is_refused) return;
  Issues issues;
  const absl::StatusOr<RetrievedPod> pod = AdmitPod(ReadTestData(PodPath(c)), &issues);
  ASSERT_TRUE(pod.ok());
  const JobDescription job = DescribeJob(pod->pod, {"origin", "uid"}, "pool-a");
  const std::string name = GoldenPath(GoldenName(c));
  ScriptRun run(ReadTestData(name + ".sh"));
  const int exit_code = run.Run();
  EXPECT_TRUE(MatchesGolden(Result(run, job, exit_code), name + ".result.txt"));
}

INSTANTIATE_TEST_SUITE_P(Pods, GoldenRunTest, testing::ValuesIn(kGoldenCases),
                         [](const auto& info) {
                           std::string name;
                           for (const char c : info.param.name) {
                             if (c != '-') name.push_back(c);
                           }
                           return name;
                         });

}  // namespace
}  // namespace podferry
