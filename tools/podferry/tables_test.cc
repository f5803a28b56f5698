#include "tools/podferry/tables.h"

#include "core/json/document.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::HasSubstr;

absl::Time At(const char* text) {
  absl::Time time;
  std::string error;
  EXPECT_TRUE(absl::ParseTime(absl::RFC3339_full, text, &time, &error)) << error;
  return time;
}

TEST(TablesTest, PadsAllButTheLastColumn) {
  EXPECT_EQ(FormatTable({{"A", "B"}, {"long", "x"}}), "A     B\nlong  x\n");
  EXPECT_EQ(FormatTable({}), "");
}

TEST(TablesTest, ShowsAgesAsKubectlDoes) {
  EXPECT_EQ(FormatAge(absl::Seconds(-5)), "0s");
  EXPECT_EQ(FormatAge(absl::Seconds(119)), "119s");
  EXPECT_EQ(FormatAge(absl::Seconds(200)), "3m20s");
  EXPECT_EQ(FormatAge(absl::Hours(5)), "5h0m");
  EXPECT_EQ(FormatAge(absl::Hours(24 * 12)), "12d");
}

TEST(TablesTest, ShowsWhatAPoolOffersAndWhetherItIsHeardOf) {
  auto document = json::Document::Parse(R"({"pools":[
    {"name":"a","reachable":true,"has_config":true,"queued":3,"capacity":{"cpu":"4","memory":"8Gi"},
     "used":{"cpu":"500m"},"submitters":[{"backend":"host","heard":"2026-11-21T08:00:00Z"}]},
    {"name":"b","reachable":false,"problem":"late","submitters":[]}]})");
  ASSERT_TRUE(document.ok()) << document.status();
  std::string table = PoolsTable(document->Root(nullptr), At("2026-11-21T08:00:09Z"));
  EXPECT_THAT(table, HasSubstr("a     Ready   host     1           500m/4  0/8Gi   -     3"));
  EXPECT_THAT(table, HasSubstr("9s"));
  EXPECT_THAT(table, HasSubstr("b     Silent"));
  EXPECT_THAT(table, HasSubstr("late"));
}

TEST(TablesTest, ShowsWhereAJobStandsAndWhy) {
  auto document = json::Document::Parse(R"({"jobs":[
    {"namespace":"ns","name":"p","pool":"a","phase":"Queued","reason":"NoSubmitter","message":"m",
     "uid":"u","created":"2026-11-21T08:00:00.000Z","reachable":true},
    {"namespace":"ns","name":"q","pool":"a","phase":"Running","uid":"v","reachable":false},
    {"namespace":"ns","name":"r","pool":"a","phase":"Running","uid":"w","deleting":true}]})");
  ASSERT_TRUE(document.ok()) << document.status();
  std::string table = JobsTable(document->Root(nullptr), At("2026-11-21T08:01:00Z"));
  EXPECT_THAT(table, HasSubstr("Queued            60s  u    NoSubmitter: m"));
  EXPECT_THAT(table, HasSubstr("Running(unheard)"));
  EXPECT_THAT(table, HasSubstr("Deleting"));
}

TEST(TablesTest, TracesAJobWithTheTimeBetweenEvents) {
  auto document = json::Document::Parse(R"({"submitter_error":"silent","timeline":[
    {"time":"2026-11-21T08:00:00.000Z","at":"plugin","event":"accepted"},
    {"time":"2026-11-21T08:00:00.250Z","at":"submitter","event":"started"}]})");
  ASSERT_TRUE(document.ok()) << document.status();
  std::string text = TraceText(document->Root(nullptr));
  EXPECT_THAT(text, HasSubstr("-        plugin     accepted"));
  EXPECT_THAT(text, HasSubstr("+0.250s  submitter  started"));
  EXPECT_THAT(text, HasSubstr("without the submitter's side: silent"));
}

TEST(TablesTest, TellsProgressInOneLine) {
  auto document =
      json::Document::Parse(R"({"phase":"Failed","reason":"Error","message":"exit code 3"})");
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(ProgressLine(document->Root(nullptr)), "Failed: Error: exit code 3");
}

}  // namespace
}  // namespace podferry
