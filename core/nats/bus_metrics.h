// A bus's counters as metrics, each with the label bus="control", bus="bulk" or whatever main calls
// it. Owned by main(); loop thread; Update is cheap and called before the metrics are rendered.

#ifndef PODFERRY_CORE_NATS_BUS_METRICS_H_
#define PODFERRY_CORE_NATS_BUS_METRICS_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/metrics/metrics.h"
#include "core/nats/bus_stats.h"

namespace podferry {

class BusMetrics {
 public:
  // `registry` outlives this.
  BusMetrics(Registry& registry, absl::string_view bus);

  // Counters grow by what has been added since the last call.
  void Update(const BusStats& stats);

 private:
  struct Growing {
    Counter* counter;
    uint64_t BusStats::*field;
  };
  std::vector<Growing> counters_;
  Gauge& connected_;
  Gauge& queued_;
  BusStats last_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_NATS_BUS_METRICS_H_
