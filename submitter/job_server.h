// Answers what plugins do with jobs until they run: offers, starts, releases. What to answer
// job_state.h decides; it is journalled by Records before it leaves; what follows from it JobRunner
// does. Messages of a plugin that has been replaced (a lower epoch of its origin) are refused.
//
// Offers come through the queue group of the pool, so that one submitter of several gets each. With
// `responders` N, this one is in the group N times and gets N times the share of one that is in it
// once; offers are handled side by side in any case.
//
// Owned by the daemon, on the control connection; loop thread only.

#ifndef PODFERRY_SUBMITTER_JOB_SERVER_H_
#define PODFERRY_SUBMITTER_JOB_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "core/base/clock.h"
#include "core/nats/bus.h"
#include "core/os/event_loop.h"
#include "core/wire/messages.h"
#include "core/wire/subjects.h"
#include "submitter/job_runner.h"
#include "submitter/job_state.h"
#include "submitter/lifetime.h"
#include "submitter/plugin_listener.h"
#include "submitter/records.h"
#include "submitter/reservations.h"
#include "submitter/script_cache.h"
#include "submitter/status_feed.h"
#include "submitter/submitter_metrics.h"

namespace podferry {

class JobServer {
 public:
  JobServer(std::string pool, Records& records, JobRunner& runner, StatusFeed& feed, Bus& bus,
            const Clock& clock, EventLoop& loop, SubmitterMetrics& metrics);

  absl::Status Listen(const wire::Subjects& subjects, int responders);
  void StopListening() { listener_.Stop(); }
  // Takes no new jobs any more: offers are refused, what was reserved may still be started.
  void RefuseOffers() { draining_ = true; }

  // Places promised and not yet started.
  size_t reservations() const;

  // The job was deleted.
  void Forget(const JobKey& key) { scripts_.Take(key); }

 private:
  // What a change has decided.
  struct Result {
    Verdict verdict;
    bool fresh = false;  // a new reservation, or start
  };

  void HandleOffer(BusMessage message, Offer offer);
  Verdict CheckOffer(const Offer& offer, std::string* why) const;
  Records::Write Reserve(JobRecord& record, const Offer& offer, Result& result);
  void AnswerOffer(const BusMessage& message, Offer& offer, const Result& result,
                   const absl::Status& journalled);
  void Lapse(const JobKey& key, uint32_t round);

  void HandleStart(BusMessage message, const Start& start);
  Records::Write Begin(JobRecord& record, const Start& start, Result& result);
  void AnswerStart(const BusMessage& message, const Start& start, const Result& result);

  void HandleRelease(BusMessage message, const Release& release);

  const std::string pool_;
  Records& records_;
  JobRunner& runner_;
  StatusFeed& feed_;
  const Clock& clock_;
  SubmitterMetrics& metrics_;
  PluginListener listener_;
  Reservations reservations_;
  ScriptCache scripts_;  // of reserved jobs
  bool draining_ = false;
  Lifetime lifetime_;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_JOB_SERVER_H_
