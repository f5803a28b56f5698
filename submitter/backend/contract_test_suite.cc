#include "submitter/backend/contract_test_suite.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"

namespace podferry {

using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

BackendContractTest::BackendContractTest() : harness_(GetParam()()) {}

Submission BackendContractTest::Make(const std::string& uid, const ContractScript& script) {
  Submission submission;
  submission.job.key = KeyOf(uid);
  submission.job.pod_namespace = "default";
  submission.job.pod_name = uid;
  submission.job.pool = "pool";
  submission.job.containers = {{.name = "main", .image = "none"}};
  submission.job.resources = {{"cpu", "1"}, {"memory", "64Mi"}};
  submission.script = harness_->Script(submission.job.key, script);
  return submission;
}

SubmitResult BackendContractTest::Submit(Submission submission) {
  std::optional<SubmitResult> answer;
  std::vector<Submission> batch;
  batch.push_back(std::move(submission));
  harness_->backend().Submit(std::move(batch), [&](SubmitResult result) {
    EXPECT_FALSE(answer.has_value()) << "answered twice";
    answer = std::move(result);
  });
  EXPECT_FALSE(answer.has_value()) << "answered inside the call";
  EXPECT_TRUE(harness_->RunUntil([&] { return answer.has_value(); }));
  return answer.value_or(SubmitResult());
}

absl::Status BackendContractTest::Cancel(const JobKey& key, absl::Duration grace) {
  std::optional<absl::Status> answer;
  harness_->backend().Cancel(key, grace, [&](absl::Status status) { answer = std::move(status); });
  EXPECT_TRUE(harness_->RunUntil([&] { return answer.has_value(); }));
  return answer.value_or(absl::DeadlineExceededError("no answer"));
}

absl::StatusOr<std::optional<ObservedJob>> BackendContractTest::Find(const JobKey& key) {
  std::optional<absl::StatusOr<std::optional<ObservedJob>>> answer;
  harness_->backend().Find(
      key, [&](absl::StatusOr<std::optional<ObservedJob>> found) { answer = std::move(found); });
  EXPECT_TRUE(harness_->RunUntil([&] { return answer.has_value(); }));
  return answer.has_value() ? *std::move(answer) : absl::DeadlineExceededError("no answer");
}

BackendReport BackendContractTest::Check() {
  std::optional<BackendReport> answer;
  harness_->backend().Check([&](BackendReport report) { answer = std::move(report); });
  EXPECT_TRUE(harness_->RunUntil([&] { return answer.has_value(); }));
  return answer.value_or(BackendReport());
}

absl::StatusOr<LogPiece> BackendContractTest::ReadLog(const JobKey& key, const LogRange& range) {
  std::optional<absl::StatusOr<LogPiece>> answer;
  std::unique_ptr<LogSource> log;
  harness_->backend().OpenLog(
      {.key = key, .container = "main"}, [&](absl::StatusOr<std::unique_ptr<LogSource>> source) {
        if (!source.ok()) {
          answer = source.status();
          return;
        }
        log = *std::move(source);
        log->Read(range, [&](absl::StatusOr<LogPiece> piece) { answer = std::move(piece); });
      });
  EXPECT_TRUE(harness_->RunUntil([&] { return answer.has_value(); }));
  return answer.has_value() ? *std::move(answer) : absl::DeadlineExceededError("no answer");
}

void BackendContractTest::Observe() {
  harness_->backend().Observe([this, now = ++observing_](absl::StatusOr<Observation> observation) {
    ASSERT_THAT(observation, IsOk());
    if (now != observing_) return;
    if (observation->complete) {
      seen_.clear();
      ++complete_observations_;
      EXPECT_THAT(observation->resources, Not(IsEmpty()));
    }
    for (const ObservedJob& job : observation->jobs) {
      seen_[job.status.key] = job.status;
      if (job.job.has_value()) described_[job.status.key] = *job.job;
    }
  });
}

bool BackendContractTest::Await(const JobKey& key, JobPhase phase) {
  const bool pushes = Check().capabilities.pushes;
  const int before = complete_observations_;
  if (!pushes || before == 0) Observe();
  int asked = before;
  return harness_->RunUntil([&] {
    const auto seen = seen_.find(key);
    if (seen != seen_.end() && seen->second.phase == phase) return true;
    if (!pushes && complete_observations_ > asked) {
      asked = complete_observations_;
      Observe();
    }
    return false;
  });
}

TEST_P(BackendContractTest, SaysWhatItIsAndThatItCanBeUsed) {
  const BackendReport report = Check();
  EXPECT_TRUE(report.usable);
  EXPECT_THAT(report.capabilities.name, Not(IsEmpty()));
  EXPECT_THAT(report.capabilities.id, Not(IsEmpty()));
  EXPECT_THAT(report.findings, Not(IsEmpty()));
}

TEST_P(BackendContractTest, RunsAJobToItsEnd) {
  const JobKey key = KeyOf("good");
  const SubmitResult result = Submit(Make("good", {.exit_code = 0}));
  EXPECT_EQ(result.outcome, SubmitOutcome::kAccepted) << result.message;
  EXPECT_THAT(result.backend_job_id, Not(IsEmpty()));
  ASSERT_TRUE(Await(key, JobPhase::kSucceeded));
  ASSERT_THAT(seen_[key].containers, SizeIs(1));
  EXPECT_EQ(seen_[key].containers[0].name, "main");
  EXPECT_EQ(seen_[key].containers[0].state.kind, ContainerState::Kind::kTerminated);
  EXPECT_EQ(seen_[key].containers[0].state.exit_code, 0);
  EXPECT_EQ(harness_->Runs(key), 1);
}

TEST_P(BackendContractTest, TellsTheExitCodeOfAFailure) {
  const JobKey key = KeyOf("bad");
  Submit(Make("bad", {.exit_code = 3}));
  ASSERT_TRUE(Await(key, JobPhase::kFailed));
  EXPECT_EQ(seen_[key].failure, FailureReason::kError);
  ASSERT_THAT(seen_[key].containers, SizeIs(1));
  EXPECT_EQ(seen_[key].containers[0].state.exit_code, 3);
}

TEST_P(BackendContractTest, TellsThatAJobRuns) {
  const JobKey key = KeyOf("runs");
  Submit(Make("runs", {}));
  EXPECT_TRUE(Await(key, JobPhase::kRunning));
  EXPECT_TRUE(harness_->IsRunning(key));
  harness_->LetEnd(key, 0);
  EXPECT_TRUE(Await(key, JobPhase::kSucceeded));
}

TEST_P(BackendContractTest, SubmittingAgainRunsNothingAgain) {
  const JobKey key = KeyOf("twice");
  // Side by side, then while it runs, then when it has ended.
  std::vector<SubmitResult> results;
  std::vector<Submission> batch;
  batch.push_back(Make("twice", {}));
  batch.push_back(Make("twice", {}));
  harness_->backend().Submit(std::move(batch),
                             [&](SubmitResult result) { results.push_back(std::move(result)); });
  ASSERT_TRUE(harness_->RunUntil([&] { return results.size() == 2; }));
  ASSERT_TRUE(Await(key, JobPhase::kRunning));
  results.push_back(Submit(Make("twice", {})));
  harness_->LetEnd(key, 0);
  ASSERT_TRUE(Await(key, JobPhase::kSucceeded));
  results.push_back(Submit(Make("twice", {})));
  for (const SubmitResult& result : results) {
    EXPECT_EQ(result.outcome, SubmitOutcome::kAccepted) << result.message;
  }
  EXPECT_EQ(results[3].backend_job_id, results[2].backend_job_id);
  EXPECT_EQ(harness_->Runs(key), 1);
}

TEST_P(BackendContractTest, AnswersEveryJobOfABatchOnce) {
  std::map<JobKey, int> answers;
  std::vector<Submission> batch;
  for (int i = 0; i < 5; ++i) batch.push_back(Make(absl::StrCat("batch-", i), {.exit_code = 0}));
  harness_->backend().Submit(std::move(batch), [&](SubmitResult result) {
    EXPECT_EQ(result.outcome, SubmitOutcome::kAccepted);
    ++answers[result.key];
  });
  ASSERT_TRUE(harness_->RunUntil([&] { return answers.size() == 5; }));
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(Await(KeyOf(absl::StrCat("batch-", i)), JobPhase::kSucceeded));
    EXPECT_EQ(answers[KeyOf(absl::StrCat("batch-", i))], 1);
  }
}

TEST_P(BackendContractTest, FindsNothingOfAKeyNeverSeen) {
  const auto found = Find(KeyOf("never"));
  ASSERT_THAT(found, IsOk());
  EXPECT_FALSE(found->has_value());
  EXPECT_THAT(ReadLog(KeyOf("never")), StatusIs(absl::StatusCode::kNotFound));
}

TEST_P(BackendContractTest, CancellingAKeyNeverSeenKeepsALateSubmissionFromRunning) {
  const JobKey key = KeyOf("late");
  EXPECT_THAT(Cancel(key), IsOk());
  EXPECT_EQ(Submit(Make("late", {.exit_code = 0})).outcome, SubmitOutcome::kRejected);
  EXPECT_EQ(harness_->Runs(key), 0);
}

TEST_P(BackendContractTest, CancelsWhatRuns) {
  const JobKey key = KeyOf("cancelled");
  Submit(Make("cancelled", {}));
  ASSERT_TRUE(Await(key, JobPhase::kRunning));
  EXPECT_THAT(Cancel(key), IsOk());
  EXPECT_FALSE(harness_->IsRunning(key));
  const auto found = Find(key);
  ASSERT_THAT(found, IsOk());
  EXPECT_FALSE(found->has_value());
  EXPECT_THAT(ReadLog(key), Not(IsOk()));
  EXPECT_THAT(Cancel(key), IsOk());
}

TEST_P(BackendContractTest, CancelsWhatHasEnded) {
  const JobKey key = KeyOf("ended");
  Submit(Make("ended", {.exit_code = 0}));
  ASSERT_TRUE(Await(key, JobPhase::kSucceeded));
  EXPECT_THAT(Cancel(key), IsOk());
  const auto found = Find(key);
  ASSERT_THAT(found, IsOk());
  EXPECT_FALSE(found->has_value());
}

TEST_P(BackendContractTest, CancelsWhatIsJustBeingSubmitted) {
  const JobKey key = KeyOf("raced");
  int answers = 0;
  std::vector<Submission> batch;
  batch.push_back(Make("raced", {}));
  harness_->backend().Submit(std::move(batch), [&](const SubmitResult&) { ++answers; });
  std::vector<absl::Status> cancels;
  for (int i = 0; i < 2; ++i) {
    harness_->backend().Cancel(key, absl::Seconds(5),
                               [&](absl::Status status) { cancels.push_back(std::move(status)); });
  }
  ASSERT_TRUE(harness_->RunUntil([&] { return answers == 1 && cancels.size() == 2; }));
  EXPECT_THAT(cancels, Each(IsOk()));
  EXPECT_FALSE(harness_->IsRunning(key));
  EXPECT_LE(harness_->Runs(key), 1);
}

TEST_P(BackendContractTest, AShorterGraceIsObeyed) {
  const JobKey key = KeyOf("impatient");
  Submit(Make("impatient", {}));
  ASSERT_TRUE(Await(key, JobPhase::kRunning));
  bool first = false;
  harness_->backend().Cancel(key, absl::Hours(1), [&](const absl::Status&) { first = true; });
  EXPECT_THAT(Cancel(key, absl::ZeroDuration()), IsOk());
  EXPECT_TRUE(first);
  EXPECT_FALSE(harness_->IsRunning(key));
}

TEST_P(BackendContractTest, ARestartFindsWhatRuns) {
  const JobKey key = KeyOf("survivor");
  const std::string id = Submit(Make("survivor", {})).backend_job_id;
  ASSERT_TRUE(Await(key, JobPhase::kRunning));
  harness_->Stop();
  harness_->Start();
  seen_.clear();
  complete_observations_ = 0;
  ASSERT_TRUE(Await(key, JobPhase::kRunning));
  EXPECT_EQ(seen_[key].backend_job_id, id);
  const auto found = Find(key);
  ASSERT_THAT(found, IsOk());
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ((*found)->status.phase, JobPhase::kRunning);
  EXPECT_EQ(Submit(Make("survivor", {})).backend_job_id, id);
  harness_->LetEnd(key, 4);
  ASSERT_TRUE(Await(key, JobPhase::kFailed));
  EXPECT_EQ(seen_[key].containers[0].state.exit_code, 4);
  EXPECT_EQ(harness_->Runs(key), 1);
}

TEST_P(BackendContractTest, ARestartFindsWhatEndedMeanwhile) {
  const JobKey key = KeyOf("orphan");
  Submit(Make("orphan", {.output = "last words\n"}));
  ASSERT_TRUE(Await(key, JobPhase::kRunning));
  harness_->Stop();
  harness_->LetEnd(key, 0);
  harness_->Start();
  complete_observations_ = 0;
  ASSERT_TRUE(Await(key, JobPhase::kSucceeded));
  const absl::StatusOr<LogPiece> piece = ReadLog(key);
  ASSERT_THAT(piece, IsOk());
  EXPECT_EQ(piece->bytes, "last words\n");
  EXPECT_TRUE(piece->end);
}

TEST_P(BackendContractTest, ARestartCanCancelWhatRuns) {
  const JobKey key = KeyOf("doomed");
  Submit(Make("doomed", {}));
  ASSERT_TRUE(Await(key, JobPhase::kRunning));
  harness_->Stop();
  harness_->Start();
  EXPECT_THAT(Cancel(key), IsOk());
  EXPECT_FALSE(harness_->IsRunning(key));
}

TEST_P(BackendContractTest, ServesTheLogWhileItGrowsAndSaysWhenItEnds) {
  const JobKey key = KeyOf("talker");
  Submit(Make("talker", {.output = "one\ntwo\nthree\n"}));
  ASSERT_TRUE(Await(key, JobPhase::kRunning));
  absl::StatusOr<LogPiece> piece;
  ASSERT_TRUE(harness_->RunUntil([&] {
    piece = ReadLog(key);
    return piece.ok() && piece->bytes == "one\ntwo\nthree\n";
  }));
  EXPECT_FALSE(piece->end);
  harness_->LetEnd(key, 0);
  ASSERT_TRUE(Await(key, JobPhase::kSucceeded));
  piece = ReadLog(key, {.offset = 4, .max_bytes = 3});
  ASSERT_THAT(piece, IsOk());
  EXPECT_EQ(piece->bytes, "two");
  EXPECT_EQ(piece->next_offset, 7);
  EXPECT_FALSE(piece->end);
  piece = ReadLog(key, {.tail_lines = 1});
  ASSERT_THAT(piece, IsOk());
  EXPECT_EQ(piece->bytes, "three\n");
  EXPECT_TRUE(piece->end);
}

}  // namespace podferry
