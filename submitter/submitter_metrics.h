// What a submitter counts. Made once by main() on the registry that /metrics renders; any thread.

#ifndef PODFERRY_SUBMITTER_SUBMITTER_METRICS_H_
#define PODFERRY_SUBMITTER_SUBMITTER_METRICS_H_

#include <array>
#include <cstddef>

#include "core/job/job_status.h"
#include "core/metrics/metrics.h"

namespace podferry {

struct SubmitterMetrics {
  explicit SubmitterMetrics(Registry& registry);

  Counter& offers_reserved;
  Counter& offers_refused;
  Counter& lapses;
  Counter& submissions;
  Counter& submissions_failed;
  Histogram& submit_seconds;
  Counter& observe_errors;
  Counter& cancels;
  Counter& deltas;
  Counter& deltas_lost;
  Counter& announcements;
  Counter& log_bytes;
  Histogram& journal_seconds;
  Counter& journal_errors;
  Gauge& connected;
  Gauge& config_refused;

  // Jobs by phase, from Reserved to Failed.
  Gauge& jobs(JobPhase phase) { return *jobs_[static_cast<size_t>(phase)]; }

 private:
  std::array<Gauge*, static_cast<size_t>(JobPhase::kDeleted) + 1> jobs_;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_SUBMITTER_METRICS_H_
