#include "submitter/submitter_metrics.h"

#include <string>

namespace podferry {

SubmitterMetrics::SubmitterMetrics(Registry& registry)
    : offers_reserved(registry.AddCounter("podferry_submitter_offers_reserved_total",
                                          "Offers answered with a reservation.")),
      offers_refused(
          registry.AddCounter("podferry_submitter_offers_refused_total", "Offers refused.")),
      lapses(registry.AddCounter("podferry_submitter_reservations_lapsed_total",
                                 "Reservations that nobody started within a minute.")),
      submissions(registry.AddCounter("podferry_submitter_submissions_total",
                                      "Jobs that the backend took.")),
      submissions_failed(
          registry.AddCounter("podferry_submitter_submission_failures_total",
                              "Submissions that the backend refused, put off, or left in doubt.")),
      submit_seconds(registry.AddHistogram("podferry_submitter_submit_seconds",
                                           "From handing a job over to the backend's answer.",
                                           LatencyBuckets())),
      observe_errors(registry.AddCounter("podferry_submitter_observe_errors_total",
                                         "Queries that the backend did not answer.")),
      cancels(registry.AddCounter("podferry_submitter_cancels_total", "Jobs ended and removed.")),
      deltas(registry.AddCounter("podferry_submitter_deltas_total", "Status deltas published.")),
      deltas_lost(registry.AddCounter("podferry_submitter_deltas_lost_total",
                                      "Status deltas that could not be sent.")),
      announcements(registry.AddCounter("podferry_submitter_announcements_total",
                                        "Resource reports and BuildConfigs published.")),
      log_bytes(registry.AddCounter("podferry_submitter_log_bytes_total", "Bytes of logs served.")),
      journal_seconds(registry.AddHistogram("podferry_submitter_journal_seconds",
                                            "From a write to its being durable.",
                                            LatencyBuckets())),
      journal_errors(
          registry.AddCounter("podferry_submitter_journal_errors_total", "Writes that failed.")),
      connected(registry.AddGauge("podferry_submitter_nats_connected",
                                  "Whether the control connection to NATS stands.")),
      config_refused(registry.AddGauge(
          "podferry_submitter_build_config_refused",
          "Whether the BuildConfig file cannot be used and the one before it still is.")) {
  for (size_t phase = 0; phase < jobs_.size(); ++phase) {
    const std::string name(ToString(static_cast<JobPhase>(phase)));
    jobs_[phase] = &registry.AddGauge("podferry_submitter_jobs", "Jobs by phase.",
                                      {{"phase", name.empty() ? "Unspecified" : name}});
  }
}

}  // namespace podferry
