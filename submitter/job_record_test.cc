#include "submitter/job_record.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::HasSubstr;

constexpr absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);

JobRecord FullRecord() {
  JobRecord record;
  record.job = {.key = {"origin-1", "uid-1"},
                .pod_namespace = "default",
                .pod_name = "sim",
                .pool = "pool-a",
                .containers = {{.name = "prepare", .image = "busybox", .init = true},
                               {.name = "proxy", .init = true, .sidecar = true},
                               {.name = "main", .image = "python:3"}},
                .resources = {{"cpu", "500m"}, {"memory", "1Gi"}},
                .annotations = {{"slurm-job.vk.io/flags", "--exclusive"}},
                .grace = absl::Seconds(5),
                .deadline = absl::Hours(2)};
  record.state = {.reserved = 3, .refused_up_to = 2, .started = 3};
  record.digest = std::string(64, 'a');
  record.size = 1234;
  record.script_here = true;
  record.submitted = true;
  record.status = FreshStatus(record.job, kNow);
  record.status.phase = JobPhase::kFailed;
  record.status.failure = FailureReason::kOomKilled;
  record.status.message = "\"quoted\"\nand more";
  record.status.backend_job_id = "42";
  ContainerStatus& main = record.status.containers[2];
  main.state = {.kind = ContainerState::Kind::kTerminated,
                .reason = "OOMKilled",
                .message = "killed",
                .started_at = kNow,
                .finished_at = kNow + absl::Milliseconds(1500),
                .exit_code = 137,
                .signal = 9};
  main.last_state = ContainerState{.kind = ContainerState::Kind::kTerminated, .exit_code = 1};
  main.restart_count = 1;
  main.ready = true;
  main.image_id = "sha256:1";
  main.container_id = "host://1";
  record.delete_grace = absl::Seconds(30);
  record.touched = kNow;
  record.epoch = 7;
  record.Note(kNow, "reserved for round 3");
  return record;
}

TEST(JobRecordTest, ReadsBackAllThatItWrites) {
  const JobRecord record = FullRecord();
  const absl::StatusOr<JobRecord> read = ParseRecord(RecordToJson(record));
  ASSERT_THAT(read.status(), IsOk());
  EXPECT_EQ(*read, record);
}

TEST(JobRecordTest, ReadsBackATombstoneOfAJobNeverSeen) {
  JobRecord record;
  record.job.key = record.status.key = {"origin-1", "uid-1"};
  record.state.tombstone = true;
  record.delete_grace = absl::ZeroDuration();
  record.gone = true;
  record.touched = kNow;
  const absl::StatusOr<JobRecord> read = ParseRecord(RecordToJson(record));
  ASSERT_THAT(read.status(), IsOk());
  EXPECT_EQ(*read, record);
}

TEST(JobRecordTest, NamesWhatIsWrongWithAText) {
  struct Case {
    std::string text;
    std::string message;
  };
  const Case cases[] = {
      {"", "empty"},
      {"[]", "want object"},
      {R"({"job": {"origin": "a/b", "uid": "u"}})", "job.origin"},
      {R"({"job": {"origin": "a", "uid": "u"}, "reserved": -1})", "reserved"},
      {R"({"job": {"origin": "a", "uid": "u"}, "started": "soon"})", "started"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(ParseRecord(c.text),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.message)))
        << c.text;
  }
}

TEST(JobRecordTest, KeepsTheBeginningAndTheEndOfALongHistory) {
  JobRecord record;
  for (int i = 0; i < 100; ++i) record.Note(kNow, absl::StrCat("event ", i));
  ASSERT_EQ(record.timeline.size(), kMaxTimeline);
  EXPECT_EQ(record.timeline.front().event, "event 0");
  EXPECT_EQ(record.timeline[1].event, absl::StrCat("event ", 101 - kMaxTimeline));
  EXPECT_EQ(record.timeline.back().event, "event 99");
}

TEST(JobRecordTest, KnowsWhatIsLiveAndWhatIsOnlyARefusal) {
  JobRecord record = FullRecord();
  EXPECT_FALSE(IsLive(record));  // it has failed
  EXPECT_FALSE(IsOnlyRefusal(record));
  record.status.phase = JobPhase::kRunning;
  EXPECT_TRUE(IsLive(record));
  record.state.tombstone = true;
  EXPECT_FALSE(IsLive(record));
  EXPECT_FALSE(IsOnlyRefusal(record));  // its end is under way
  record.gone = true;
  EXPECT_TRUE(IsOnlyRefusal(record));
  JobRecord refusal;
  refusal.state.refused_up_to = 2;
  EXPECT_TRUE(IsOnlyRefusal(refusal));
  refusal.state.reserved = 3;
  EXPECT_FALSE(IsOnlyRefusal(refusal));
}

}  // namespace
}  // namespace podferry
