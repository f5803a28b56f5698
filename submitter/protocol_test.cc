// The promises of docs/protocol.md under everything that a network and crashes can do, at random:
// two submitters with backends of their own, a plugin that keeps to the rules, and messages that
// are lost, repeated and overtaken. What the checked model asserts is asserted after every step: a
// script's body runs at most once, anywhere, and nothing runs once a delete is confirmed. In the
// end, when all is well again, every job has run and every delete is complete.
//
// The test is itself tested: with the number of the round ignored, refusals not journalled, no
// fence, or no fence on a delete, it fails with the seeds below.

#include <array>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/testing/fake_clock.h"
#include "core/metrics/metrics.h"
#include "core/nats/testing/in_memory_bus.h"
#include "core/os/testing/fake_event_loop.h"
#include "core/store/testing/memory_store.h"
#include "core/wire/codec.h"
#include "core/wire/subjects.h"
#include "gtest/gtest.h"
#include "submitter/backend/fake_backend.h"
#include "submitter/daemon.h"
#include "submitter/lifetime.h"
#include "submitter/submitter_metrics.h"

namespace podferry {
namespace {

constexpr int kJobs = 3;
constexpr char kPool[] = "pool";
constexpr char kScript[] = "#fake exit=never";

// What survives a crash of the plugin.
struct PluginJob {
  std::string owner;
  uint32_t round = 1;
  bool started = false;
  bool deleted = false;
  bool confirmed = false;
};
using PluginDisk = std::map<JobKey, PluginJob>;

class ModelPlugin {
 public:
  ModelPlugin(PluginDisk& disk, Bus& bus) : disk_(disk), bus_(bus) {}

  // Says again what is to be said.
  void Nudge(const JobKey& key) {
    const PluginJob& job = disk_[key];
    if (job.confirmed) return;
    if (job.deleted) return SendDelete(key);
    if (job.owner.empty()) return SendOffer(key);
    if (!job.started) SendStart(key);
  }

  void Delete(const JobKey& key) {
    PluginJob& job = disk_[key];
    if (std::exchange(job.deleted, true)) return;
    if (!job.owner.empty()) return SendDelete(key);
    // With no owner nothing was ever started.
    job.confirmed = true;
    bus_.Request(subjects_.Find(kPool, Description(key).SubjectName()),
                 wire::Encode(Find{.from = Stamp(key), .key = key, .forget = true}), kTimeout,
                 [](const absl::StatusOr<std::string>&) {});
  }

 private:
  static constexpr absl::Duration kTimeout = absl::Seconds(1);

  static PluginStamp Stamp(const JobKey& key) { return {key.origin, 1}; }
  static JobDescription Description(const JobKey& key) {
    return {.key = key,
            .pod_namespace = "ns",
            .pod_name = "pod",
            .pool = kPool,
            .containers = {{.name = "main"}}};
  }
  std::string Subject(const JobKey& key, absl::string_view verb, const std::string& owner) const {
    return subjects_.Job(kPool, owner, verb, Description(key).SubjectName());
  }

  template <typename Reply, typename Request, typename Handler>
  void Send(const std::string& subject, const Request& request, Handler handler) {
    bus_.Request(subject, wire::Encode(request), kTimeout,
                 lifetime_.Bind([handler](absl::StatusOr<std::string> answer) {
                   if (!answer.ok()) return;
                   absl::StatusOr<Reply> reply = wire::Decode<Reply>(*answer);
                   ASSERT_TRUE(reply.ok()) << reply.status();
                   handler(*reply);
                 }));
  }

  void SendOffer(const JobKey& key) {
    const Offer offer{.from = Stamp(key),
                      .job = Description(key),
                      .round = disk_[key].round,
                      .digest = Sha256Hex(kScript),
                      .size = sizeof(kScript) - 1,
                      .script = kScript};
    Send<OfferReply>(subjects_.Create(kPool, offer.job.SubjectName()), offer,
                     [this, key](const OfferReply& reply) { OnOffer(key, reply); });
  }

  void OnOffer(const JobKey& key, const OfferReply& reply) {
    PluginJob& job = disk_[key];
    const bool wanted = job.owner.empty() && !job.deleted && reply.round == job.round;
    if (reply.reserved && wanted) {
      job.owner = reply.by.id;
      return SendStart(key);
    }
    if (reply.reserved && reply.by.id != job.owner) {
      Send<ReleaseReply>(Subject(key, "release", reply.by.id),
                         Release{.from = Stamp(key), .key = key, .round = reply.round},
                         [](const ReleaseReply&) {});
    }
    if (!reply.reserved && wanted && reply.refused_up_to >= job.round) {
      job.round = reply.refused_up_to + 1;
    }
  }

  void SendStart(const JobKey& key) {
    const PluginJob& job = disk_[key];
    const podferry::Start start{
        .from = Stamp(key), .key = key, .round = job.round, .digest = Sha256Hex(kScript)};
    Send<StartReply>(Subject(key, "start", job.owner), start, [this, key](const StartReply& reply) {
      PluginJob& job = disk_[key];
      if (reply.by.id != job.owner || reply.round != job.round || job.deleted) return;
      if (reply.started) {
        job.started = true;
      } else if (!job.started && reply.refused_up_to >= job.round) {
        job.owner.clear();
        job.round = reply.refused_up_to + 1;
      }
    });
  }

  void SendDelete(const JobKey& key) {
    Send<podferry::DeleteReply>(
        Subject(key, "delete", disk_[key].owner),
        podferry::Delete{.from = Stamp(key), .key = key, .grace = absl::ZeroDuration()},
        [this, key](const DeleteReply& reply) {
          if (reply.confirmed && reply.by.id == disk_[key].owner) disk_[key].confirmed = true;
        });
  }

  PluginDisk& disk_;
  Bus& bus_;
  const wire::Subjects subjects_{"p"};
  Lifetime lifetime_;
};

class World {
 public:
  explicit World(uint32_t seed) : random_(seed), hub_(loop_, seed) {
    for (int i = 0; i < kJobs; ++i) disk_[Key(i)];
    for (Site& site : sites_) StartSubmitter(site);
    StartPlugin();
    // Starts that come when their reservation has lapsed, and offers that come again after that.
    hub_.AddFault({.what = Fault::kDrop, .subject = "p.job.*.*.start.>", .probability = 0.4});
    hub_.AddFault({.what = Fault::kDuplicate,
                   .subject = "p.job.*.*.start.>",
                   .probability = 0.4,
                   .delay = absl::Seconds(140)});
    hub_.AddFault({.what = Fault::kDuplicate,
                   .subject = "p.create.>",
                   .probability = 0.5,
                   .delay = absl::Seconds(100)});
    hub_.AddFault({.what = Fault::kDrop, .probability = 0.15});
    hub_.AddFault({.what = Fault::kDrop, .replies = true, .probability = 0.15});
    // Later than a reservation lapses.
    hub_.AddFault({.what = Fault::kDuplicate, .probability = 0.3, .delay = absl::Seconds(90)});
    hub_.AddFault({.what = Fault::kDuplicate, .probability = 0.2, .delay = absl::Seconds(1)});
    hub_.AddFault({.what = Fault::kReorder, .probability = 0.3, .delay = absl::Seconds(3)});
    hub_.AddFault({.what = Fault::kDelay, .replies = true, .probability = 0.1});
  }
  ~World() {
    for (Site& site : sites_) Crash(site);
  }

  void Step() {
    Site& site = sites_[Roll(2)];
    const JobKey key = Key(Roll(kJobs));
    switch (Roll(24)) {
      case 0:
        Crash(site);
        StartSubmitter(site);
        break;
      case 1:
        StartPlugin();
        break;
      case 2:
        site.store->HoldWrites();
        break;
      case 3:
      case 4:
        site.store->ReleaseWrites();
        break;
      case 5:
        if (Roll(3) == 0) plugin_->Delete(key);
        break;
      case 6:
        site.backend->AnswerNext(
            {.outcome = SubmitOutcome::kUncertain, .takes_effect = Roll(2) == 0});
        break;
      case 7:
        site.backend->End(key, 0);
        break;
      case 8:
        loop_.Advance(absl::Seconds(Roll(2) == 0 ? 61 : 30));
        break;
      default:
        plugin_->Nudge(key);
        loop_.Advance(absl::Milliseconds(1 << Roll(12)));
    }
  }

  void Heal() {
    hub_.ClearFaults();
    for (Site& site : sites_) site.store->ReleaseWrites();
    for (int i = 0; i < 200; ++i) {
      for (int job = 0; job < kJobs; ++job) plugin_->Nudge(Key(job));
      loop_.Advance(absl::Seconds(2));
    }
  }

  int Bodies(const JobKey& key) const {
    int bodies = 0;
    for (const Site& site : sites_) {
      const auto job = site.world->jobs().find(key);
      if (job != site.world->jobs().end()) bodies += job->second.bodies;
    }
    return bodies;
  }
  bool Runs(const JobKey& key) const {
    for (const Site& site : sites_) {
      const FakeBackend::Job* job = site.world->Find(key);
      if (job != nullptr && job->status.phase == JobPhase::kRunning) return true;
    }
    return false;
  }
  static JobKey Key(int job) { return {"origin", absl::StrCat("job-", job)}; }
  const PluginJob& job(const JobKey& key) { return disk_[key]; }

 private:
  struct Site {
    std::shared_ptr<FakeBackend::World> world = std::make_shared<FakeBackend::World>();
    std::shared_ptr<MemoryStore::Disk> disk = std::make_shared<MemoryStore::Disk>();
    std::unique_ptr<InMemoryBus> control, bulk;
    std::unique_ptr<MemoryStore> store;
    std::unique_ptr<FakeBackend> backend;
    std::unique_ptr<Daemon> daemon;
  };

  uint32_t Roll(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

  void StartSubmitter(Site& site) {
    site.control = hub_.Connect("submitter");
    site.bulk = hub_.Connect("submitter");
    site.store = std::make_unique<MemoryStore>(loop_, site.disk);
    // Submissions take effect later than they are looked for: the fence is all that protects.
    site.backend = std::make_unique<FakeBackend>(
        FakeBackend::Options{.latency = absl::Milliseconds(Roll(2) * 20),
                             .start_delay = absl::Milliseconds(Roll(3) * 400)},
        site.world, clock_, loop_);
    site.daemon = std::make_unique<Daemon>(
        Daemon::Options{.prefix = "p", .pool = kPool, .boot_id = "boot"}, BuildConfig(),
        Daemon::Parts{.store = *site.store,
                      .backend = *site.backend,
                      .control = *site.control,
                      .bulk = *site.bulk,
                      .clock = clock_,
                      .loop = loop_,
                      .metrics = metrics_});
    site.daemon->Start([](const absl::Status& status) { EXPECT_TRUE(status.ok()) << status; });
  }

  void Crash(Site& site) {
    site.daemon.reset();
    site.backend.reset();
    site.store.reset();
    site.bulk.reset();
    site.control.reset();
  }

  void StartPlugin() {
    plugin_.reset();
    plugin_bus_ = hub_.Connect("plugin");
    plugin_ = std::make_unique<ModelPlugin>(disk_, *plugin_bus_);
  }

  std::mt19937 random_;
  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  InMemoryHub hub_;
  Registry registry_;
  SubmitterMetrics metrics_{registry_};
  std::array<Site, 2> sites_;
  PluginDisk disk_;
  std::unique_ptr<InMemoryBus> plugin_bus_;
  std::unique_ptr<ModelPlugin> plugin_;
};

void Check(World& world, uint32_t seed, int step) {
  for (int i = 0; i < kJobs; ++i) {
    const JobKey key = World::Key(i);
    ASSERT_LE(world.Bodies(key), 1) << key.ToString() << ", seed " << seed << ", step " << step;
    if (world.job(key).confirmed) {
      ASSERT_FALSE(world.Runs(key)) << key.ToString() << ", seed " << seed << ", step " << step;
    }
  }
}

class ProtocolTest : public ::testing::TestWithParam<uint32_t> {};

TEST_P(ProtocolTest, RunsEveryJobOnceAndNothingAfterItsDelete) {
  for (uint32_t seed = GetParam(); seed < GetParam() + 125; ++seed) {
    World world(seed);
    for (int step = 0; step < 250; ++step) {
      world.Step();
      Check(world, seed, step);
      if (testing::Test::HasFatalFailure()) return;
    }
    world.Heal();
    Check(world, seed, -1);
    for (int i = 0; i < kJobs; ++i) {
      const PluginJob& job = world.job(World::Key(i));
      if (job.deleted) {
        EXPECT_TRUE(job.confirmed) << "seed " << seed << ", job " << i;
      } else {
        EXPECT_TRUE(job.started) << "seed " << seed << ", job " << i;
        EXPECT_EQ(world.Bodies(World::Key(i)), 1) << "seed " << seed << ", job " << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ProtocolTest, testing::Values(1, 1001, 2001, 3001));

}  // namespace
}  // namespace podferry
