#include "plugin/job_record.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/base/testing/status_matchers.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using testing::HasSubstr;

JobRecord Full() {
  const absl::Time now = absl::FromUnixMillis(1'800'000'000'123);
  JobRecord record;
  record.job.key = {"origin-1", "50998ef5-7fc6-4aad-a3d3-4823e81163eb"};
  record.job.pod_namespace = "default";
  record.job.pod_name = "a \"pod\"";
  record.job.pool = "pool-a";
  record.job.containers = {{"init", "a", true, false}, {"side", "b", true, true}, {"main", "c"}};
  record.job.resources = {{"cpu", "500m"}};
  record.job.annotations = {{"slurm-job.vk.io/flags", "--x=\n"}};
  record.job.grace = absl::Seconds(7);
  record.job.deadline = absl::Minutes(3);
  record.source = JobSource::kCli;
  record.created_at = now;
  record.round = 3;
  record.warnings = {"spec.a: ignored", "and 3 more"};
  record.digest = "abc";
  record.script_size = 12345;
  record.owner = "S1";
  record.owner_epoch = 9;
  record.owner_backend = "cluster";
  record.started = true;
  record.status.key = record.job.key;
  record.status.phase = JobPhase::kFailed;
  record.status.failure = FailureReason::kOomKilled;
  record.status.message = "killed";
  record.status.backend_job_id = "4711";
  record.status.changed_at = now;
  ContainerStatus container;
  container.name = "main";
  container.state = {.kind = ContainerState::Kind::kTerminated,
                     .reason = "OOMKilled",
                     .message = "m",
                     .started_at = now,
                     .finished_at = now,
                     .exit_code = 137,
                     .signal = 9};
  container.last_state = container.state;
  container.restart_count = 2;
  container.ready = true;
  container.starting = true;
  container.image = "c";
  container.image_id = "sha256:1";
  container.container_id = "x";
  record.status.containers = {container};
  record.status_epoch = 9;
  record.status_number = 77;
  record.tombstone = Tombstone{now, now, absl::Seconds(30), "deleted"};
  record.Note(now, "accepted");
  record.Note(now, "failed");
  return record;
}

TEST(JobRecordTest, IsReadBackAsItWasWritten) {
  JobRecord small;
  small.job.key = {"o", "u"};
  small.status.key = small.job.key;
  small.status.phase = JobPhase::kQueued;
  small.created_at = absl::UnixEpoch();
  for (const JobRecord& record : {Full(), small}) {
    PODFERRY_ASSERT_OK_AND_ASSIGN(JobRecord read, ParseJobRecord(ToJson(record)));
    EXPECT_EQ(read, record) << ToJson(record);
  }
}

TEST(JobRecordTest, IsSmall) { EXPECT_LT(ToJson(Full()).size(), 2000u); }

TEST(JobRecordTest, SaysWhichFieldIsDamaged) {
  const std::string good = ToJson(Full());
  struct Case {
    const char* from;
    const char* to;
    const char* field;
  };
  const Case cases[] = {{"\"origin-1\"", "\"a/b\"", "origin"},
                        {"\"round\":3", "\"round\":-3", "round"},
                        {"\"Failed\"", "\"Lost\"", "status.phase"},
                        {"\"version\":1", "\"version\":2", "newer"},
                        {"\"kind\":3", "\"kind\":9", "status.containers[0].state.kind"},
                        {"\"source\":1", "\"source\":\"x\"", "source"}};
  for (const Case& c : cases) {
    const std::string bad = absl::StrReplaceAll(good, {{c.from, c.to}});
    ASSERT_NE(bad, good) << c.from;
    EXPECT_THAT(ParseJobRecord(bad), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(c.field)));
  }
  EXPECT_THAT(ParseJobRecord("{"), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(ParseJobRecord("[]"), StatusIs(absl::StatusCode::kDataLoss));
}

TEST(JobRecordTest, KeepsTheFirstAndTheNewestOfALongHistory) {
  JobRecord record;
  for (int i = 0; i < 100; ++i) record.Note(absl::FromUnixSeconds(i), absl::StrCat(i));
  ASSERT_EQ(record.timeline.size(), kMaxTimeline);
  EXPECT_EQ(record.timeline.front().event, "0");
  EXPECT_EQ(record.timeline.back().event, "99");
}

}  // namespace
}  // namespace podferry
