#include "submitter/daemon.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "submitter/test_site.h"

namespace podferry {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(DaemonTest, RunsAJobFromItsOfferToItsDelete) {
  TestSite site;
  const std::optional<OfferReply> offer = site.SendOffer("a", 1, site.ScriptOf("0"));
  ASSERT_TRUE(offer.has_value());
  EXPECT_TRUE(offer->reserved);
  EXPECT_EQ(offer->round, 1u);
  EXPECT_THAT(site.world().jobs(), IsEmpty()) << "a reservation has no side effect";
  const std::optional<StartReply> start = site.SendStart("a", 1, site.ScriptOf("0"));
  ASSERT_TRUE(start.has_value());
  EXPECT_TRUE(start->started);
  EXPECT_EQ(start->status.phase, JobPhase::kSubmitted);
  ASSERT_THAT(start->status.containers, SizeIs(1));
  site.loop().Advance(absl::Milliseconds(100));
  EXPECT_EQ(site.LastStatus("a").phase, JobPhase::kSucceeded);
  EXPECT_EQ(site.LastStatus("a").containers[0].state.reason, "Completed");
  const std::optional<DeleteReply> deleted = site.SendDelete("a");
  ASSERT_TRUE(deleted.has_value());
  EXPECT_TRUE(deleted->confirmed);
  site.loop().Advance(absl::Milliseconds(100));
  EXPECT_EQ(site.LastStatus("a").phase, JobPhase::kDeleted);
  EXPECT_EQ(site.world().Find(site.Key("a")), nullptr);
}

TEST(DaemonTest, NumbersItsDeltasWithoutGaps) {
  TestSite site;
  for (const char* uid : {"a", "b", "c"}) site.RunJob(uid, site.ScriptOf("3"));
  uint64_t number = 0;
  for (const StatusDelta& delta : site.deltas) EXPECT_EQ(delta.number, ++number);
  EXPECT_GE(number, 3u);
  site.loop().Advance(absl::Seconds(10));
  EXPECT_EQ(site.reports.back().last_event_number, number);
}

TEST(DaemonTest, RepeatedMessagesGetTheSameAnswerAndDoNothingTwice) {
  TestSite site;
  EXPECT_TRUE(site.SendOffer("a", 1)->reserved);
  EXPECT_TRUE(site.SendOffer("a", 1)->reserved);
  EXPECT_TRUE(site.SendStart("a", 1)->started);
  EXPECT_TRUE(site.SendStart("a", 1)->started);
  EXPECT_TRUE(site.SendOffer("a", 1)->reserved);
  site.loop().Advance(absl::Seconds(1));
  EXPECT_TRUE(site.SendStart("a", 1)->started);
  EXPECT_EQ(site.world().Find(site.Key("a"))->submissions, 1);
  EXPECT_TRUE(site.SendDelete("a")->confirmed);
  EXPECT_TRUE(site.SendDelete("a")->confirmed);
  EXPECT_EQ(site.SendOffer("a", 2)->refusal, Refusal::kTombstone);
}

TEST(DaemonTest, AnUnstartedReservationLapsesAfterAMinuteForEver) {
  TestSite site;
  EXPECT_TRUE(site.SendOffer("a", 1)->reserved);
  site.loop().Advance(absl::Seconds(61));
  const std::optional<StartReply> start = site.SendStart("a", 1);
  EXPECT_FALSE(start->started);
  EXPECT_EQ(start->refused_up_to, 1u);
  EXPECT_EQ(site.SendOffer("a", 1)->refusal, Refusal::kStaleRound);
  EXPECT_TRUE(site.SendOffer("a", 2)->reserved);
  EXPECT_TRUE(site.SendStart("a", 2)->started);
}

TEST(DaemonTest, AReleasedRoundIsNeverStarted) {
  TestSite site;
  EXPECT_TRUE(site.SendOffer("a", 1)->reserved);
  EXPECT_TRUE(site.SendRelease("a", 1)->released);
  EXPECT_FALSE(site.SendStart("a", 1)->started);
  site.Crash();
  site.Start();
  EXPECT_FALSE(site.SendStart("a", 1)->started);
  EXPECT_TRUE(site.SendOffer("a", 2)->reserved);
  EXPECT_TRUE(site.SendStart("a", 2)->started);
  EXPECT_FALSE(site.SendRelease("a", 2)->released);
}

TEST(DaemonTest, AReservationSurvivesACrash) {
  TestSite site;
  EXPECT_TRUE(site.SendOffer("a", 1)->reserved);
  site.Crash();
  site.Start();
  EXPECT_TRUE(site.SendStart("a", 1)->started);
  site.loop().Advance(absl::Seconds(1));
  EXPECT_EQ(site.LastStatus("a").phase, JobPhase::kRunning);
  EXPECT_EQ(site.submitter().epoch, 2u);
}

TEST(DaemonTest, AStartThatWasNotYetSubmittedIsSubmittedAfterACrash) {
  TestSite site({.latency = absl::Milliseconds(100)});
  site.loop().Advance(absl::Seconds(1));
  EXPECT_TRUE(site.SendOffer("a", 1)->reserved);
  site.backend().AnswerNext({.outcome = SubmitOutcome::kNotNow, .takes_effect = false});
  EXPECT_TRUE(site.SendStart("a", 1)->started);
  site.Crash();
  site.Start();
  site.loop().Advance(absl::Seconds(2));
  EXPECT_EQ(site.world().Find(site.Key("a"))->bodies, 1);
  EXPECT_EQ(site.LastStatus("a").phase, JobPhase::kRunning);
}

TEST(DaemonTest, ASubmissionWhoseAnswerWasLostIsAdoptedAfterACrash) {
  TestSite site({.latency = absl::Milliseconds(100)});
  site.loop().Advance(absl::Seconds(1));
  EXPECT_TRUE(site.SendOffer("a", 1)->reserved);
  EXPECT_TRUE(site.SendStart("a", 1)->started);
  site.Crash();
  site.Start();
  site.loop().Advance(absl::Seconds(5));
  EXPECT_EQ(site.world().Find(site.Key("a"))->submissions, 1);
  EXPECT_EQ(site.LastStatus("a").phase, JobPhase::kRunning);
}

TEST(DaemonTest, ADoubtfulSubmissionIsLookedUpAndNotRepeated) {
  TestSite site;
  site.backend().AnswerNext({.outcome = SubmitOutcome::kUncertain, .message = "timed out"});
  site.RunJob("a");
  site.loop().Advance(absl::Seconds(5));
  EXPECT_EQ(site.world().Find(site.Key("a"))->submissions, 1);
  EXPECT_EQ(site.LastStatus("a").phase, JobPhase::kRunning);
}

TEST(DaemonTest, ADoubtfulSubmissionThatNeverWasIsMadeAfterTwoLookups) {
  TestSite site;
  site.backend().AnswerNext({.outcome = SubmitOutcome::kUncertain, .takes_effect = false});
  site.RunJob("a");
  EXPECT_EQ(site.world().Find(site.Key("a"))->bodies, 0);
  site.loop().Advance(absl::Milliseconds(300));
  EXPECT_EQ(site.world().Find(site.Key("a"))->bodies, 1);
}

TEST(DaemonTest, WhatTheBackendAcceptedAndLostIsReportedAndNotRunAgain) {
  TestSite site;
  site.backend().AnswerNext({.outcome = SubmitOutcome::kAccepted, .takes_effect = false});
  site.RunJob("a");
  site.Crash();
  site.Start();
  site.loop().Advance(absl::Seconds(5));
  EXPECT_EQ(site.LastStatus("a").phase, JobPhase::kFailed);
  EXPECT_EQ(site.LastStatus("a").failure, FailureReason::kNodeLost);
  EXPECT_EQ(site.world().Find(site.Key("a"))->bodies, 0);
}

TEST(DaemonTest, ARefusedSubmissionFailsTheJobWithTheBackendsWords) {
  TestSite site;
  site.backend().AnswerNext(
      {.outcome = SubmitOutcome::kRejected, .message = "invalid partition specified"});
  site.RunJob("a");
  EXPECT_EQ(site.LastStatus("a").failure, FailureReason::kSubmitRejected);
  EXPECT_EQ(site.LastStatus("a").message, "invalid partition specified");
  const std::optional<LogReply> log = site.AskLog({.key = site.Key("a"), .container = "main"});
  EXPECT_TRUE(log->known);
  EXPECT_TRUE(log->end);
  EXPECT_THAT(log->message, HasSubstr("invalid partition specified"));
}

TEST(DaemonTest, ABusyBackendIsAskedAgain) {
  TestSite site;
  for (int i = 0; i < 3; ++i) {
    site.backend().AnswerNext(
        {.outcome = SubmitOutcome::kNotNow, .takes_effect = false, .message = "out of processes"});
  }
  site.RunJob("a");
  EXPECT_EQ(site.LastStatus("a").message, "out of processes");
  EXPECT_EQ(site.LastStatus("a").phase, JobPhase::kSubmitted);
  site.loop().Advance(absl::Seconds(10));
  EXPECT_EQ(site.LastStatus("a").phase, JobPhase::kRunning);
  EXPECT_EQ(site.LastStatus("a").message, "");
}

TEST(DaemonTest, ABackendThatDoesNotAnswerEndsNoJob) {
  TestSite site({.pushes = false});
  site.RunJob("a");
  site.loop().Advance(absl::Seconds(10));
  EXPECT_EQ(site.LastStatus("a").phase, JobPhase::kRunning);
  site.backend().FailQueries(absl::UnavailableError("slurm_load_jobs error"));
  site.loop().Advance(absl::Minutes(10));
  EXPECT_EQ(site.LastStatus("a").phase, JobPhase::kRunning);
  site.backend().FailQueries(absl::OkStatus());
  site.backend().End(site.Key("a"), 0);
  site.loop().Advance(absl::Seconds(11));
  EXPECT_EQ(site.LastStatus("a").phase, JobPhase::kSucceeded);
}

TEST(DaemonTest, ARestartOfTheMachineLosesWhatWasBeingSubmittedToABackendThatForgets) {
  struct Case {
    bool forgets;
    int bodies;
  };
  for (const Case& c : {Case{.forgets = true, .bodies = 0}, Case{.forgets = false, .bodies = 1}}) {
    TestSite site({.forgets_at_boot = c.forgets});
    site.backend().AnswerNext({.outcome = SubmitOutcome::kUncertain, .takes_effect = false});
    EXPECT_TRUE(site.SendOffer("a", 1)->reserved);
    EXPECT_TRUE(site.SendStart("a", 1)->started);
    site.Reboot();
    site.Start();
    site.loop().Advance(absl::Seconds(1));
    EXPECT_EQ(site.world().Find(site.Key("a"))->bodies, c.bodies);
    EXPECT_EQ(site.LastStatus("a").failure,
              c.forgets ? FailureReason::kNodeLost : FailureReason::kUnspecified);
  }
}

TEST(DaemonTest, ADeleteOfAJobNeverSeenIsRemembered) {
  TestSite site;
  EXPECT_TRUE(site.SendFind("a", true)->forgotten);
  site.Crash();
  site.Start();
  EXPECT_EQ(site.SendOffer("a", 1)->refusal, Refusal::kTombstone);
  EXPECT_EQ(site.SendStart("a", 1)->refusal, Refusal::kTombstone);
  EXPECT_THAT(site.world().jobs(), IsEmpty());
  // And forgotten after a day, when nothing late can be under way any more.
  site.loop().Advance(absl::Hours(25));
  EXPECT_TRUE(site.SendOffer("a", 1)->reserved);
}

TEST(DaemonTest, ADeleteThatACrashInterruptedIsCompleted) {
  TestSite site({.latency = absl::Milliseconds(500)});
  site.loop().Advance(absl::Seconds(2));
  site.RunJob("a");
  site.loop().Advance(absl::Seconds(2));
  site.patience = absl::Milliseconds(10);
  EXPECT_FALSE(site.SendDelete("a").has_value());
  site.Crash();
  site.Start();
  site.loop().Advance(absl::Seconds(2));
  site.patience = absl::Seconds(2);
  EXPECT_TRUE(site.SendDelete("a")->confirmed);
  EXPECT_EQ(site.world().Find(site.Key("a")), nullptr);
}

TEST(DaemonTest, ALongDeleteIsAnsweredInTimeAndConfirmedLater) {
  TestSite site({.latency = absl::Seconds(5)});
  site.loop().Advance(absl::Seconds(30));
  site.RunJob("a");
  site.loop().Advance(absl::Seconds(30));
  const std::optional<DeleteReply> first = site.SendDelete("a");
  ASSERT_TRUE(first.has_value());
  EXPECT_FALSE(first->confirmed);
  site.loop().Advance(absl::Seconds(10));
  EXPECT_TRUE(site.SendDelete("a")->confirmed);
}

TEST(DaemonTest, AJobThatComesToLifeAfterItsDeleteIsEndedAgain) {
  TestSite site;
  EXPECT_TRUE(site.SendOffer("a", 1)->reserved);
  EXPECT_TRUE(site.SendDelete("a")->confirmed);
  // As a scheduler would that had kept the submission to itself.
  std::vector<Submission> late(1);
  late[0].job = site.Description("a");
  site.backend().Submit(std::move(late), [](const SubmitResult&) {});
  site.loop().Advance(absl::Seconds(1));
  EXPECT_EQ(site.world().Find(site.Key("a")), nullptr);
}

TEST(DaemonTest, FindSaysWhoHasAJob) {
  TestSite site;
  EXPECT_FALSE(site.SendFind("a", false)->known);
  site.RunJob("a");
  const std::optional<FindReply> found = site.SendFind("a", false);
  EXPECT_TRUE(found->known);
  EXPECT_EQ(found->backend_id, "fake");
  EXPECT_EQ(found->status.phase, JobPhase::kRunning);
}

TEST(DaemonTest, WhatIsInTheBackendWithoutARecordIsReportedAsFound) {
  TestSite site;
  std::vector<Submission> submissions(1);
  submissions[0].job = site.Description("b");
  site.backend().Submit(std::move(submissions), [](const SubmitResult&) {});
  site.loop().Advance(absl::Seconds(1));
  EXPECT_EQ(site.LastStatus("b").phase, JobPhase::kRunning);
  EXPECT_TRUE(site.SendFind("b", false)->known);
  // Its plugin may make this submitter its owner, whatever the round.
  EXPECT_TRUE(site.SendStart("b", 5)->started);
  EXPECT_EQ(site.world().Find(site.Key("b"))->submissions, 1);
}

TEST(DaemonTest, RefusesAPluginThatWasReplaced) {
  TestSite site;
  site.plugin.epoch = 5;
  EXPECT_TRUE(site.SendOffer("a", 1)->reserved);
  site.plugin.epoch = 4;
  EXPECT_EQ(site.SendOffer("b", 1)->refusal, Refusal::kStaleEpoch);
  EXPECT_EQ(site.SendStart("a", 1)->refusal, Refusal::kStaleEpoch);
  EXPECT_EQ(site.SendRelease("a", 1)->refusal, Refusal::kStaleEpoch);
  EXPECT_EQ(site.SendDelete("a")->refusal, Refusal::kStaleEpoch);
  EXPECT_FALSE(site.SendFind("a", true).has_value());
  site.plugin.epoch = 5;
  EXPECT_TRUE(site.SendStart("a", 1)->started);
}

TEST(DaemonTest, ADiskThatIsFullRefusesOffersAndLosesNothing) {
  TestSite site;
  site.RunJob("a");
  site.store().FailWrites(absl::ResourceExhaustedError("no space left on device"));
  const std::optional<OfferReply> offer = site.SendOffer("b", 1);
  EXPECT_FALSE(offer->reserved);
  EXPECT_EQ(offer->refusal, Refusal::kBusy);
  EXPECT_THAT(offer->message, HasSubstr("no space"));
  site.backend().End(site.Key("a"), 3);
  site.loop().Advance(absl::Seconds(5));
  EXPECT_EQ(site.LastStatus("a").phase, JobPhase::kRunning);
  site.store().FailWrites(absl::OkStatus());
  site.loop().Advance(absl::Seconds(5));
  EXPECT_EQ(site.LastStatus("a").phase, JobPhase::kFailed);
  EXPECT_TRUE(site.SendOffer("b", 1)->reserved);
}

TEST(DaemonTest, RefusesWhatCameDamagedOrCanNeverFit) {
  TestSite site;
  Offer offer{.from = site.plugin,
              .job = site.Description("a"),
              .round = 1,
              .digest = Sha256Hex("other"),
              .size = 5,
              .script = "wrong"};
  const std::string subject = site.subjects().Create(site.kPool, offer.job.SubjectName());
  EXPECT_EQ(site.Ask<OfferReply>(subject, offer)->refusal, Refusal::kBusy);
  offer.script = "";
  offer.size = uint64_t{65} << 20;
  EXPECT_EQ(site.Ask<OfferReply>(subject, offer)->refusal, Refusal::kUnfit);
}

TEST(DaemonTest, TellsTheHistoryOfAJob) {
  TestSite site;
  site.RunJob("a", site.ScriptOf("0"));
  const std::optional<StatusReply> status = site.AskStatus("a");
  EXPECT_TRUE(status->known);
  std::vector<std::string> events;
  for (const TimelineEntry& entry : status->timeline) events.push_back(entry.event);
  EXPECT_THAT(events, ElementsAre("reserved for round 1", "started in round 1",
                                  HasSubstr("submitted as fake-"), "Running", "Succeeded"));
}

// --- The end.

TEST(DaemonTest, ARestartSaysGoodbyeAndLeavesTheJobsRunning) {
  TestSite site;
  site.RunJob("a");
  bool done = false;
  site.daemon().StopForRestart([&] { done = true; });
  site.loop().RunUntilIdle();
  EXPECT_TRUE(done);
  EXPECT_EQ(site.reports.back().farewell, Farewell::kRestart);
  EXPECT_EQ(site.world().Find(site.Key("a"))->status.phase, JobPhase::kRunning);
  const size_t said = site.reports.size();
  site.loop().Advance(absl::Minutes(1));
  EXPECT_EQ(site.reports.size(), said);
  site.Crash();
  site.Start();
  site.backend().End(site.Key("a"), 0);
  site.loop().Advance(absl::Seconds(1));
  EXPECT_EQ(site.LastStatus("a").phase, JobPhase::kSucceeded);
}

TEST(DaemonTest, ARestartDoesNotWaitForAServerThatIsAway) {
  TestSite site;
  site.hub().Freeze();
  bool done = false;
  site.daemon().StopForRestart([&] { done = true; });
  site.loop().Advance(absl::Seconds(3));
  EXPECT_TRUE(done);
}

TEST(DaemonTest, ADrainTakesNoMoreJobsAndWaitsForTheEndOfAll) {
  TestSite site;
  site.RunJob("a");
  EXPECT_TRUE(site.SendOffer("reserved", 1)->reserved);
  bool done = false;
  site.daemon().OnDrained([&] { done = true; });
  const auto reply = site.Ask<ShutdownReply>(site.subjects().Shutdown(site.kPool),
                                             Shutdown{.from = site.plugin, .reason = "moving"});
  ASSERT_TRUE(reply.has_value());
  EXPECT_THAT(reply->message, HasSubstr("1 jobs"));
  EXPECT_EQ(site.SendOffer("b", 1)->refusal, Refusal::kDraining);
  // What has been promised is kept.
  EXPECT_TRUE(site.SendStart("reserved", 1)->started);
  site.loop().Advance(absl::Minutes(2));
  EXPECT_FALSE(done);
  site.backend().End(site.Key("a"), 0);
  site.loop().Advance(absl::Seconds(2));
  EXPECT_FALSE(done);
  site.backend().End(site.Key("reserved"), 0);
  site.loop().Advance(absl::Seconds(2));
  EXPECT_TRUE(done);
  EXPECT_EQ(site.reports.back().farewell, Farewell::kDrain);
}

TEST(DaemonTest, HasNothingToComplainAboutWhenAllIsWell) {
  TestSite site;
  EXPECT_EQ(site.daemon().Trouble(), "");
  site.store().SetHealth({.ready = false, .reason = "segment 3 is damaged"});
  EXPECT_THAT(site.daemon().Trouble(), HasSubstr("segment 3"));
}

}  // namespace
}  // namespace podferry
