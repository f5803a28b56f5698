#include "submitter/daemon.h"

#include <glog/logging.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/status_macros.h"
#include "core/wire/codec.h"
#include "submitter/load.h"

namespace podferry {
namespace {

constexpr absl::Duration kCheckAgain = absl::Seconds(5);
constexpr absl::Duration kDrainLook = absl::Seconds(1);
// The last words are not worth more: who misses them learns it from the silence.
constexpr absl::Duration kFarewellTime = absl::Seconds(2);

}  // namespace

Daemon::Daemon(Options options, BuildConfig config, const Parts& parts)
    : options_(std::move(options)),
      subjects_(options_.prefix),
      config_(std::move(config)),
      store_(parts.store),
      backend_(parts.backend),
      control_(parts.control),
      bulk_(parts.bulk),
      clock_(parts.clock),
      loop_(parts.loop),
      metrics_(parts.metrics) {}

Daemon::~Daemon() = default;

// --- Starting.

void Daemon::Start(absl::AnyInvocable<void(absl::Status)> started) {
  on_started_ = std::move(started);
  Records::Open(store_, clock_, options_.boot_id,
                lifetime_.Bind([this](absl::StatusOr<std::unique_ptr<Records>> records) {
                  if (!records.ok()) return on_started_(records.status());
                  records_ = *std::move(records);
                  LOG(INFO) << "submitter " << records_->self().id << ", start "
                            << records_->self().epoch << ", " << records_->size() << " records";
                  for (const std::string& record : records_->unreadable()) {
                    LOG(ERROR) << "a record cannot be read: " << record;
                  }
                  CheckBackend();
                }));
}

void Daemon::CheckBackend() {
  backend_.Check(lifetime_.Bind([this](BackendReport report) { OnReport(std::move(report)); }));
}

void Daemon::OnReport(BackendReport report) {
  report_ = std::move(report);
  const std::string findings = absl::StrJoin(report_.findings, "; ");
  if (!report_.usable) {
    LOG(ERROR) << "the backend cannot be used: " << findings;
    check_timer_ = loop_.RunAfter(kCheckAgain, [this] { CheckBackend(); });
    return;
  }
  LOG(INFO) << report_.capabilities.name << ": " << findings;
  Assemble();
  const absl::Status listening = Listen();
  if (!listening.ok()) return on_started_(listening);
  runner_->Resume();
  ender_->Resume();
  janitor_->Start();
  announcer_->Start();
  on_started_(absl::OkStatus());
}

void Daemon::Assemble() {
  const BackendCapabilities& capabilities = report_.capabilities;
  feed_ = std::make_unique<StatusFeed>(subjects_.Events(options_.pool), *records_, control_, loop_,
                                       metrics_);
  statuses_ = std::make_unique<StatusKeeper>(*records_, *feed_, clock_);
  fetcher_ = std::make_unique<BundleFetcher>(subjects_, records_->self(), bulk_, loop_);
  runner_ = std::make_unique<JobRunner>(
      *records_, backend_, capabilities, options_.poll_interval, *fetcher_, *statuses_, clock_,
      loop_,
      JobRunner::Events{.revived = [this](const JobKey& key) { ender_->End(key); },
                        .load_changed = [this] { OnLoadChanged(); }});
  statuses_->SetEvents({.load_changed = [this] { OnLoadChanged(); },
                        .not_kept = [this] { runner_->ResumeLater(); }});
  ender_ = std::make_unique<JobEnder>(*records_, backend_, *feed_, clock_, loop_,
                                      [this](const JobKey& key) { OnGone(key); });
  server_ = std::make_unique<JobServer>(options_.pool, *records_, *runner_, *feed_, control_,
                                        clock_, loop_, metrics_);
  deletes_ =
      std::make_unique<DeleteServer>(options_.pool, capabilities.id, *records_, control_, clock_,
                                     loop_, [this](const JobKey& key) { OnDeleted(key); });
  queries_ = std::make_unique<QueryServer>(options_.pool, *records_, *feed_, control_,
                                           [this] { announcer_->AnnounceNow(); });
  logs_ = std::make_unique<LogServer>(options_.pool, subjects_, *records_, backend_, bulk_, clock_,
                                      loop_, metrics_);
  janitor_ = std::make_unique<Janitor>(*records_, *ender_, clock_, loop_);
  announcer_ = std::make_unique<Announcer>(
      Announcer::Options{.pool = options_.pool,
                         .backend = capabilities.name,
                         .backend_id = capabilities.id,
                         .flags = options_.flags},
      subjects_, records_->self(), config_, [this] { return CurrentLoad(); }, control_, clock_,
      loop_, metrics_);
}

absl::Status Daemon::Listen() {
  PODFERRY_RETURN_IF_ERROR(server_->Listen(subjects_, options_.responders));
  PODFERRY_RETURN_IF_ERROR(deletes_->Listen(subjects_));
  PODFERRY_RETURN_IF_ERROR(queries_->Listen(subjects_));
  PODFERRY_RETURN_IF_ERROR(logs_->Listen());
  const std::string& subject =
      options_.shutdown_subject.empty() ? options_.pool : options_.shutdown_subject;
  PODFERRY_ASSIGN_OR_RETURN(
      shutdown_, control_.Subscribe(subjects_.Shutdown(subject), "", [this](BusMessage message) {
        OnShutdown(std::move(message));
      }));
  return absl::OkStatus();
}

// --- Running.

void Daemon::SetConfig(BuildConfig config) {
  if (config == config_) return;
  config_ = std::move(config);
  if (announcer_ != nullptr) announcer_->SetConfig(config_);
}

Announcer::Load Daemon::CurrentLoad() const {
  Announcer::Load load{.used = UsedResources(*records_), .last_event_number = feed_->last_number()};
  records_->ForEach([&](const JobRecord& record) {
    if (record.state.HasStarted() && !record.state.tombstone) ++load.jobs;
  });
  return load;
}

void Daemon::OnDeleted(const JobKey& key) {
  server_->Forget(key);
  runner_->Forget(key);
  ender_->End(key);
}

void Daemon::OnGone(const JobKey& key) {
  server_->Forget(key);
  deletes_->OnGone(key);
  OnLoadChanged();
}

void Daemon::OnLoadChanged() {
  announcer_->SetBackendResources(runner_->resources());
  announcer_->LoadChanged();
  if (draining_) FinishDrain();
}

std::string Daemon::Trouble() const {
  const StoreHealth health = store_.health();
  if (!health.ready) return absl::StrCat("the journal: ", health.reason);
  if (!started()) {
    return absl::StrCat("not started yet: ", absl::StrJoin(report_.findings, "; "));
  }
  if (!records_->unreadable().empty()) {
    return absl::StrCat(records_->unreadable().size(), " records cannot be read");
  }
  return "";
}

void Daemon::UpdateGauges() {
  if (records_ == nullptr) return;
  std::map<JobPhase, int> phases;
  for (int phase = 0; phase <= static_cast<int>(JobPhase::kDeleted); ++phase) {
    phases[static_cast<JobPhase>(phase)] = 0;
  }
  records_->ForEach([&](const JobRecord& record) {
    if (record.state.tombstone) {
      ++phases[JobPhase::kDeleted];
    } else if (record.state.IsReserved()) {
      ++phases[JobPhase::kReserved];
    } else {
      ++phases[record.status.phase];
    }
  });
  for (const auto& [phase, count] : phases) metrics_.jobs(phase).Set(count);
  metrics_.connected.Set(control_.connected() ? 1 : 0);
}

// --- Ending.

void Daemon::OnShutdown(BusMessage message) {
  const absl::StatusOr<Shutdown> shutdown = wire::Decode<Shutdown>(message.payload);
  if (!shutdown.ok()) {
    LOG(WARNING) << message.subject << ": cannot be read: " << shutdown.status();
    return;
  }
  if (!message.reply_to.empty()) {
    const ShutdownReply reply{
        .by = records_->self(),
        .message = absl::StrCat("draining: ", runner_->live_jobs(), " jobs are left")};
    (void)control_.Respond(message, wire::Encode(reply));
  }
  Drain(shutdown->reason, std::move(drained_));
}

void Daemon::Drain(absl::string_view reason, absl::AnyInvocable<void()> done) {
  if (done) drained_ = std::move(done);
  if (std::exchange(draining_, true)) return;
  LOG(INFO) << "draining: " << reason;
  if (server_ == nullptr) {
    if (drained_) std::exchange(drained_, nullptr)();
    return;
  }
  server_->RefuseOffers();
  FinishDrain();
}

void Daemon::FinishDrain() {
  if (server_ == nullptr) return;
  if (runner_->live_jobs() > 0 || server_->reservations() > 0) {
    drain_timer_ = loop_.RunAfter(kDrainLook, [this] { FinishDrain(); });
    return;
  }
  if (!drained_) return;
  SayFarewell(Farewell::kDrain, std::exchange(drained_, nullptr));
}

void Daemon::StopForRestart(absl::AnyInvocable<void()> done) {
  if (server_ == nullptr) return done();
  SayFarewell(Farewell::kRestart, std::move(done));
}

void Daemon::StopListening() {
  server_->StopListening();
  deletes_->StopListening();
  queries_->StopListening();
  logs_->StopListening();
  shutdown_.reset();
}

void Daemon::SayFarewell(Farewell farewell, absl::AnyInvocable<void()> done) {
  StopListening();
  auto once = std::make_shared<absl::AnyInvocable<void()>>(std::move(done));
  const auto finish = [once] {
    if (*once) std::exchange(*once, nullptr)();
  };
  farewell_timer_ = loop_.RunAfter(kFarewellTime, finish);
  records_->Flush(lifetime_.Bind([this, farewell, finish] {
    feed_->Flush();
    announcer_->SayFarewell(farewell);
    // What was published before a ping has left before its answer comes.
    control_.Ping(kFarewellTime / 2, lifetime_.Bind([finish](bool) { finish(); }));
  }));
}

}  // namespace podferry
