#include "submitter/announcer.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "core/pool/build_config_toml.h"
#include "core/wire/codec.h"

namespace podferry {
namespace {

constexpr absl::Duration kReportEvery = absl::Seconds(10);
constexpr absl::Duration kConfigEvery = absl::Seconds(60);
constexpr absl::Duration kLoadPause = absl::Milliseconds(500);

// "gpus" is what people write; Kubernetes says nvidia.com/gpu.
std::string ResourceName(const std::string& name) {
  return name == "gpus" ? "nvidia.com/gpu" : name;
}

}  // namespace

Quantities PoolCapacity(const BuildConfig& config, const Quantities& flags,
                        const Quantities& backend) {
  Quantities capacity = backend;
  for (const auto& [name, quantity] : flags) capacity[ResourceName(name)] = quantity;
  for (const auto& [name, quantity] : config.resources) capacity[ResourceName(name)] = quantity;
  return capacity;
}

Announcer::Announcer(Options options, const wire::Subjects& subjects, SubmitterStamp self,
                     BuildConfig config, absl::AnyInvocable<Load()> load, Bus& bus,
                     const Clock& clock, EventLoop& loop, SubmitterMetrics& metrics)
    : options_(std::move(options)),
      resources_subject_(subjects.Resources(options_.pool)),
      config_subject_(subjects.Config(options_.pool)),
      self_(std::move(self)),
      config_(std::move(config)),
      config_text_(ToToml(WithoutSecrets(config_))),
      load_(std::move(load)),
      bus_(bus),
      clock_(clock),
      loop_(loop),
      metrics_(metrics) {}

void Announcer::Start() {
  started_ = true;
  connection_ = bus_.WatchConnection([this](bool connected) {
    metrics_.connected.Set(connected ? 1 : 0);
    LOG(INFO) << (connected ? "connected to NATS" : "NATS is lost");
    if (connected) AnnounceNow();
  });
  metrics_.connected.Set(bus_.connected() ? 1 : 0);
  AnnounceNow();
}

void Announcer::AnnounceNow() {
  if (!started_) return;
  PublishConfig();
  Report();
}

void Announcer::SetConfig(BuildConfig config) {
  config_ = std::move(config);
  config_text_ = ToToml(WithoutSecrets(config_));
  AnnounceNow();
}

void Announcer::SetBackendResources(Quantities resources) {
  if (resources == backend_resources_) return;
  backend_resources_ = std::move(resources);
  if (started_) Report();
}

void Announcer::LoadChanged() {
  if (!started_ || load_timer_set_) return;
  load_timer_set_ = true;
  const absl::Duration pause = last_report_ + kLoadPause - clock_.Monotonic();
  load_timer_ = loop_.RunAfter(std::max(pause, absl::Milliseconds(20)), [this] { Report(); });
}

void Announcer::Report() {
  load_timer_set_ = false;
  load_timer_.Cancel();
  last_report_ = clock_.Monotonic();
  report_timer_ = loop_.RunAfter(kReportEvery, [this] { Report(); });
  PublishReport(Farewell::kUnspecified);
}

void Announcer::PublishReport(Farewell farewell) {
  Load load = load_();
  ResourceReport report{.by = self_,
                        .pool = options_.pool,
                        .backend = options_.backend,
                        .backend_id = options_.backend_id,
                        .number = ++report_number_,
                        .time = clock_.Now(),
                        .capacity = PoolCapacity(config_, options_.flags, backend_resources_),
                        .used = std::move(load.used),
                        .labels = config_.node.labels,
                        .taints = config_.node.taints,
                        .last_event_number = load.last_event_number,
                        .jobs = load.jobs,
                        .farewell = farewell};
  if (bus_.Publish(resources_subject_, wire::Encode(report)).ok()) {
    metrics_.announcements.Increment();
  }
}

void Announcer::PublishConfig() {
  config_timer_ = loop_.RunAfter(kConfigEvery, [this] { PublishConfig(); });
  const ConfigAnnouncement announcement{
      .by = self_, .number = ++config_number_, .build_config = config_text_, .time = clock_.Now()};
  if (bus_.Publish(config_subject_, wire::Encode(announcement)).ok()) {
    metrics_.announcements.Increment();
  }
}

void Announcer::SayFarewell(Farewell farewell) {
  if (!std::exchange(started_, false)) return;
  connection_.reset();
  report_timer_.Cancel();
  load_timer_.Cancel();
  config_timer_.Cancel();
  PublishReport(farewell);
}

}  // namespace podferry
