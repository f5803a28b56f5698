// Dispatch under everything that may go wrong at once: messages lost, repeated, delayed and
// reordered, both daemons killed at any moment with unsynced writes lost, backends that begin late
// and twice, deletes in between. What the checked model promises must hold for every seed:
// the body of a job runs at most once, nothing begins after its delete was confirmed, and once the
// faults are over everything comes to its end.

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "plugin/testing/model_submitter.h"
#include "plugin/testing/plugin_under_test.h"

namespace podferry {
namespace {

class World {
 public:
  explicit World(uint64_t seed) : random_(seed), hub_(loop_, seed) {
    for (int i = 0; i < 2; ++i) {
      Side& side = sides_[i];
      side.disk.id = absl::StrCat("S", i + 1);
      side.backend.id = absl::StrCat("backend", i + 1);
      StartSubmitter(side);
    }
    StartPlugin();
  }

  void Run(int steps) {
    AddFaults();
    for (int i = 0; i < steps; ++i) {
      Step();
      CheckBodies();
    }
  }

  // No more faults: what is under way comes to its end.
  void Heal() {
    hub_.ClearFaults();
    hub_.StartServer();
    for (Side& side : sides_) {
      if (side.submitter == nullptr) StartSubmitter(side);
    }
    StopHolding();
    for (int i = 0; i < 40; ++i) {
      plugin_->VouchForAll();
      loop_.Advance(absl::Minutes(1));
      for (Side& side : sides_) side.submitter->RunEverything();
      CheckBodies();
    }
  }

  void CheckEnd() {
    for (const std::string& uid : accepted_) {
      const JobRecord* const record = plugin_->Record(uid);
      ASSERT_NE(record, nullptr) << uid << " was accepted and is lost";
      if (deleted_.contains(uid)) {
        EXPECT_FALSE(record->deleting()) << uid;
        for (Side& side : sides_) EXPECT_FALSE(side.backend.jobs[uid].running) << uid;
        continue;
      }
      EXPECT_EQ(ToString(record->status.phase), ToString(JobPhase::kSucceeded))
          << uid << " " << record->status.message << " owner " << record->owner << " round "
          << record->round;
      EXPECT_EQ(counter_.bodies[uid], 1) << uid;
    }
  }

 private:
  struct Side {
    ModelSubmitter::Disk disk;
    ModelSubmitter::Backend backend;
    std::unique_ptr<ModelSubmitter> submitter;
  };

  int Pick(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  bool OneIn(int n) { return Pick(n) == 0; }

  void AddFaults() {
    for (bool replies : {false, true}) {
      hub_.AddFault({.what = Fault::kDrop, .replies = replies, .probability = 0.15});
      hub_.AddFault({.what = Fault::kDuplicate,
                     .replies = replies,
                     .probability = 0.15,
                     .delay = absl::Seconds(20)});
      hub_.AddFault({.what = Fault::kReorder,
                     .replies = replies,
                     .probability = 0.3,
                     .delay = absl::Seconds(15)});
    }
  }

  void StartPlugin() {
    plugin_ = nullptr;  // first the old one ends, with what it had not written
    DispatcherOptions options;
    // Grace 0: nobody is given up here, so that every job must come to its own end.
    plugin_ = std::make_unique<PluginUnderTest>(loop_, clock_, hub_.Connect("plugin"), disk_,
                                                ++epoch_, absl::ZeroDuration(), options);
    plugin_->Start();
  }

  void StartSubmitter(Side& side) {
    side.submitter = std::make_unique<ModelSubmitter>(loop_, clock_, hub_.Connect(side.disk.id),
                                                      side.disk, side.backend, counter_, "pool");
    // After a crash it does not know what it submitted.
    for (const std::string& uid : side.submitter->jobs()) side.submitter->SubmitAgain(uid);
  }

  void StopHolding() { plugin_->store.ReleaseWrites(); }

  void Step() {
    switch (Pick(14)) {
      case 0:
        return Create();
      case 1:
        return DeleteOne();
      case 2:
        if (OneIn(4)) StartPlugin();
        return;
      case 3:
        return CrashSubmitter();
      case 4:
        plugin_->store.HoldWrites();
        return;
      case 5:
      case 6:
        return StopHolding();
      case 7:
        return plugin_->VouchForAll();
      case 8:
        if (OneIn(4)) hub_.StopServer();
        return;
      case 9:
        return hub_.StartServer();
      case 10:
      case 11:
        return BackendStep();
      default:
        loop_.Advance(absl::Milliseconds(Pick(8000)));
    }
  }

  void Create() {
    const std::string uid = absl::StrCat("u", created_++);
    plugin_->Create(uid);
    if (plugin_->store.held_writes() > 0) return;  // not durable yet: it may be lost
    loop_.RunUntilIdle();
    accepted_.insert(uid);
  }

  void DeleteOne() {
    if (created_ == 0) return;
    const std::string uid = absl::StrCat("u", Pick(created_));
    plugin_->Delete(uid);
    loop_.RunUntilIdle();
    const JobRecord* const record = plugin_->Record(uid);
    const bool durable =
        record != nullptr && record->tombstone.has_value() && plugin_->store.held_writes() == 0;
    if (durable) {
      deleted_.insert(uid);
    } else if (!deleted_.contains(uid)) {
      accepted_.erase(uid);  // the delete may be lost: either end is right
    }
  }

  void CrashSubmitter() {
    Side& side = sides_[Pick(2)];
    if (side.submitter == nullptr) return StartSubmitter(side);
    if (OneIn(3)) side.submitter = nullptr;
  }

  void BackendStep() {
    Side& side = sides_[Pick(2)];
    if (side.submitter == nullptr || created_ == 0) return;
    const std::string uid = absl::StrCat("u", Pick(created_));
    if (side.disk.jobs.count(uid) == 0) return;
    const JobRecord* const record = plugin_->Record(uid);
    const bool confirmed = record != nullptr && record->tombstone.has_value() &&
                           record->tombstone->confirmed() && deleted_.contains(uid);
    const int before = counter_.bodies[uid];
    switch (Pick(4)) {
      case 0:
        side.submitter->Lapse(uid);
        break;
      case 1:
        side.submitter->BackendEnds(uid);
        break;
      default:
        side.submitter->BackendBegins(uid);
    }
    if (confirmed) {
      EXPECT_EQ(counter_.bodies[uid], before) << uid << " began after its delete was confirmed";
    }
  }

  void CheckBodies() {
    for (const auto& [uid, bodies] : counter_.bodies) {
      ASSERT_LE(bodies, 1) << uid << " ran twice";
    }
  }

  std::mt19937_64 random_;
  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  InMemoryHub hub_;
  std::shared_ptr<MemoryStore::Disk> disk_ = std::make_shared<MemoryStore::Disk>();
  uint64_t epoch_ = 0;
  BodyCounter counter_;
  Side sides_[2];
  std::unique_ptr<PluginUnderTest> plugin_;
  int created_ = 0;
  absl::flat_hash_set<std::string> accepted_;
  absl::flat_hash_set<std::string> deleted_;
};

class DispatcherRandomTest : public testing::TestWithParam<int> {};

TEST_P(DispatcherRandomTest, EveryJobRunsOnceOrIsDeletedWhateverHappens) {
  // Several worlds a seed: a process a world would cost more than the world.
  for (int i = 0; i < 8; ++i) {
    SCOPED_TRACE(absl::StrCat("seed ", GetParam() * 8 + i));
    World world(static_cast<uint64_t>(GetParam() * 8 + i));
    world.Run(400);
    world.Heal();
    world.CheckEnd();
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, DispatcherRandomTest, testing::Range(0, 16));

}  // namespace
}  // namespace podferry
