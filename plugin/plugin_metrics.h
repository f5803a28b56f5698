// The plugin's metrics: what has happened is counted as it happens, what is the case is looked at
// when somebody asks. Owned by the daemon; event loop's thread only.

#ifndef PODFERRY_PLUGIN_PLUGIN_METRICS_H_
#define PODFERRY_PLUGIN_PLUGIN_METRICS_H_

#include <map>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "core/metrics/metrics.h"
#include "plugin/dispatcher.h"
#include "plugin/job_service.h"
#include "plugin/job_table.h"
#include "plugin/pool_directory.h"

namespace podferry {

class PluginMetrics final : public DispatchObserver {
 public:
  explicit PluginMetrics(Registry& registry);

  void OnOffered() override { offers_.Increment(); }
  void OnReserved() override { reservations_.Increment(); }
  void OnRefused() override { refusals_.Increment(); }
  void OnStarted(absl::Duration since_create) override;
  void OnRetried(Step step) override;

  void OnCreate(CreateResult::Kind kind);
  void OnWrite(absl::Duration duration) { writes_.Observe(absl::ToDoubleSeconds(duration)); }

  // Looks at the state and writes everything out.
  struct State {
    JobTable& table;
    const Dispatcher& dispatcher;
    const PoolDirectory& directory;
    size_t log_streams = 0;
    bool connected = false;
    bool ready = false;
  };
  std::string Render(const State& state);

 private:
  using PoolAndPhase = std::pair<std::string, std::string>;
  void ShowJobs(JobTable& table);

  Registry& registry_;
  Counter& offers_;
  Counter& reservations_;
  Counter& refusals_;
  Histogram& dispatch_;
  Histogram& writes_;
  Gauge& tombstones_;
  Gauge& retries_waiting_;
  Gauge& pools_reachable_;
  Gauge& pools_known_;
  Gauge& nats_connected_;
  Gauge& ready_;
  Gauge& log_streams_;
  std::map<PoolAndPhase, Gauge*> jobs_;
  std::map<std::string, Gauge*> queued_;
};

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_PLUGIN_METRICS_H_
