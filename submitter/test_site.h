// A submitter with fakes around it (clock, loop, bus, store, backend) and a plugin's connection to
// speak to it: for tests of whole behaviours. Everything happens when a test lets it.

#ifndef PODFERRY_SUBMITTER_TEST_SITE_H_
#define PODFERRY_SUBMITTER_TEST_SITE_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/base/testing/fake_clock.h"
#include "core/job/job_request.h"
#include "core/metrics/metrics.h"
#include "core/nats/testing/in_memory_bus.h"
#include "core/os/testing/fake_event_loop.h"
#include "core/store/testing/memory_store.h"
#include "core/wire/codec.h"
#include "core/wire/messages.h"
#include "core/wire/subjects.h"
#include "submitter/backend/fake_backend.h"
#include "submitter/daemon.h"
#include "submitter/submitter_metrics.h"

namespace podferry {

class TestSite {
 public:
  explicit TestSite(FakeBackend::Options backend = {});

  // The submitter starts, on what earlier ones left behind, or dies without a word.
  void Start();
  void Crash();
  // As Crash(), and the machine was restarted.
  void Reboot();

  Daemon& daemon() { return *daemon_; }
  FakeBackend& backend() { return *backend_; }
  MemoryStore& store() { return *store_; }
  InMemoryHub& hub() { return hub_; }
  FakeEventLoop& loop() { return loop_; }
  FakeBackend::World& world() { return *world_; }
  InMemoryBus& plugin_bus() { return *plugin_; }
  const wire::Subjects& subjects() const { return subjects_; }
  FakeClock& clock() { return clock_; }
  Daemon::Options& options() { return options_; }

  // --- The plugin's side. Answers are waited for, for at most `patience` of the fake time.
  absl::Duration patience = absl::Seconds(2);
  PluginStamp plugin = {"origin", 1};

  static constexpr char kPool[] = "pool-a";
  JobKey Key(absl::string_view uid) const { return {plugin.origin, std::string(uid)}; }
  JobDescription Description(absl::string_view uid) const;
  // What the fake backend understands; see fake_backend.h.
  static std::string ScriptOf(absl::string_view exit_code = "never");

  std::optional<OfferReply> SendOffer(absl::string_view uid, uint32_t round,
                                      const std::string& script = ScriptOf(),
                                      bool inline_script = true);
  std::optional<StartReply> SendStart(absl::string_view uid, uint32_t round,
                                      const std::string& script = ScriptOf());
  std::optional<ReleaseReply> SendRelease(absl::string_view uid, uint32_t round);
  std::optional<StatusReply> AskStatus(absl::string_view uid);
  std::optional<DeleteReply> SendDelete(absl::string_view uid,
                                        absl::Duration grace = absl::Seconds(30));
  std::optional<FindReply> SendFind(absl::string_view uid, bool forget);
  std::optional<LogReply> AskLog(LogRequest request);
  // Offer and start; the job runs afterwards.
  void RunJob(absl::string_view uid, const std::string& script = ScriptOf());

  template <typename Reply, typename Request>
  std::optional<Reply> Ask(const std::string& subject, const Request& request) {
    auto answer = std::make_shared<std::optional<Reply>>();
    plugin_->Request(subject, wire::Encode(request), patience,
                     [answer](absl::StatusOr<std::string> reply) {
                       if (!reply.ok()) return;
                       absl::StatusOr<Reply> decoded = wire::Decode<Reply>(*reply);
                       if (decoded.ok()) *answer = *std::move(decoded);
                     });
    loop_.RunUntilIdle();
    for (absl::Duration passed; !answer->has_value() && passed < patience;
         passed += absl::Milliseconds(10)) {
      loop_.Advance(absl::Milliseconds(10));
    }
    return *answer;
  }

  std::string JobSubject(absl::string_view verb, absl::string_view uid) const;

  // What was heard on the pool's subjects, oldest first.
  std::vector<StatusDelta> deltas;
  std::vector<ResourceReport> reports;
  std::vector<ConfigAnnouncement> configs;
  const SubmitterStamp& submitter() const { return reports.back().by; }
  // The newest status heard of; Unspecified when none was.
  JobStatus LastStatus(absl::string_view uid) const;

 private:
  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  InMemoryHub hub_{loop_};
  const wire::Subjects subjects_{"interlink"};
  Registry registry_;
  SubmitterMetrics metrics_{registry_};
  Daemon::Options options_;
  const FakeBackend::Options backend_options_;
  std::shared_ptr<FakeBackend::World> world_ = std::make_shared<FakeBackend::World>();
  std::shared_ptr<MemoryStore::Disk> disk_ = std::make_shared<MemoryStore::Disk>();
  std::unique_ptr<InMemoryBus> plugin_ = hub_.Connect("plugin");
  std::vector<std::unique_ptr<Bus::Subscription>> ears_;
  std::unique_ptr<InMemoryBus> control_, bulk_;
  std::unique_ptr<MemoryStore> store_;
  std::unique_ptr<FakeBackend> backend_;
  std::unique_ptr<Daemon> daemon_;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_TEST_SITE_H_
