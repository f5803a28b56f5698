#include "plugin/dispatch_state.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using Persist = Outcome::Persist;
using testing::HasSubstr;
using testing::IsEmpty;

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

JobRecord Queued(uint32_t round = 1) {
  JobRecord record;
  record.job.key = {"origin", "uid"};
  record.job.pool = "pool";
  record.job.containers = {{"main", "busybox", false, false}};
  record.status.phase = JobPhase::kQueued;
  record.round = round;
  record.created_at = kNow;
  return record;
}

JobRecord Owned(uint32_t round = 1) {
  JobRecord record = Queued(round);
  record.owner = "S1";
  record.owner_epoch = 1;
  record.owner_backend = "backend";
  record.status.phase = JobPhase::kReserved;
  return record;
}

JobRecord Running() {
  JobRecord record = Owned();
  record.started = true;
  record.status.phase = JobPhase::kRunning;
  record.status_epoch = 1;
  record.status_number = 10;
  return record;
}

JobRecord Deleting(JobRecord record) {
  OnDeleteRequested(record, absl::Seconds(5), "deleted", kNow);
  return record;
}

OfferReply Reserved(const std::string& by, uint32_t round) {
  OfferReply reply;
  reply.by = {by, 1};
  reply.round = round;
  reply.reserved = true;
  return reply;
}

OfferReply Refused(Refusal refusal, uint32_t round, uint32_t refused_up_to = 0) {
  OfferReply reply;
  reply.by = {"S1", 1};
  reply.round = round;
  reply.refusal = refusal;
  reply.message = "because";
  reply.refused_up_to = refused_up_to;
  return reply;
}

StartReply StartRefused(Refusal refusal, uint32_t round, uint32_t refused_up_to) {
  StartReply reply;
  reply.by = {"S1", 1};
  reply.round = round;
  reply.refusal = refusal;
  reply.refused_up_to = refused_up_to;
  return reply;
}

JobStatus StatusOf(JobPhase phase) {
  JobStatus status;
  status.key = {"origin", "uid"};
  status.phase = phase;
  return status;
}

TEST(NextStepTest, FollowsFromTheRecordAlone) {
  JobRecord done = Running();
  done.status.phase = JobPhase::kSucceeded;
  JobRecord unknown_owner = Queued();
  unknown_owner.tombstone = Tombstone{.requested_at = kNow};
  JobRecord confirmed = Running();
  confirmed.tombstone = Tombstone{.requested_at = kNow, .confirmed_at = kNow};
  struct Case {
    const char* name;
    JobRecord record;
    Step step;
  };
  const std::vector<Case> cases = {
      {"nobody's", Queued(0), Step::kOffer},
      {"owned", Owned(), Step::kStart},
      {"running", Running(), Step::kNone},
      {"over", done, Step::kNone},
      {"deleted while running", Deleting(Running()), Step::kDelete},
      {"deleted while reserved", Deleting(Owned()), Step::kDelete},
      {"deleted when over", Deleting(done), Step::kDelete},
      {"deleted before anyone had it", Deleting(Queued()), Step::kNone},
      {"deleted, owner not known", unknown_owner, Step::kForget},
      {"deleted and confirmed", confirmed, Step::kNone},
  };
  for (const Case& c : cases) EXPECT_EQ(NextStep(c.record), c.step) << c.name;
}

TEST(OfferReplyTest, TheReservationOfThisRoundMakesTheOwner) {
  JobRecord record = Queued(3);
  const Outcome outcome = OnOfferReply(record, Reserved("S1", 3), "backend", kNow);
  EXPECT_EQ(outcome.persist, Persist::kBefore);
  EXPECT_FALSE(outcome.release.has_value());
  EXPECT_EQ(record.owner, "S1");
  EXPECT_EQ(record.owner_backend, "backend");
  EXPECT_EQ(record.status.phase, JobPhase::kReserved);
  EXPECT_EQ(NextStep(record), Step::kStart);
}

TEST(OfferReplyTest, AReservationThatIsNotNeededIsReleased) {
  JobRecord over = Queued();
  over.status.phase = JobPhase::kFailed;
  struct Case {
    const char* name;
    JobRecord record;
    OfferReply reply;
    bool release;
  };
  const std::vector<Case> cases = {
      {"of an older round", Queued(2), Reserved("S1", 1), true},
      {"of another submitter", Owned(), Reserved("S2", 1), true},
      {"of another submitter, running", Running(), Reserved("S2", 1), true},
      {"of a deleted job", Deleting(Queued()), Reserved("S1", 1), true},
      {"of a failed job", over, Reserved("S1", 1), true},
      {"the owner's own, once more", Owned(), Reserved("S1", 1), false},
      {"the owner's own, of an older round", Owned(2), Reserved("S1", 1), false},
  };
  for (Case c : cases) {
    const JobRecord before = c.record;
    const Outcome outcome = OnOfferReply(c.record, c.reply, "", kNow);
    EXPECT_EQ(outcome.release.has_value(), c.release) << c.name;
    EXPECT_EQ(outcome.persist, Persist::kNothing) << c.name;
    EXPECT_EQ(c.record, before) << c.name;
    if (c.release) {
      EXPECT_EQ(outcome.release->submitter, c.reply.by.id) << c.name;
      EXPECT_EQ(outcome.release->round, c.reply.round) << c.name;
    }
  }
}

TEST(OfferReplyTest, ARefusalSaysWhatIsNext) {
  struct Case {
    Refusal refusal;
    uint32_t refused_up_to;
    Step step;
    uint32_t round;
    JobPhase phase;
  };
  const std::vector<Case> cases = {
      {Refusal::kBusy, 0, Step::kOffer, 2, JobPhase::kQueued},
      {Refusal::kDraining, 0, Step::kOffer, 2, JobPhase::kQueued},
      {Refusal::kStaleRound, 2, Step::kOffer, 3, JobPhase::kQueued},
      {Refusal::kStaleRound, 7, Step::kOffer, 8, JobPhase::kQueued},
      {Refusal::kBusy, 2, Step::kOffer, 3, JobPhase::kQueued},
      {Refusal::kUnfit, 0, Step::kNone, 2, JobPhase::kFailed},
      {Refusal::kTombstone, 0, Step::kNone, 2, JobPhase::kFailed},
  };
  for (const Case& c : cases) {
    JobRecord record = Queued(2);
    OnOfferReply(record, Refused(c.refusal, 2, c.refused_up_to), "", kNow);
    EXPECT_EQ(NextStep(record), c.step) << static_cast<int>(c.refusal);
    EXPECT_EQ(record.round, c.round) << static_cast<int>(c.refusal);
    EXPECT_EQ(record.status.phase, c.phase) << static_cast<int>(c.refusal);
    EXPECT_EQ(record.status.message, "because");
    EXPECT_THAT(record.owner, IsEmpty());
  }
}

TEST(OfferReplyTest, ALateRefusalOfAnEarlierRoundMeansNothing) {
  JobRecord record = Queued(5);
  const JobRecord before = record;
  OnOfferReply(record, Refused(Refusal::kUnfit, 4, 4), "", kNow);
  EXPECT_EQ(record, before);
}

TEST(OfferReplyTest, ANewerPluginFencesThisOne) {
  JobRecord record = Queued();
  EXPECT_TRUE(OnOfferReply(record, Refused(Refusal::kStaleEpoch, 1), "", kNow).fenced);
  StartReply start = StartRefused(Refusal::kStaleEpoch, 1, 0);
  record = Owned();
  EXPECT_TRUE(OnStartReply(record, start, kNow).fenced);
  DeleteReply deletion;
  deletion.by = {"S1", 1};
  deletion.refusal = Refusal::kStaleEpoch;
  record = Deleting(Owned());
  EXPECT_TRUE(OnDeleteReply(record, deletion, kNow).fenced);
}

TEST(StartReplyTest, AConfirmedStartIsTheOwnersFromThereOn) {
  JobRecord record = Owned();
  StartReply reply;
  reply.by = {"S1", 2};
  reply.round = 1;
  reply.started = true;
  reply.status = StatusOf(JobPhase::kSubmitted);
  reply.status.backend_job_id = "4711";
  EXPECT_EQ(OnStartReply(record, reply, kNow).persist, Persist::kLater);
  EXPECT_TRUE(record.started);
  EXPECT_EQ(record.status.phase, JobPhase::kSubmitted);
  EXPECT_EQ(record.status.backend_job_id, "4711");
  EXPECT_EQ(record.owner_epoch, 2u);  // a restart is the same owner
  EXPECT_EQ(NextStep(record), Step::kNone);
}

TEST(StartReplyTest, OnlyAJournalledRefusalFreesTheJob) {
  struct Case {
    uint32_t refused_up_to;
    bool freed;
    uint32_t round;
  };
  for (const Case& c :
       std::vector<Case>{{0, false, 4}, {3, false, 4}, {4, true, 5}, {9, true, 10}}) {
    JobRecord record = Owned(4);
    const Outcome outcome =
        OnStartReply(record, StartRefused(Refusal::kNotReserved, 4, c.refused_up_to), kNow);
    EXPECT_EQ(record.owner.empty(), c.freed) << c.refused_up_to;
    EXPECT_EQ(record.round, c.round) << c.refused_up_to;
    EXPECT_EQ(outcome.persist, c.freed ? Persist::kBefore : Persist::kNothing) << c.refused_up_to;
    EXPECT_EQ(NextStep(record), c.freed ? Step::kOffer : Step::kStart) << c.refused_up_to;
  }
}

TEST(StartReplyTest, AnswersThatAreNotTheOwnersOrOfThisRoundMeanNothing) {
  StartReply other = StartRefused(Refusal::kNotReserved, 2, 2);
  other.by.id = "S2";
  const std::vector<StartReply> replies = {other, StartRefused(Refusal::kNotReserved, 1, 2),
                                           StartRefused(Refusal::kNotReserved, 3, 3)};
  for (const StartReply& reply : replies) {
    JobRecord record = Owned(2);
    const JobRecord before = record;
    OnStartReply(record, reply, kNow);
    EXPECT_EQ(record, before);
  }
}

TEST(StartReplyTest, ADeletedJobIsNotOfferedAnewByARefusal) {
  JobRecord record = Deleting(Owned());
  OnStartReply(record, StartRefused(Refusal::kTombstone, 1, 1), kNow);
  EXPECT_EQ(record.owner, "S1");
  EXPECT_EQ(NextStep(record), Step::kDelete);
}

TEST(StartReplyTest, AnEndDecidedHereLeavesATombstoneForTheOwner) {
  JobRecord record = Owned();
  OnStartReply(record, StartRefused(Refusal::kUnfit, 1, 0), kNow);
  EXPECT_EQ(record.status.phase, JobPhase::kFailed);
  EXPECT_EQ(record.status.failure, FailureReason::kSubmitRejected);
  EXPECT_EQ(NextStep(record), Step::kDelete);
}

TEST(StatusTest, OnlyTheNewestWordOfTheOwnerCounts) {
  struct Case {
    const char* name;
    std::string by;
    uint64_t epoch;
    uint64_t number;
    JobPhase phase;
    bool taken;
  };
  const std::vector<Case> cases = {
      {"the next delta", "S1", 1, 11, JobPhase::kRunning, true},
      {"the end", "S1", 1, 11, JobPhase::kSucceeded, true},
      {"a late delta", "S1", 1, 9, JobPhase::kRunning, false},
      {"the same delta again", "S1", 1, 10, JobPhase::kRunning, false},
      {"a step back", "S1", 1, 12, JobPhase::kSubmitted, false},
      {"of a new epoch", "S1", 2, 1, JobPhase::kRunning, true},
      {"of an old epoch", "S1", 0, 99, JobPhase::kSucceeded, false},
      {"somebody else's", "S2", 1, 11, JobPhase::kSucceeded, false},
      {"without a number, further on", "S1", 1, 0, JobPhase::kFailed, true},
      {"nothing that a submitter says", "S1", 1, 11, JobPhase::kReserved, false},
  };
  for (const Case& c : cases) {
    JobRecord record = Running();
    record.status.containers.resize(1);
    const Outcome outcome = OnStatus(record, {c.by, c.epoch}, c.number, StatusOf(c.phase), kNow);
    EXPECT_EQ(outcome.changed, c.taken) << c.name;
    EXPECT_EQ(record.status.phase, c.taken ? c.phase : JobPhase::kRunning) << c.name;
  }
}

TEST(StatusTest, WhatIsOverStaysAsItIs) {
  for (JobPhase phase : {JobPhase::kSucceeded, JobPhase::kFailed, JobPhase::kDeleted}) {
    JobRecord record = Running();
    record.status.phase = phase;
    EXPECT_FALSE(OnStatus(record, {"S1", 9}, 99, StatusOf(JobPhase::kSucceeded), kNow).changed);
    EXPECT_EQ(record.status.phase, phase);
  }
}

TEST(StatusTest, ADeltaBeforeTheStartsAnswerConfirmsTheStart) {
  JobRecord record = Owned();
  OnStatus(record, {"S1", 1}, 1, StatusOf(JobPhase::kRunning), kNow);
  EXPECT_TRUE(record.started);
  EXPECT_EQ(NextStep(record), Step::kNone);
}

TEST(StatusTest, AJobThatItsPoolDeletedByItselfIsLost) {
  JobRecord record = Running();
  OnStatus(record, {"S1", 1}, 11, StatusOf(JobPhase::kDeleted), kNow);
  EXPECT_EQ(record.status.phase, JobPhase::kFailed);
  EXPECT_EQ(record.status.failure, FailureReason::kNodeLost);
}

TEST(FoundTest, AdoptionNeedsTheSameBackendAndASilentOwner) {
  struct Case {
    const char* backend;
    bool silent;
    bool adopted;
  };
  const std::vector<Case> cases = {{"backend", true, true},
                                   {"backend", false, false},
                                   {"another", true, false},
                                   {"", true, false}};
  for (const Case& c : cases) {
    JobRecord record = Running();
    const Outcome outcome = OnFound(record, {"S2", 5}, c.backend, c.silent, kNow);
    EXPECT_EQ(record.owner, c.adopted ? "S2" : "S1") << c.backend << c.silent;
    EXPECT_EQ(outcome.persist, c.adopted ? Persist::kBefore : Persist::kNothing);
  }
}

TEST(FoundTest, ATombstoneFollowsTheJobToItsNewOwner) {
  JobRecord record = Deleting(Running());
  OnFound(record, {"S2", 1}, "backend", true, kNow);
  EXPECT_EQ(record.owner, "S2");
  EXPECT_EQ(NextStep(record), Step::kDelete);
}

TEST(DeleteTest, WithoutAnOwnerItIsCompleteAtOnce) {
  JobRecord record = Queued();
  EXPECT_EQ(OnDeleteRequested(record, absl::Seconds(1), "deleted", kNow).persist, Persist::kBefore);
  EXPECT_TRUE(record.tombstone->confirmed());
  EXPECT_EQ(record.status.phase, JobPhase::kDeleted);
}

TEST(DeleteTest, OnlyTheOwnersConfirmationEndsIt) {
  DeleteReply reply;
  reply.by = {"S1", 1};
  JobRecord record = Deleting(Running());
  OnDeleteReply(record, reply, kNow);
  EXPECT_TRUE(record.deleting());
  reply.confirmed = true;
  reply.by.id = "S2";
  OnDeleteReply(record, reply, kNow);
  EXPECT_TRUE(record.deleting());
  reply.by.id = "S1";
  EXPECT_EQ(OnDeleteReply(record, reply, kNow).persist, Persist::kBefore);
  EXPECT_FALSE(record.deleting());
  EXPECT_EQ(record.status.phase, JobPhase::kDeleted);
}

TEST(DeleteTest, WhatHasEndedKeepsItsEnd) {
  JobRecord record = Running();
  OnStatus(record, {"S1", 1}, 11, StatusOf(JobPhase::kSucceeded), kNow);
  record = Deleting(record);
  DeleteReply reply;
  reply.by = {"S1", 1};
  reply.confirmed = true;
  OnDeleteReply(record, reply, kNow);
  EXPECT_EQ(record.status.phase, JobPhase::kSucceeded);
}

TEST(DeleteTest, ASecondRequestChangesNothing) {
  JobRecord record = Deleting(Running());
  const JobRecord before = record;
  EXPECT_EQ(OnDeleteRequested(record, absl::Hours(1), "again", kNow).persist, Persist::kNothing);
  EXPECT_EQ(record, before);
}

TEST(ForgetTest, WhoHasTheJobIsToldToDeleteIt) {
  JobRecord record = Queued();
  record.tombstone = Tombstone{.requested_at = kNow};
  FindReply nothing;
  nothing.by = {"S1", 1};
  OnForgetReply(record, nothing, kNow);
  EXPECT_EQ(NextStep(record), Step::kForget);
  FindReply has_it = nothing;
  has_it.known = true;
  JobRecord found = record;
  OnForgetReply(found, has_it, kNow);
  EXPECT_EQ(found.owner, "S1");
  EXPECT_EQ(NextStep(found), Step::kDelete);
  FindReply forgotten = nothing;
  forgotten.forgotten = true;
  OnForgetReply(record, forgotten, kNow);
  EXPECT_TRUE(record.tombstone->confirmed());
}

TEST(OwnerLostTest, TheJobFailsAndItsTombstoneWaitsForTheOwner) {
  JobRecord record = Running();
  OnOwnerLost(record, "silent", kNow);
  EXPECT_EQ(record.status.failure, FailureReason::kNodeLost);
  EXPECT_THAT(record.status.message, HasSubstr("silent"));
  EXPECT_EQ(NextStep(record), Step::kDelete);
  EXPECT_EQ(OnPoolForgotten(record, kNow).persist, Persist::kBefore);
  EXPECT_EQ(NextStep(record), Step::kNone);
}

TEST(RejectTest, SaysWhatThePoolCannotHonour) {
  JobRecord record = Queued(0);
  EXPECT_EQ(Reject(record, "spec.hostNetwork: not here", kNow).persist, Persist::kBefore);
  EXPECT_EQ(record.status.failure, FailureReason::kSubmitRejected);
  EXPECT_EQ(record.status.message, "spec.hostNetwork: not here");
  EXPECT_EQ(NextStep(record), Step::kNone);
}

TEST(RetryDelayTest, DoublesUpToTenMinutes) {
  EXPECT_EQ(RetryDelay(0, false), absl::Seconds(1));
  EXPECT_EQ(RetryDelay(3, false), absl::Seconds(8));
  EXPECT_EQ(RetryDelay(9, false), absl::Seconds(512));
  EXPECT_EQ(RetryDelay(10, false), absl::Minutes(10));
  EXPECT_EQ(RetryDelay(1'000'000, false), absl::Minutes(10));
  EXPECT_EQ(RetryDelay(10, true), absl::Seconds(5));
}

}  // namespace
}  // namespace podferry
