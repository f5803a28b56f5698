// Runs every golden pod under every runtime and compares what it comes to: how the job and its
// containers ended, and all their logs. Where a runtime's own result differs from the others'
// (<name>.result.txt), it stands in <name>.<runtime>.result.txt; a pod that only this runtime
// refuses has <name>.<runtime>.issues.txt.

#include <unistd.h>

#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "core/base/testing/golden.h"
#include "core/pod/pod_validator.h"
#include "core/translate/golden_cases.h"
#include "core/translate/job_description.h"
#include "core/translate/testing/script_run.h"
#include "core/translate/testing/test_runtime.h"
#include "core/translate/translate.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using GoldenRun = std::tuple<GoldenCase, TestRuntime>;

class GoldenRunTest : public testing::TestWithParam<GoldenRun> {};

// Each pod under each runtime; one that was written for a runtime other than host, only there. What
// host refuses needs images that cannot be had here.
std::vector<GoldenRun> Runs() {
  std::vector<GoldenRun> runs;
  for (const GoldenCase& golden : kGoldenCases) {
    for (const TestRuntime& runtime : kTestRuntimes) {
      const bool is_for_all = golden.runtime == RuntimeKind::kHost && !golden.is_refused;
      if (is_for_all || golden.runtime == runtime.kind) {
        runs.emplace_back(golden, runtime);
      }
    }
  }
  return runs;
}

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

std::string Lines(const Issues& issues) {
  std::string lines;
  for (const Issue& issue : issues) absl::StrAppend(&lines, issue.ToString(), "\n");
  return lines;
}

bool IsThere(const std::string& path) { return std::filesystem::exists(path); }

// A result of the runtime's own is there only if it differs from what the others come to; the one
// that the golden script is for sets the measure.
testing::AssertionResult MatchesResult(const std::string& result, const std::string& name,
                                       const std::string& runtime, bool is_measure) {
  const std::string common = name + ".result.txt";
  const std::string own = absl::StrCat(name, ".", runtime, ".result.txt");
  if (is_measure) return MatchesGolden(result, common);
  const bool is_common = IsThere(common) && result == ReadTestData(common);
  if (!is_common) return MatchesGolden(result, own);
  if (!IsThere(own)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << own << " is as " << common << ": remove it";
}

TEST_P(GoldenRunTest, ComesToWhatAReviewerHasSeen) {
  const auto& [golden, runtime] = GetParam();
  Issues issues;
  const absl::StatusOr<RetrievedPod> pod = AdmitPod(ReadTestData(PodPath(golden)), &issues);
  ASSERT_TRUE(pod.ok());
  const std::string name = GoldenPath(GoldenName(golden));
  const BuildConfig config = Generous(ConfigOf(runtime));
  // Podman's containers have names of their own, and another checkout's test may run beside us.
  const JobKey key = {"origin", absl::StrCat("uid-", getpid())};
  const Translation translation = Translate(*pod, key, "pool-a", config);
  const bool is_measure = runtime.kind == golden.runtime;
  if (!translation.issues.empty()) {
    EXPECT_TRUE(golden.is_refused || !is_measure);
    if (golden.is_refused) return;  // golden_test has read why
    const std::string file = absl::StrCat(name, ".", runtime.name, ".issues.txt");
    EXPECT_TRUE(MatchesGolden(Lines(translation.issues), file));
    return;
  }
  const bool is_golden = runtime.kind == golden.runtime && runtime.kind == RuntimeKind::kHost;
  ScriptRun run(is_golden ? ReadTestData(name + ".sh") : translation.bundle.script);
  Prepare(runtime, &run);
  const int exit_code = run.Run();
  const JobDescription job = DescribeJob(pod->pod, {"origin", "uid"}, "pool-a");
  std::string result = Result(run, job, exit_code);
  if (!config.volumes.image_dir.empty()) {  // is another on every machine
    result = absl::StrReplaceAll(result, {{config.volumes.image_dir, "<image_dir>"}});
  }
  EXPECT_TRUE(MatchesResult(result, name, runtime.name, is_measure));
}

INSTANTIATE_TEST_SUITE_P(Pods, GoldenRunTest, testing::ValuesIn(Runs()), [](const auto& info) {
  std::string name = absl::StrReplaceAll(std::get<0>(info.param).name, {{"-", ""}});
  return absl::StrCat(name, "_", std::get<1>(info.param).name);
});

}  // namespace
}  // namespace podferry
