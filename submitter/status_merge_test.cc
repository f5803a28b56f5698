#include "submitter/status_merge.h"

#include "gtest/gtest.h"
#include "submitter/job_record.h"

namespace podferry {
namespace {

using Kind = ContainerState::Kind;

constexpr absl::Time kThen = absl::FromUnixSeconds(1'700'000'000);
const absl::Time kNow = kThen + absl::Seconds(10);

JobDescription TwoContainers() {
  return {.key = {"o", "u"},
          .containers = {{.name = "prepare", .image = "a", .init = true},
                         {.name = "main", .image = "b"}}};
}

ContainerStatus Container(const std::string& name, Kind kind, int exit_code = 0) {
  ContainerStatus container;
  container.name = name;
  container.state.kind = kind;
  container.state.exit_code = exit_code;
  return container;
}

TEST(StatusMergeTest, TakesWhatTheBackendSaw) {
  const JobDescription job = TwoContainers();
  const JobStatus known = FreshStatus(job, kThen);
  JobStatus seen;
  seen.phase = JobPhase::kRunning;
  seen.backend_job_id = "42";
  seen.containers = {Container("prepare", Kind::kTerminated), Container("main", Kind::kRunning)};
  const JobStatus merged = MergeStatus(job, known, seen, kNow);
  EXPECT_EQ(merged.phase, JobPhase::kRunning);
  EXPECT_EQ(merged.backend_job_id, "42");
  EXPECT_EQ(merged.changed_at, kNow);
  EXPECT_TRUE(merged.containers[0].init);
  EXPECT_EQ(merged.containers[0].state.kind, Kind::kTerminated);
  EXPECT_EQ(merged.containers[1].image, "b");
  EXPECT_EQ(merged.containers[1].state.kind, Kind::kRunning);
}

TEST(StatusMergeTest, IsTheSameWhenNothingIsNew) {
  const JobDescription job = TwoContainers();
  JobStatus seen;
  seen.phase = JobPhase::kRunning;
  seen.containers = {Container("prepare", Kind::kRunning), ContainerStatus()};
  seen.containers[1].name = "main";
  const JobStatus once = MergeStatus(job, FreshStatus(job, kThen), seen, kNow);
  EXPECT_EQ(MergeStatus(job, once, seen, kNow + absl::Hours(1)), once);
}

TEST(StatusMergeTest, NeverGoesBack) {
  const JobDescription job = TwoContainers();
  JobStatus known = FreshStatus(job, kThen);
  known.phase = JobPhase::kRunning;
  JobStatus seen;
  seen.phase = JobPhase::kSubmitted;
  seen.message = "queued again";
  EXPECT_EQ(MergeStatus(job, known, seen, kNow), known);
}

TEST(StatusMergeTest, AnUnknownPhaseChangesNothing) {
  const JobDescription job = TwoContainers();
  const JobStatus known = FreshStatus(job, kThen);
  EXPECT_EQ(MergeStatus(job, known, JobStatus(), kNow), known);
}

TEST(StatusMergeTest, NothingFollowsTheEnd) {
  const JobDescription job = TwoContainers();
  const JobStatus known =
      FailedStatus(job, FreshStatus(job, kThen), FailureReason::kNodeLost, "gone", kThen);
  JobStatus seen;
  seen.phase = JobPhase::kSucceeded;
  EXPECT_EQ(MergeStatus(job, known, seen, kNow), known);
}

TEST(StatusMergeTest, EveryContainerEndsWithItsJob) {
  const JobDescription job = TwoContainers();
  JobStatus known = FreshStatus(job, kThen);
  known.containers[1].state.kind = Kind::kRunning;
  known.containers[1].state.started_at = kThen;
  const JobStatus lost =
      FailedStatus(job, known, FailureReason::kNodeLost, "the machine was restarted", kNow);
  ASSERT_EQ(lost.containers.size(), 2u);
  for (const ContainerStatus& container : lost.containers) {
    EXPECT_EQ(container.state.kind, Kind::kTerminated);
    EXPECT_EQ(container.state.reason, "NodeLost");
    EXPECT_EQ(container.state.message, "the machine was restarted");
    EXPECT_EQ(container.state.exit_code, 137);
    EXPECT_EQ(container.state.finished_at, kNow);
  }
  EXPECT_EQ(lost.containers[1].state.started_at, kThen);
}

TEST(StatusMergeTest, AJobOfWhichOnlyTheWholeIsKnownSucceedsInAllItsContainers) {
  const JobDescription job = TwoContainers();
  JobStatus seen;
  seen.phase = JobPhase::kSucceeded;
  const JobStatus merged = MergeStatus(job, FreshStatus(job, kThen), seen, kNow);
  for (const ContainerStatus& container : merged.containers) {
    EXPECT_EQ(container.state.reason, "Completed");
    EXPECT_EQ(container.state.exit_code, 0);
  }
}

TEST(StatusMergeTest, AFailureWithoutAReasonIsAnError) {
  JobStatus seen;
  seen.phase = JobPhase::kFailed;
  const JobDescription job = TwoContainers();
  EXPECT_EQ(MergeStatus(job, FreshStatus(job, kThen), seen, kNow).failure, FailureReason::kError);
}

TEST(StatusMergeTest, WithoutADescriptionTheBackendsContainersStand) {
  JobDescription job;
  job.key = {"o", "u"};
  JobStatus seen;
  seen.phase = JobPhase::kRunning;
  seen.containers = {Container("main", Kind::kRunning)};
  const JobStatus merged = MergeStatus(job, FreshStatus(job, kThen), seen, kNow);
  ASSERT_EQ(merged.containers.size(), 1u);
  EXPECT_EQ(merged.containers[0].name, "main");
}

}  // namespace
}  // namespace podferry
