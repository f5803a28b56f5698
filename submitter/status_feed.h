// Tells the plugins what changes: numbered status deltas on P.events.<pool>, a few milliseconds'
// changes in one message. A delta says how a job stands when it is sent, so a job that changed
// twice in between is told once. One that is lost shows by its number, which resource reports carry
// too, and the plugin fetches a snapshot; nothing is sent again.
//
// Owned by the daemon; loop thread only.

#ifndef PODFERRY_SUBMITTER_STATUS_FEED_H_
#define PODFERRY_SUBMITTER_STATUS_FEED_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/time/time.h"
#include "core/job/job_key.h"
#include "core/nats/bus.h"
#include "core/os/event_loop.h"
#include "core/wire/messages.h"
#include "submitter/records.h"
#include "submitter/submitter_metrics.h"

namespace podferry {

class StatusFeed {
 public:
  // `subject` is P.events.<pool>.
  StatusFeed(std::string subject, const Records& records, Bus& bus, EventLoop& loop,
             SubmitterMetrics& metrics);

  // The record's status has changed, durably.
  void Changed(const JobKey& key);

  // Sends what waits, now.
  void Flush();

  // Of the newest delta that was sent or lost; 0: none yet.
  uint64_t last_number() const { return last_number_; }

 private:
  void Send(std::vector<StatusDelta> deltas);

  const std::string subject_;
  const Records& records_;
  Bus& bus_;
  EventLoop& loop_;
  SubmitterMetrics& metrics_;
  uint64_t last_number_ = 0;
  std::vector<JobKey> changed_;  // in the order of their first change
  absl::flat_hash_set<JobKey> waiting_;
  Timer timer_;
  bool timer_set_ = false;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_STATUS_FEED_H_
