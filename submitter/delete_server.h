// Answers deletes, and who has a job. A tombstone is journalled first, for jobs never seen, too;
// then the job is ended. An answer waits a moment for the end, so that most deletes are confirmed
// at once; those that take longer are asked for again.
//
// Owned by the daemon, on the control connection; loop thread only.

#ifndef PODFERRY_SUBMITTER_DELETE_SERVER_H_
#define PODFERRY_SUBMITTER_DELETE_SERVER_H_

#include <map>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/nats/bus.h"
#include "core/os/event_loop.h"
#include "core/wire/messages.h"
#include "core/wire/subjects.h"
#include "submitter/lifetime.h"
#include "submitter/plugin_listener.h"
#include "submitter/records.h"

namespace podferry {

class DeleteServer {
 public:
  // `deleted`: a tombstone, or a shorter grace of one, is durable: end the job.
  DeleteServer(std::string pool, std::string backend_id, Records& records, Bus& bus,
               const Clock& clock, EventLoop& loop,
               absl::AnyInvocable<void(const JobKey&)> deleted);
  ~DeleteServer();

  absl::Status Listen(const wire::Subjects& subjects);
  void StopListening() { listener_.Stop(); }

  // The end of this job is durable: nothing of it runs and nothing ever will.
  void OnGone(const JobKey& key);

 private:
  struct Waiting;
  // Says what the record says at that moment.
  using Answer = absl::AnyInvocable<void()>;

  void HandleDelete(BusMessage message, const Delete& request);
  void HandleFind(BusMessage message, const Find& find);
  void Bury(const JobKey& key, absl::Duration grace, Answer answer);
  Records::Write Entomb(JobRecord& record, absl::Duration grace);
  void AnswerWhenGone(const JobKey& key, Answer answer);

  const std::string pool_;
  const std::string backend_id_;
  Records& records_;
  const Clock& clock_;
  EventLoop& loop_;
  absl::AnyInvocable<void(const JobKey&)> deleted_;
  PluginListener listener_;
  std::multimap<JobKey, std::unique_ptr<Waiting>> waiting_;
  Lifetime lifetime_;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_DELETE_SERVER_H_
