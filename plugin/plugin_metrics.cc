#include "plugin/plugin_metrics.h"

#include "core/job/job_status.h"

namespace podferry {
namespace {

absl::string_view StepName(Step step) {
  switch (step) {
    case Step::kNone:
      return "none";
    case Step::kOffer:
      return "offer";
    case Step::kStart:
      return "start";
    case Step::kDelete:
      return "delete";
    case Step::kForget:
      return "forget";
  }
  return "";
}

absl::string_view ResultName(CreateResult::Kind kind) {
  switch (kind) {
    case CreateResult::Kind::kCreated:
      return "accepted";
    case CreateResult::Kind::kExists:
      return "repeated";
    case CreateResult::Kind::kDeleted:
      return "deleted";
    case CreateResult::Kind::kRefused:
      return "refused";
    case CreateResult::Kind::kUnavailable:
      return "unavailable";
  }
  return "";
}

}  // namespace

PluginMetrics::PluginMetrics(Registry& registry)
    : registry_(registry),
      offers_(registry.AddCounter("podferry_plugin_offers_total", "Offers sent to pools.")),
      reservations_(registry.AddCounter("podferry_plugin_reservations_total",
                                        "Offers that a submitter reserved.")),
      refusals_(registry.AddCounter("podferry_plugin_refusals_total", "Offers that were refused.")),
      dispatch_(registry.AddHistogram("podferry_plugin_dispatch_seconds",
                                      "From a job's create to its confirmed start.",
                                      LatencyBuckets())),
      writes_(registry.AddHistogram("podferry_plugin_store_write_seconds",
                                    "From a write to its being durable.", LatencyBuckets())),
      tombstones_(registry.AddGauge("podferry_plugin_tombstones_waiting",
                                    "Deletes that no submitter has confirmed yet.")),
      retries_waiting_(registry.AddGauge("podferry_plugin_retries_waiting",
                                         "Starts and deletes that wait to be sent again.")),
      pools_reachable_(registry.AddGauge("podferry_plugin_pools_reachable", "Pools heard of.")),
      pools_known_(registry.AddGauge("podferry_plugin_pools", "Pools known.")),
      nats_connected_(
          registry.AddGauge("podferry_plugin_nats_connected", "1 while connected to NATS.")),
      ready_(registry.AddGauge("podferry_plugin_ready", "1 while creates can be accepted.")),
      log_streams_(registry.AddGauge("podferry_plugin_log_streams", "Logs being read now.")) {}

void PluginMetrics::OnStarted(absl::Duration since_create) {
  dispatch_.Observe(absl::ToDoubleSeconds(since_create));
}

void PluginMetrics::OnRetried(Step step) {
  registry_
      .AddCounter("podferry_plugin_retries_total", "Messages that had to be sent again.",
                  {{"step", std::string(StepName(step))}})
      .Increment();
}

void PluginMetrics::OnCreate(CreateResult::Kind kind) {
  registry_
      .AddCounter("podferry_plugin_creates_total", "Pods that were to be created, by result.",
                  {{"result", std::string(ResultName(kind))}})
      .Increment();
}

void PluginMetrics::ShowJobs(JobTable& table) {
  std::map<PoolAndPhase, size_t> counts;
  for (const auto& [key, gauge] : jobs_) counts[key] = 0;
  table.ForEach([&](Job& job) {
    ++counts[{job.record.job.pool, std::string(ToString(job.record.status.phase))}];
  });
  for (const auto& [key, count] : counts) {
    Gauge*& gauge = jobs_[key];
    if (gauge == nullptr) {
      gauge = &registry_.AddGauge("podferry_plugin_jobs", "Jobs by pool and phase.",
                                  {{"pool", key.first}, {"phase", key.second}});
    }
    gauge->Set(static_cast<double>(count));
  }
}

std::string PluginMetrics::Render(const State& state) {
  ShowJobs(state.table);
  size_t reachable = 0;
  for (const auto& [name, pool] : state.directory.pools()) {
    if (pool.live()) ++reachable;
    Gauge*& queued = queued_[name];
    if (queued == nullptr) {
      queued = &registry_.AddGauge("podferry_plugin_jobs_queued",
                                   "Jobs that wait to be offered to the pool.", {{"pool", name}});
    }
    queued->Set(static_cast<double>(state.dispatcher.queued(name)));
  }
  pools_reachable_.Set(static_cast<double>(reachable));
  pools_known_.Set(static_cast<double>(state.directory.pools().size()));
  tombstones_.Set(static_cast<double>(state.table.tombstones_waiting()));
  retries_waiting_.Set(static_cast<double>(state.dispatcher.retries_waiting()));
  nats_connected_.Set(state.connected ? 1 : 0);
  ready_.Set(state.ready ? 1 : 0);
  log_streams_.Set(static_cast<double>(state.log_streams));
  return registry_.Render();
}

}  // namespace podferry
