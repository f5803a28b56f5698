// A submitter, put together: records on a store, a backend, two connections to NATS, and between
// them those who take jobs, run them, tell of them and serve their logs.
//
// main() brings the parts and the loop; tests bring fakes. Loop thread only. Destroying it is what
// a crash is to the outside: nothing is said, jobs run on, the records hold.

#ifndef PODFERRY_SUBMITTER_DAEMON_H_
#define PODFERRY_SUBMITTER_DAEMON_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/nats/bus.h"
#include "core/os/event_loop.h"
#include "core/pool/build_config.h"
#include "core/store/store.h"
#include "core/wire/subjects.h"
#include "submitter/announcer.h"
#include "submitter/backend/backend.h"
#include "submitter/bundle_fetcher.h"
#include "submitter/delete_server.h"
#include "submitter/janitor.h"
#include "submitter/job_ender.h"
#include "submitter/job_runner.h"
#include "submitter/job_server.h"
#include "submitter/lifetime.h"
#include "submitter/log_server.h"
#include "submitter/query_server.h"
#include "submitter/records.h"
#include "submitter/status_feed.h"
#include "submitter/status_keeper.h"
#include "submitter/submitter_metrics.h"

namespace podferry {

class Daemon {
 public:
  struct Options {
    std::string prefix = "interlink";
    std::string pool;
    int responders = 1;
    std::string shutdown_subject;  // empty: the pool's name
    absl::Duration poll_interval = absl::Seconds(10);
    Quantities flags;     // --cpu, --memory, --pods, --gpus
    std::string boot_id;  // of the machine
  };
  struct Parts {
    Store& store;
    Backend& backend;
    Bus& control;
    Bus& bulk;  // for bundles and logs
    const Clock& clock;
    EventLoop& loop;
    SubmitterMetrics& metrics;
  };

  Daemon(Options options, BuildConfig config, const Parts& parts);
  ~Daemon();

  // Reads the records, asks the backend what it can do, takes up what is under way, listens and
  // announces; then `started`. With an error it cannot go on. A backend that is not usable yet is
  // asked again every few seconds.
  void Start(absl::AnyInvocable<void(absl::Status)> started);

  // The operator has edited the file.
  void SetConfig(BuildConfig config);

  // Says goodbye for a restart, leaves the jobs running and sees everything journalled. `done`
  // once.
  void StopForRestart(absl::AnyInvocable<void()> done);
  // Takes no more jobs, waits until all have ended, says goodbye for good. `done` once.
  void Drain(absl::string_view reason, absl::AnyInvocable<void()> done);
  // Also when P.shutdown asked for it: what is to happen at the end of a drain.
  void OnDrained(absl::AnyInvocable<void()> done) { drained_ = std::move(done); }

  bool started() const { return server_ != nullptr; }
  bool draining() const { return draining_; }
  // Empty: all is well. Else what is wrong, in plain words.
  std::string Trouble() const;
  // Brings the gauges up to date, for who reads them next.
  void UpdateGauges();

 private:
  void CheckBackend();
  void OnReport(BackendReport report);
  void Assemble();
  absl::Status Listen();
  Announcer::Load CurrentLoad() const;
  void OnDeleted(const JobKey& key);
  void OnGone(const JobKey& key);
  void OnLoadChanged();
  void OnShutdown(BusMessage message);
  void StopListening();
  void FinishDrain();
  void SayFarewell(Farewell farewell, absl::AnyInvocable<void()> done);

  const Options options_;
  const wire::Subjects subjects_;
  BuildConfig config_;
  Store& store_;
  Backend& backend_;
  Bus& control_;
  Bus& bulk_;
  const Clock& clock_;
  EventLoop& loop_;
  SubmitterMetrics& metrics_;

  absl::AnyInvocable<void(absl::Status)> on_started_;
  BackendReport report_;
  std::unique_ptr<Records> records_;
  std::unique_ptr<StatusFeed> feed_;
  std::unique_ptr<StatusKeeper> statuses_;
  std::unique_ptr<BundleFetcher> fetcher_;
  std::unique_ptr<JobRunner> runner_;
  std::unique_ptr<JobEnder> ender_;
  std::unique_ptr<JobServer> server_;
  std::unique_ptr<DeleteServer> deletes_;
  std::unique_ptr<QueryServer> queries_;
  std::unique_ptr<LogServer> logs_;
  std::unique_ptr<Announcer> announcer_;
  std::unique_ptr<Bus::Subscription> shutdown_;
  std::unique_ptr<Janitor> janitor_;
  Timer check_timer_;
  Timer drain_timer_;
  Timer farewell_timer_;
  bool draining_ = false;
  absl::AnyInvocable<void()> drained_;
  Lifetime lifetime_;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_DAEMON_H_
