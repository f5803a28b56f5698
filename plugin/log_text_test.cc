#include "plugin/log_text.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace podferry {
namespace {

const absl::Time kT0 = absl::FromUnixSeconds(1'800'000'000);
constexpr char kAt0[] = "2027-01-15T08:00:00.000000000Z ";
constexpr char kAt1[] = "2027-01-15T08:00:01.000000000Z ";
constexpr char kAt2[] = "2027-01-15T08:00:02.500000000Z ";

std::vector<LogMark> Marks() {
  return {{kT0, 4}, {kT0 + absl::Seconds(1), 10}, {kT0 + absl::Milliseconds(2500), 12}};
}

TEST(LogTextTest, PassesBytesOnAsTheyAre) {
  LogText text(false, -1);
  EXPECT_EQ(text.Take(0, "a\nb\0c\xff", {}, kT0), "a\nb\0c\xff");
}

TEST(LogTextTest, PutsTheTimeOfTheFirstMarkBeyondItBeforeEachLine) {
  LogText text(true, -1);
  EXPECT_EQ(text.Take(0, "one\ntwo\nthr\n", Marks(), kT0),
            std::string(kAt0) + "one\n" + kAt1 + "two\n" + kAt1 + "thr\n");
  LogText later(true, -1);
  EXPECT_EQ(later.Take(10, "x\n", Marks(), kT0), std::string(kAt2) + "x\n");
}

TEST(LogTextTest, ALineInPiecesGetsOneTime) {
  LogText text(true, -1);
  EXPECT_EQ(text.Take(0, "on", Marks(), kT0), std::string(kAt0) + "on");
  EXPECT_EQ(text.Take(2, "e\ntw", Marks(), kT0), std::string("e\n") + kAt1 + "tw");
  EXPECT_EQ(text.Take(6, "o", Marks(), kT0), "o");
  text.NewAttempt();
  EXPECT_EQ(text.Take(0, "x", Marks(), kT0), std::string(kAt0) + "x");
}

TEST(LogTextTest, LinesBeyondTheMarksGetTheLastOneAndWithoutAnyTheTimeNow) {
  LogText text(true, -1);
  EXPECT_EQ(text.Take(100, "x\n", Marks(), kT0), std::string(kAt2) + "x\n");
  EXPECT_EQ(text.Take(102, "y\n", {}, kT0), std::string(kAt0) + "y\n");
}

TEST(LogTextTest, TheLimitIsExactAndCountsTheTimes) {
  LogText plain(false, 5);
  EXPECT_EQ(plain.Take(0, "abc", {}, kT0), "abc");
  EXPECT_FALSE(plain.full());
  EXPECT_EQ(plain.Take(3, "def", {}, kT0), "de");
  EXPECT_TRUE(plain.full());
  EXPECT_EQ(plain.Take(6, "x", {}, kT0), "");
  LogText timed(true, 33);
  EXPECT_EQ(timed.Take(0, "one\n", Marks(), kT0), std::string(kAt0) + "on");
  EXPECT_TRUE(timed.full());
}

}  // namespace
}  // namespace podferry
