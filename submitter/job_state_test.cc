#include "submitter/job_state.h"

#include <cstdint>
#include <random>
#include <string>

#include "gtest/gtest.h"

namespace podferry {
namespace {

constexpr Verdict kYes = {.accepted = true};
Verdict No(Refusal refusal) { return {.accepted = false, .refusal = refusal}; }

struct Case {
  std::string what;
  JobState before;
  uint32_t round;
  bool same_script;
  Verdict verdict;
  JobState after;
};

TEST(JobStateTest, AnswersOffers) {
  const Case cases[] = {
      {"the first", {}, 1, false, kYes, {.reserved = 1}},
      {"the same again", {.reserved = 1}, 1, true, kYes, {.reserved = 1}},
      {"the same round with another script",
       {.reserved = 1},
       1,
       false,
       No(Refusal::kStaleRound),
       {.refused_up_to = 1}},
      {"a later round", {.reserved = 1}, 2, true, kYes, {.reserved = 2}},
      {"an earlier round",
       {.reserved = 3},
       2,
       true,
       No(Refusal::kStaleRound),
       {.reserved = 3, .refused_up_to = 2}},
      {"a round that was refused",
       {.refused_up_to = 2},
       2,
       true,
       No(Refusal::kStaleRound),
       {.refused_up_to = 2}},
      {"a round after a refused one",
       {.refused_up_to = 2},
       3,
       true,
       kYes,
       {.reserved = 3, .refused_up_to = 2}},
      {"round 0", {}, 0, true, No(Refusal::kStaleRound), {}},
      {"of what has started",
       {.reserved = 1, .started = 1},
       1,
       true,
       kYes,
       {.reserved = 1, .started = 1}},
      {"a later one of what has started",
       {.reserved = 1, .started = 1},
       4,
       false,
       kYes,
       {.reserved = 1, .started = 1}},
      {"of what was found", {.found = true}, 1, false, kYes, {.found = true}},
      {"of what was deleted",
       {.tombstone = true},
       5,
       true,
       No(Refusal::kTombstone),
       {.tombstone = true}},
      {"of what was started and deleted",
       {.reserved = 1, .started = 1, .tombstone = true},
       2,
       true,
       No(Refusal::kTombstone),
       {.reserved = 1, .started = 1, .tombstone = true}},
  };
  for (const Case& c : cases) {
    JobState state = c.before;
    EXPECT_EQ(OnOffer(state, c.round, c.same_script), c.verdict) << c.what;
    EXPECT_EQ(state, c.after) << c.what;
  }
}

TEST(JobStateTest, StartsOnlyTheReservedRound) {
  const Case cases[] = {
      {"the reserved round", {.reserved = 2}, 2, true, kYes, {.reserved = 2, .started = 2}},
      {"the same again",
       {.reserved = 2, .started = 2},
       2,
       true,
       kYes,
       {.reserved = 2, .started = 2}},
      {"another script",
       {.reserved = 2},
       2,
       false,
       No(Refusal::kNotReserved),
       {.refused_up_to = 2}},
      {"what is not known", {}, 1, true, No(Refusal::kNotReserved), {.refused_up_to = 1}},
      {"round 0", {}, 0, true, No(Refusal::kStaleRound), {}},
      {"an earlier round",
       {.reserved = 3},
       2,
       true,
       No(Refusal::kNotReserved),
       {.reserved = 3, .refused_up_to = 2}},
      {"a later round", {.reserved = 2}, 3, true, No(Refusal::kNotReserved), {.refused_up_to = 3}},
      {"a refused round",
       {.refused_up_to = 4},
       3,
       true,
       No(Refusal::kStaleRound),
       {.refused_up_to = 4}},
      {"what was deleted",
       {.tombstone = true},
       2,
       true,
       No(Refusal::kTombstone),
       {.refused_up_to = 2, .tombstone = true}},
      {"what was reserved, then deleted",
       {.reserved = 2, .tombstone = true},
       2,
       true,
       No(Refusal::kTombstone),
       {.refused_up_to = 2, .tombstone = true}},
      {"what was found", {.found = true}, 7, false, kYes, {.found = true}},
  };
  for (const Case& c : cases) {
    JobState state = c.before;
    EXPECT_EQ(OnStart(state, c.round, c.same_script), c.verdict) << c.what;
    EXPECT_EQ(state, c.after) << c.what;
  }
}

TEST(JobStateTest, ReleasesWhatWasNotStarted) {
  const Case cases[] = {
      {"the reserved round", {.reserved = 2}, 2, true, kYes, {.refused_up_to = 2}},
      {"what is not known", {}, 2, true, kYes, {.refused_up_to = 2}},
      {"an earlier round than reserved",
       {.reserved = 3},
       2,
       true,
       kYes,
       {.reserved = 3, .refused_up_to = 2}},
      {"what has started",
       {.reserved = 2, .started = 2},
       2,
       true,
       No(Refusal::kUnspecified),
       {.reserved = 2, .started = 2}},
      {"what was deleted",
       {.reserved = 2, .started = 2, .tombstone = true},
       2,
       true,
       kYes,
       {.refused_up_to = 2, .started = 2, .tombstone = true}},
  };
  for (const Case& c : cases) {
    JobState state = c.before;
    EXPECT_EQ(OnRelease(state, c.round), c.verdict) << c.what;
    EXPECT_EQ(state, c.after) << c.what;
  }
}

TEST(JobStateTest, LapsesOnlyAnUnstartedReservationOfThatRound) {
  const Case cases[] = {
      {"the reserved round", {.reserved = 2}, 2, true, kYes, {.refused_up_to = 2}},
      {"a round that was taken over", {.reserved = 3}, 2, true, kYes, {.reserved = 3}},
      {"what has started",
       {.reserved = 2, .started = 2},
       2,
       true,
       kYes,
       {.reserved = 2, .started = 2}},
      {"what was deleted",
       {.reserved = 2, .tombstone = true},
       2,
       true,
       kYes,
       {.reserved = 2, .tombstone = true}},
  };
  for (const Case& c : cases) {
    JobState state = c.before;
    OnLapse(state, c.round);
    EXPECT_EQ(state, c.after) << c.what;
  }
}

// What the model asserts of one submitter, on any sequence of messages.
TEST(JobStateTest, KeepsItsPromisesOnAnySequenceOfMessages) {
  std::mt19937 random(1);
  const auto upto = [&](int n) { return static_cast<uint32_t>(random() % n); };
  for (int run = 0; run < 20000; ++run) {
    JobState state;
    for (int step = 0; step < 12; ++step) {
      const JobState before = state;
      const uint32_t round = 1 + upto(4);
      const bool same = upto(4) != 0;
      switch (upto(6)) {
        case 0:
        case 1:
          OnOffer(state, round, same);
          break;
        case 2: {
          const Verdict verdict = OnStart(state, round, same);
          const bool fresh = state.started != before.started;
          if (fresh) {
            // Only what was reserved in this very round, and never refused.
            ASSERT_EQ(before.reserved, round);
            ASSERT_GT(round, before.refused_up_to);
            ASSERT_FALSE(before.tombstone);
          }
          // A refusal is for ever, or there is a tombstone, which is, too.
          if (!verdict.accepted) {
            ASSERT_TRUE(state.refused_up_to >= round || state.tombstone);
          }
          break;
        }
        case 3:
          OnRelease(state, round);
          break;
        case 4:
          OnLapse(state, round);
          break;
        case 5:
          if (upto(4) == 0) OnDelete(state);
          break;
      }
      ASSERT_GE(state.refused_up_to, before.refused_up_to);
      if (before.started != 0) {
        ASSERT_EQ(state.started, before.started);
      }
      if (before.tombstone) {
        ASSERT_TRUE(state.tombstone);
      }
      if (state.reserved != 0 && state.started == 0) {
        ASSERT_GT(state.reserved, state.refused_up_to);
      }
      // What started was not refused before, and is never refused afterwards.
      if (state.started != 0 && !state.tombstone) {
        ASSERT_GT(state.started, state.refused_up_to);
      }
    }
  }
}

}  // namespace
}  // namespace podferry
