// Answers what changes nothing: how a job stands, and what all there are. Of plugins that have been
// replaced, too: to know does no harm.
//
// Owned by the daemon, on the control connection; loop thread only.

#ifndef PODFERRY_SUBMITTER_QUERY_SERVER_H_
#define PODFERRY_SUBMITTER_QUERY_SERVER_H_

#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "core/nats/bus.h"
#include "core/wire/messages.h"
#include "core/wire/subjects.h"
#include "submitter/plugin_listener.h"
#include "submitter/records.h"
#include "submitter/status_feed.h"

namespace podferry {

class QueryServer {
 public:
  // `synced` is called when a plugin asks for the first page of a snapshot: it may be new.
  QueryServer(std::string pool, const Records& records, const StatusFeed& feed, Bus& bus,
              absl::AnyInvocable<void()> synced);

  absl::Status Listen(const wire::Subjects& subjects);
  void StopListening() { listener_.Stop(); }

 private:
  void HandleStatus(const BusMessage& message, const StatusRequest& request);
  void HandleSync(const BusMessage& message, const SyncRequest& request);

  const std::string pool_;
  const Records& records_;
  const StatusFeed& feed_;
  Bus& bus_;
  absl::AnyInvocable<void()> synced_;
  PluginListener listener_;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_QUERY_SERVER_H_
