#include "plugin/dispatcher.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/wire/codec.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "plugin/store_keys.h"
#include "plugin/testing/model_submitter.h"
#include "plugin/testing/plugin_under_test.h"

namespace podferry {
namespace {

using testing::HasSubstr;

class DispatcherTest : public testing::Test {
 protected:
  DispatcherTest() { disk_.id = "S1"; }

  void StartPlugin(absl::Duration grace = absl::Minutes(15), DispatcherOptions options = {}) {
    plugin_ = nullptr;
    plugin_ = std::make_unique<PluginUnderTest>(loop_, clock_, hub_.Connect("plugin"), plugin_disk_,
                                                ++epoch_, grace, options);
    plugin_->Start();
    loop_.RunUntilIdle();
  }

  std::unique_ptr<ModelSubmitter> NewSubmitter(ModelSubmitter::Disk& disk,
                                               ModelSubmitter::Backend& backend) {
    auto submitter = std::make_unique<ModelSubmitter>(loop_, clock_, hub_.Connect(disk.id), disk,
                                                      backend, counter_, "pool");
    loop_.RunUntilIdle();
    return submitter;
  }
  void StartSubmitter() {
    submitter_ = nullptr;
    submitter_ = NewSubmitter(disk_, backend_);
  }

  void Run(absl::Duration duration) { loop_.Advance(duration); }
  int Sent(absl::string_view pattern) { return hub_.CountPublished(pattern); }

  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  InMemoryHub hub_{loop_};
  std::shared_ptr<MemoryStore::Disk> plugin_disk_ = std::make_shared<MemoryStore::Disk>();
  uint64_t epoch_ = 0;
  ModelSubmitter::Disk disk_;
  ModelSubmitter::Backend backend_;
  BodyCounter counter_;
  std::unique_ptr<PluginUnderTest> plugin_;
  std::unique_ptr<ModelSubmitter> submitter_;
};

TEST_F(DispatcherTest, BringsAJobToItsPoolAndItsEndBack) {
  StartPlugin();
  StartSubmitter();
  plugin_->Create("u1");
  loop_.RunUntilIdle();
  EXPECT_EQ(plugin_->PhaseOf("u1"), JobPhase::kSubmitted);
  submitter_->BackendBegins("u1");
  loop_.RunUntilIdle();
  EXPECT_EQ(plugin_->PhaseOf("u1"), JobPhase::kRunning);
  submitter_->BackendEnds("u1");
  loop_.RunUntilIdle();
  EXPECT_EQ(plugin_->PhaseOf("u1"), JobPhase::kSucceeded);
  EXPECT_EQ(Sent("p.create.>"), 1);
  EXPECT_EQ(Sent("p.job.pool.S1.start.>"), 1);
  EXPECT_EQ(counter_.bodies["u1"], 1);
}

TEST_F(DispatcherTest, FreezesTheScriptAndForgetsTheBody) {
  StartPlugin();
  StartSubmitter();
  plugin_->Create("u1");
  loop_.RunUntilIdle();
  EXPECT_EQ(plugin_disk_->count(BodyStoreKey("u1")), 0u);
  EXPECT_EQ(plugin_disk_->at(BundleStoreKey("u1")), "# origin/u1\n");
}

TEST_F(DispatcherTest, WaitsForAPoolThatIsNotThereYet) {
  StartPlugin();
  plugin_->Create("u1");
  loop_.RunUntilIdle();
  EXPECT_EQ(plugin_->dispatcher.Waiting(*plugin_->table.Find("u1")).reason, "PoolUnknown");
  EXPECT_EQ(Sent("p.create.>"), 0);
  StartSubmitter();
  EXPECT_EQ(plugin_->PhaseOf("u1"), JobPhase::kSubmitted);
}

TEST_F(DispatcherTest, AsksAPoolThatItMissedToAnnounceItself) {
  StartSubmitter();  // announces itself before anybody listens
  StartPlugin();
  plugin_->Create("u1");
  loop_.RunUntilIdle();
  EXPECT_EQ(plugin_->PhaseOf("u1"), JobPhase::kSubmitted);
  plugin_->Create("u2", "nowhere");
  Run(absl::Minutes(10));
  EXPECT_EQ(Sent("p.sync.nowhere"), 1) << "only when something new happens";
}

TEST_F(DispatcherTest, AcceptsWhileNatsIsDownAndSendsWhenItIsBack) {
  StartPlugin();
  StartSubmitter();
  hub_.StopServer();
  loop_.RunUntilIdle();
  plugin_->Create("u1");
  Run(absl::Minutes(1));
  EXPECT_EQ(plugin_->PhaseOf("u1"), JobPhase::kQueued);
  EXPECT_EQ(plugin_->dispatcher.Waiting(*plugin_->table.Find("u1")).reason, "NatsUnavailable");
  hub_.StartServer();
  Run(absl::Seconds(30));
  EXPECT_EQ(plugin_->PhaseOf("u1"), JobPhase::kSubmitted);
}

TEST_F(DispatcherTest, SaysWhatThePoolCannotHonour) {
  StartPlugin();
  StartSubmitter();
  plugin_->Create("u1", "pool", JobSource::kInterLink, /*refused=*/true);
  loop_.RunUntilIdle();
  EXPECT_EQ(plugin_->PhaseOf("u1"), JobPhase::kFailed);
  EXPECT_EQ(plugin_->Record("u1")->status.failure, FailureReason::kSubmitRejected);
  EXPECT_THAT(plugin_->Record("u1")->status.message, HasSubstr("spec.nodeSelector: is refused"));
  EXPECT_EQ(Sent("p.create.>"), 0);
  EXPECT_EQ(plugin_disk_->count(BodyStoreKey("u1")), 0u);
}

TEST_F(DispatcherTest, StartsOnlyWhatIsDurablyOwned) {
  StartPlugin();
  StartSubmitter();
  plugin_->Create("u1");
  // The record, then the frozen script; what holds the owner is held back.
  while (Sent("p.create.>") == 0) loop_.RunUntilIdle();
  StartPlugin();
  plugin_->Create("u2");
  loop_.RunUntilIdle();
  plugin_->Create("u3");
  plugin_->store.HoldWrites();
  loop_.RunUntilIdle();
  const int starts = Sent("p.job.pool.S1.start.>");
  for (int i = 0; i < 2 && Sent("p.create.pool.default_pod-u3_u3") == 0; ++i) {
    plugin_->store.ReleaseWrites();
    plugin_->store.HoldWrites();
    loop_.RunUntilIdle();
  }
  ASSERT_EQ(Sent("p.create.pool.default_pod-u3_u3"), 1);
  Run(absl::Seconds(20));
  EXPECT_EQ(Sent("p.job.pool.S1.start.>"), starts);
  plugin_->store.ReleaseWrites();
  loop_.RunUntilIdle();
  EXPECT_EQ(Sent("p.job.pool.S1.start.>"), starts + 1);
  EXPECT_EQ(plugin_->PhaseOf("u3"), JobPhase::kSubmitted);
}

TEST_F(DispatcherTest, AskedAgainAfterALostAnswerTheSameRoundIsReserved) {
  StartPlugin();
  StartSubmitter();
  hub_.AddFault({.what = Fault::kDrop, .subject = "p.create.>", .replies = true, .times = 1});
  plugin_->Create("u1");
  Run(absl::Seconds(10));
  EXPECT_EQ(plugin_->PhaseOf("u1"), JobPhase::kSubmitted);
  EXPECT_EQ(plugin_->Record("u1")->round, 1u);
  EXPECT_EQ(Sent("p.create.>"), 2);
}

TEST_F(DispatcherTest, ASecondReservationIsReleased) {
  StartPlugin();
  StartSubmitter();
  ModelSubmitter::Disk other_disk{.id = "S2"};
  ModelSubmitter::Backend other_backend{.id = "another"};
  auto other = NewSubmitter(other_disk, other_backend);
  // The first answer comes when the other one has been asked as well.
  hub_.AddFault({.what = Fault::kDelay,
                 .subject = "p.create.>",
                 .replies = true,
                 .times = 1,
                 .delay = absl::Seconds(7)});
  for (int i = 0; i < 20; ++i) plugin_->Create(absl::StrCat("u", i));
  Run(absl::Seconds(30));
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(plugin_->PhaseOf(absl::StrCat("u", i)), JobPhase::kSubmitted);
  }
  int both = 0;
  for (const auto& [uid, job] : disk_.jobs) {
    if (other_disk.jobs.count(uid) == 0) continue;
    ++both;
    EXPECT_TRUE(job.started == 0 || other_disk.jobs[uid].started == 0);
    EXPECT_TRUE(job.reserved == 0 || other_disk.jobs[uid].reserved == 0) << "not released: " << uid;
  }
  EXPECT_EQ(both, Sent("p.job.pool.*.release.>"));
}

TEST_F(DispatcherTest, AfterALapseTheNextRoundIsOffered) {
  StartPlugin();
  StartSubmitter();
  hub_.AddFault({.what = Fault::kDrop, .subject = "p.job.pool.S1.start.>", .times = 1});
  plugin_->Create("u1");
  loop_.RunUntilIdle();
  submitter_->Lapse("u1");
  Run(absl::Seconds(15));
  EXPECT_EQ(plugin_->PhaseOf("u1"), JobPhase::kSubmitted);
  EXPECT_EQ(plugin_->Record("u1")->round, 2u);
}

TEST_F(DispatcherTest, ARestartedPluginGoesOnWhereItWas) {
  StartPlugin();
  StartSubmitter();
  plugin_->Create("running");
  plugin_->Create("queued", "another-pool");
  loop_.RunUntilIdle();
  hub_.AddFault({.what = Fault::kDrop, .subject = "p.job.*.*.start.>"});
  plugin_->Create("owned");
  loop_.RunUntilIdle();
  hub_.ClearFaults();
  StartPlugin();
  Run(absl::Seconds(30));
  EXPECT_EQ(plugin_->PhaseOf("running"), JobPhase::kSubmitted);
  EXPECT_EQ(plugin_->PhaseOf("owned"), JobPhase::kSubmitted);
  EXPECT_EQ(plugin_->dispatcher.Waiting(*plugin_->table.Find("queued")).reason, "AwaitingPoll");
  plugin_->VouchForAll();
  EXPECT_EQ(plugin_->dispatcher.Waiting(*plugin_->table.Find("queued")).reason, "PoolUnknown");
}

TEST_F(DispatcherTest, ADeleteIsSentUntilItIsConfirmed) {
  StartPlugin();
  StartSubmitter();
  plugin_->Create("u1");
  loop_.RunUntilIdle();
  submitter_ = nullptr;
  plugin_->Delete("u1");
  Run(absl::Minutes(5));
  EXPECT_TRUE(plugin_->Record("u1")->deleting());
  EXPECT_GT(Sent("p.job.pool.S1.delete.>"), 4);
  EXPECT_LT(Sent("p.job.pool.S1.delete.>"), 15);
  StartPlugin();  // and by the next plugin, too
  StartSubmitter();
  loop_.RunUntilIdle();
  Run(absl::Seconds(1));
  EXPECT_FALSE(plugin_->Record("u1")->deleting());
  EXPECT_EQ(plugin_->PhaseOf("u1"), JobPhase::kDeleted);
  EXPECT_EQ(plugin_disk_->count(BundleStoreKey("u1")), 0u);
}

TEST_F(DispatcherTest, ADeleteOvertakesAStartThatIsNotAnswered) {
  StartPlugin();
  StartSubmitter();
  hub_.AddFault({.what = Fault::kDrop, .subject = "p.job.*.*.start.>", .replies = true});
  plugin_->Create("u1");
  loop_.RunUntilIdle();
  plugin_->Delete("u1");
  loop_.RunUntilIdle();
  EXPECT_EQ(plugin_->PhaseOf("u1"), JobPhase::kDeleted);
  submitter_->BackendBegins("u1");
  EXPECT_EQ(counter_.bodies["u1"], 0);
}

TEST_F(DispatcherTest, ADeleteBeforeAnyOfferIsCompleteAtOnce) {
  StartPlugin();
  plugin_->Create("u1");
  loop_.RunUntilIdle();
  plugin_->Delete("u1");
  loop_.RunUntilIdle();
  EXPECT_EQ(plugin_->PhaseOf("u1"), JobPhase::kDeleted);
  StartSubmitter();
  Run(absl::Minutes(1));
  EXPECT_EQ(Sent("p.create.>"), 0);
}

TEST_F(DispatcherTest, ABusyPoolIsNotFlooded) {
  StartPlugin();
  StartSubmitter();
  submitter_->RefuseOffers(Refusal::kBusy);
  for (int i = 0; i < 2000; ++i) plugin_->Create(absl::StrCat("u", i));
  Run(absl::Minutes(10));
  EXPECT_LT(Sent("p.create.>"), 300);
  submitter_->RefuseOffers(Refusal::kUnspecified);
  Run(absl::Minutes(1));
  EXPECT_EQ(plugin_->table.CountOf(JobPhase::kSubmitted), 2000u);
}

TEST_F(DispatcherTest, APoolWithoutListenersIsNotFlooded) {
  StartPlugin();
  StartSubmitter();
  submitter_ = nullptr;  // without a word: it still counts as live
  for (int i = 0; i < 2000; ++i) plugin_->Create(absl::StrCat("u", i));
  Run(absl::Minutes(10));
  EXPECT_LT(Sent("p.create.>"), 300);
  EXPECT_EQ(plugin_->dispatcher.Waiting(*plugin_->table.Find("u1")).reason, "PoolSilent");
}

TEST_F(DispatcherTest, AnOlderPluginStopsWhenANewerOneHasSpoken) {
  StartPlugin();
  StartSubmitter();
  disk_.plugin_epochs["origin"] = 99;
  plugin_->Create("u1");
  Run(absl::Minutes(1));
  EXPECT_TRUE(plugin_->dispatcher.fenced());
  EXPECT_EQ(Sent("p.create.>"), 1);
  plugin_->Create("u2");
  Run(absl::Minutes(1));
  EXPECT_EQ(Sent("p.create.>"), 1);
}

TEST_F(DispatcherTest, PausedItSendsNothing) {
  StartPlugin(absl::Minutes(15), {.paused = true});
  StartSubmitter();
  plugin_->Create("u1");
  Run(absl::Minutes(1));
  EXPECT_EQ(Sent("p.create.>"), 0);
  EXPECT_EQ(plugin_->dispatcher.Waiting(*plugin_->table.Find("u1")).reason, "DispatchPaused");
}

TEST_F(DispatcherTest, ABigScriptIsPulledInPieces) {
  StartPlugin();
  StartSubmitter();
  plugin_->Create("u1");
  loop_.RunUntilIdle();
  // Of what was offered, only small scripts are inside.
  hub_.set_max_payload(20);
  (*plugin_disk_)[BundleStoreKey("u1")] = std::string(100'000, 'x');
  hub_.set_max_payload(40'000);
  BundleRequest request;
  request.by = {"S1", 1};
  request.key = {"origin", "u1"};
  request.digest = plugin_->Record("u1")->digest;
  request.max_bytes = 1 << 20;
  std::string script;
  auto client = hub_.Connect("puller");
  for (int i = 0; i < 10; ++i) {
    request.offset = static_cast<int64_t>(script.size());
    client->Request(plugin_->subjects.Bundle("pool", "origin", "default_pod-u1_u1"),
                    wire::Encode(request), absl::Seconds(5),
                    [&](absl::StatusOr<std::string> answer) {
                      ASSERT_TRUE(answer.ok()) << answer.status();
                      auto reply = wire::Decode<BundleReply>(*answer);
                      ASSERT_TRUE(reply.ok());
                      EXPECT_TRUE(reply->known);
                      EXPECT_EQ(reply->total, 100'000);
                      script += reply->bytes;
                    });
    loop_.RunUntilIdle();
  }
  EXPECT_EQ(script, std::string(100'000, 'x'));
  plugin_->Delete("u1");
  Run(absl::Seconds(1));
  bool known = true;
  client->Request(plugin_->subjects.Bundle("pool", "origin", "default_pod-u1_u1"),
                  wire::Encode(request), absl::Seconds(5), [&](absl::StatusOr<std::string> answer) {
                    known = wire::Decode<BundleReply>(*answer)->known;
                  });
  loop_.RunUntilIdle();
  EXPECT_FALSE(known);
}

TEST_F(DispatcherTest, ALostJournalIsRebuiltFromSnapshots) {
  StartPlugin();
  StartSubmitter();
  for (int i = 0; i < 5; ++i) plugin_->Create(absl::StrCat("u", i));
  plugin_->Create("cli", "pool", JobSource::kCli);
  loop_.RunUntilIdle();
  submitter_->BackendBegins("u1");
  loop_.RunUntilIdle();
  plugin_disk_ = std::make_shared<MemoryStore::Disk>();
  StartPlugin();
  Run(absl::Seconds(15));
  EXPECT_EQ(plugin_->table.size(), 6u);
  EXPECT_EQ(plugin_->PhaseOf("u1"), JobPhase::kRunning);
  EXPECT_EQ(plugin_->Record("u1")->source, JobSource::kRecovered);
  EXPECT_EQ(plugin_->Record("cli")->source, JobSource::kCli);
  plugin_->Delete("u1");
  Run(absl::Seconds(1));
  EXPECT_TRUE(disk_.jobs["u1"].tombstone);
}

TEST_F(DispatcherTest, AMissedDeltaIsFetched) {
  StartPlugin();
  StartSubmitter();
  plugin_->Create("u1");
  loop_.RunUntilIdle();
  hub_.AddFault({.what = Fault::kDrop, .subject = "p.events.>", .times = 2});
  submitter_->BackendBegins("u1");
  submitter_->BackendEnds("u1");
  loop_.RunUntilIdle();
  EXPECT_EQ(plugin_->PhaseOf("u1"), JobPhase::kSubmitted);
  Run(absl::Seconds(11));  // the next report tells of the gap
  EXPECT_EQ(plugin_->PhaseOf("u1"), JobPhase::kSucceeded);
}

TEST_F(DispatcherTest, AJobThatItsOwnerHasLostIsLost) {
  StartPlugin();
  StartSubmitter();
  plugin_->Create("u1");
  loop_.RunUntilIdle();
  submitter_ = nullptr;
  disk_.jobs.clear();
  StartSubmitter();
  Run(absl::Seconds(15));
  EXPECT_EQ(plugin_->PhaseOf("u1"), JobPhase::kFailed);
  EXPECT_EQ(plugin_->Record("u1")->status.failure, FailureReason::kNodeLost);
}

TEST_F(DispatcherTest, ASilentPoolsJobsAreGivenUpAfterTheGraceAndStoppedWhenItReturns) {
  StartPlugin();
  StartSubmitter();
  plugin_->Create("u1");
  loop_.RunUntilIdle();
  submitter_->BackendBegins("u1");
  loop_.RunUntilIdle();
  submitter_ = nullptr;
  Run(absl::Minutes(14));
  EXPECT_EQ(plugin_->PhaseOf("u1"), JobPhase::kRunning);
  Run(absl::Minutes(2));
  EXPECT_EQ(plugin_->PhaseOf("u1"), JobPhase::kFailed);
  EXPECT_EQ(plugin_->Record("u1")->status.failure, FailureReason::kNodeLost);
  EXPECT_TRUE(backend_.jobs["u1"].running);
  StartSubmitter();
  Run(absl::Seconds(15));
  EXPECT_FALSE(backend_.jobs["u1"].running);
  EXPECT_FALSE(plugin_->Record("u1")->deleting());
}

TEST_F(DispatcherTest, AnAnswerEndsASilenceAsWellAsAReport) {
  StartPlugin();
  StartSubmitter();
  plugin_->Create("u1");
  plugin_->Create("u2");
  loop_.RunUntilIdle();
  hub_.AddFault({.what = Fault::kDrop, .subject = "p.resources.>"});
  hub_.AddFault({.what = Fault::kDrop, .subject = "p.config.>"});
  hub_.AddFault({.what = Fault::kDrop, .subject = "p.sync.>"});
  Run(absl::Minutes(14));
  // Only its answer to a delete is heard.
  plugin_->Delete("u1");
  loop_.RunUntilIdle();
  EXPECT_FALSE(plugin_->Record("u1")->deleting());
  StartPlugin();
  Run(absl::Minutes(10));
  EXPECT_EQ(plugin_->PhaseOf("u2"), JobPhase::kSubmitted);
}

TEST_F(DispatcherTest, SilenceDoesNotCountWhileWeAreCutOff) {
  StartPlugin();
  StartSubmitter();
  plugin_->Create("u1");
  loop_.RunUntilIdle();
  hub_.StopServer();
  Run(absl::Hours(2));
  hub_.StartServer();
  Run(absl::Minutes(1));
  EXPECT_EQ(plugin_->PhaseOf("u1"), JobPhase::kSubmitted);
}

TEST_F(DispatcherTest, TheGraceSurvivesARestart) {
  StartPlugin();
  StartSubmitter();
  plugin_->Create("u1");
  loop_.RunUntilIdle();
  submitter_ = nullptr;
  Run(absl::Minutes(10));
  StartPlugin();
  Run(absl::Minutes(7));
  EXPECT_EQ(plugin_->PhaseOf("u1"), JobPhase::kFailed);
}

TEST_F(DispatcherTest, AnotherSubmitterOfTheBackendAdoptsTheJobsOfASilentOne) {
  StartPlugin();
  StartSubmitter();
  plugin_->Create("u1");
  loop_.RunUntilIdle();
  // Its folder is lost, the backend is not: the new one finds the job there.
  ModelSubmitter::Disk new_disk{.id = "S2", .jobs = disk_.jobs};
  submitter_ = nullptr;
  auto other = NewSubmitter(new_disk, backend_);
  Run(absl::Minutes(2));
  EXPECT_EQ(plugin_->Record("u1")->owner, "S2");
  other->BackendBegins("u1");
  other->BackendEnds("u1");
  loop_.RunUntilIdle();
  EXPECT_EQ(plugin_->PhaseOf("u1"), JobPhase::kSucceeded);
}

TEST_F(DispatcherTest, AForgottenPoolEndsItsJobsAndDeletes) {
  StartPlugin();
  StartSubmitter();
  plugin_->Create("running");
  plugin_->Create("deleted");
  loop_.RunUntilIdle();
  submitter_ = nullptr;
  plugin_->Delete("deleted");
  Run(absl::Minutes(1));
  EXPECT_TRUE(plugin_->feed.Forget("pool"));
  loop_.RunUntilIdle();
  EXPECT_EQ(plugin_->PhaseOf("running"), JobPhase::kFailed);
  EXPECT_EQ(plugin_->PhaseOf("deleted"), JobPhase::kDeleted);
  EXPECT_EQ(plugin_->table.tombstones_waiting(), 0u);
  EXPECT_FALSE(plugin_->feed.Forget("pool"));
}

}  // namespace
}  // namespace podferry
