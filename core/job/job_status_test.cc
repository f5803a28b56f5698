#include "core/job/job_status.h"

#include "gtest/gtest.h"

namespace podferry {
namespace {

TEST(JobStatusTest, EveryPhaseIsReadBackFromItsWord) {
  for (int i = 0; i <= static_cast<int>(JobPhase::kDeleted); ++i) {
    const auto phase = static_cast<JobPhase>(i);
    EXPECT_EQ(ParseJobPhase(ToString(phase)), phase) << ToString(phase);
    if (i > 0) {
      EXPECT_NE(ToString(phase), "Unspecified") << i;
    }
  }
}

TEST(JobStatusTest, EveryReasonIsReadBackFromItsWord) {
  for (int i = 0; i <= static_cast<int>(FailureReason::kHeld); ++i) {
    const auto reason = static_cast<FailureReason>(i);
    EXPECT_EQ(ParseFailureReason(ToString(reason)), reason) << ToString(reason);
    if (i > 0) {
      EXPECT_NE(ToString(reason), "Unspecified") << i;
    }
  }
}

TEST(JobStatusTest, WhatIsUnknownIsUnspecified) {
  EXPECT_EQ(ParseJobPhase("queued"), JobPhase::kUnspecified);
  EXPECT_EQ(ParseJobPhase(""), JobPhase::kUnspecified);
  EXPECT_EQ(ParseFailureReason("Sunspots"), FailureReason::kUnspecified);
  EXPECT_EQ(ToString(static_cast<JobPhase>(99)), "Unspecified");
  EXPECT_EQ(ToString(static_cast<FailureReason>(-1)), "Unspecified");
}

TEST(JobStatusTest, OnlyTheLastThreePhasesAreFinal) {
  for (const JobPhase phase : {JobPhase::kUnspecified, JobPhase::kQueued, JobPhase::kReserved,
                               JobPhase::kSubmitted, JobPhase::kRunning}) {
    EXPECT_FALSE(IsFinal(phase)) << ToString(phase);
  }
  for (const JobPhase phase : {JobPhase::kSucceeded, JobPhase::kFailed, JobPhase::kDeleted}) {
    EXPECT_TRUE(IsFinal(phase)) << ToString(phase);
  }
}

TEST(JobStatusTest, WritesKubernetesReasons) {
  EXPECT_EQ(ToString(FailureReason::kOomKilled), "OOMKilled");
  EXPECT_EQ(ToString(FailureReason::kDeadlineExceeded), "DeadlineExceeded");
}

}  // namespace
}  // namespace podferry
