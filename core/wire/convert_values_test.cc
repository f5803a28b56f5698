#include "core/wire/convert_values.h"

#include <string>

#include "gtest/gtest.h"

namespace podferry::wire {
namespace {

TEST(ConvertValuesTest, TextBecomesUtf8) {
  EXPECT_EQ(Text(""), "");
  EXPECT_EQ(Text("plain \u2603"), "plain \u2603");
  EXPECT_EQ(Text("\xff"), "\xEF\xBF\xBD");
  EXPECT_EQ(Text("a\xc3"), "a\xEF\xBF\xBD");
  EXPECT_EQ(Text("\xc3\xa9\xe9z"), "\xc3\xa9\xEF\xBF\xBDz");
}

absl::Time ThereAndBack(absl::Time time) {
  google::protobuf::Timestamp wire;
  PutTime(time, &wire);
  FieldCheck check;
  const absl::Time back = TakeTime(wire, "time", check);
  EXPECT_TRUE(check.issues().empty()) << check.issues().ToString();
  return back;
}

TEST(ConvertValuesTest, TimesKeepTheirNanosecondsAndStayInRange) {
  for (const int64_t nanos : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{999'999'999},
                              int64_t{1'767'225'600'123'456'789}, int64_t{-1'000'000'001}}) {
    EXPECT_EQ(ThereAndBack(absl::FromUnixNanos(nanos)), absl::FromUnixNanos(nanos));
  }
  EXPECT_EQ(absl::FormatTime(ThereAndBack(absl::InfiniteFuture()), absl::UTCTimeZone()),
            "9999-12-31T23:59:59+00:00");
  EXPECT_EQ(absl::FormatTime(ThereAndBack(absl::InfinitePast()), absl::UTCTimeZone()),
            "1-01-01T00:00:00+00:00");
}

TEST(ConvertValuesTest, DurationsAreClampedWhenWrittenAndCheckedWhenRead) {
  google::protobuf::Duration wire;
  FieldCheck check;
  PutDuration(absl::Seconds(-5), &wire);
  EXPECT_EQ(TakeDuration(wire, "d", check), absl::ZeroDuration());
  PutDuration(absl::InfiniteDuration(), &wire);
  EXPECT_EQ(TakeDuration(wire, "d", check), absl::Seconds(315576000000));
  PutDuration(absl::Nanoseconds(1'500'000'001), &wire);
  EXPECT_EQ(TakeDuration(wire, "d", check), absl::Nanoseconds(1'500'000'001));
  EXPECT_TRUE(check.issues().empty());
  wire.set_seconds(-1);
  TakeDuration(wire, "negative", check);
  wire.set_seconds(0);
  wire.set_nanos(1'000'000'000);
  TakeDuration(wire, "nanos", check);
  google::protobuf::Timestamp time;
  time.set_nanos(-1);
  TakeTime(time, "time", check);
  ASSERT_EQ(check.issues().size(), 3u);
  EXPECT_EQ(check.issues().begin()->field, "negative");
}

}  // namespace
}  // namespace podferry::wire
