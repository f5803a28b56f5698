// Says what the pool offers and how it wants its scripts: ResourceReport at launch, on change and
// every 10 s, ConfigAnnouncement at launch, on change and every 60 s, both right after every
// reconnection, and a farewell at the end. Each carries a number that grows within this start.
//
// A changed load (a job started or ended) is told at most twice a second, a changed offer at once.
// Owned by the daemon, on the control connection; loop thread only.

#ifndef PODFERRY_SUBMITTER_ANNOUNCER_H_
#define PODFERRY_SUBMITTER_ANNOUNCER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/nats/bus.h"
#include "core/os/event_loop.h"
#include "core/pool/build_config.h"
#include "core/wire/messages.h"
#include "core/wire/subjects.h"
#include "submitter/submitter_metrics.h"

namespace podferry {

using Quantities = std::map<std::string, std::string>;

// What a pool is said to offer, resource by resource: BuildConfig's [resources] wins over the
// flags, which win over what the backend says. Pure.
Quantities PoolCapacity(const BuildConfig& config, const Quantities& flags,
                        const Quantities& backend);

class Announcer {
 public:
  struct Load {
    Quantities used;
    uint64_t jobs = 0;  // that this submitter answers for
    uint64_t last_event_number = 0;
  };
  struct Options {
    std::string pool;
    std::string backend;
    std::string backend_id;
    Quantities flags;  // --cpu, --memory, --pods, --gpus
  };

  // `load` is asked whenever a report is made.
  Announcer(Options options, const wire::Subjects& subjects, SubmitterStamp self,
            BuildConfig config, absl::AnyInvocable<Load()> load, Bus& bus, const Clock& clock,
            EventLoop& loop, SubmitterMetrics& metrics);

  // Announces both from now on.
  void Start();

  void SetConfig(BuildConfig config);
  void SetBackendResources(Quantities resources);
  void LoadChanged();
  // A plugin may have just started.
  void AnnounceNow();

  // The last word: nothing is announced afterwards.
  void SayFarewell(Farewell farewell);

 private:
  void Report();
  void PublishReport(Farewell farewell);
  void PublishConfig();

  const Options options_;
  const std::string resources_subject_;
  const std::string config_subject_;
  const SubmitterStamp self_;
  BuildConfig config_;
  std::string config_text_;
  Quantities backend_resources_;
  absl::AnyInvocable<Load()> load_;
  Bus& bus_;
  const Clock& clock_;
  EventLoop& loop_;
  SubmitterMetrics& metrics_;
  bool started_ = false;
  uint64_t report_number_ = 0;
  uint64_t config_number_ = 0;
  absl::Duration last_report_ = -absl::InfiniteDuration();
  Timer report_timer_;  // the next regular report
  Timer load_timer_;    // a report because of a changed load
  bool load_timer_set_ = false;
  Timer config_timer_;
  std::unique_ptr<Bus::Handle> connection_;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_ANNOUNCER_H_
