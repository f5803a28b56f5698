#include "submitter/query_server.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/base/status_macros.h"
#include "submitter/snapshot.h"

namespace podferry {
namespace {

constexpr size_t kPageBytes = 256 * 1024;

}  // namespace

QueryServer::QueryServer(std::string pool, const Records& records, const StatusFeed& feed, Bus& bus,
                         absl::AnyInvocable<void()> synced)
    : pool_(std::move(pool)),
      records_(records),
      feed_(feed),
      bus_(bus),
      synced_(std::move(synced)),
      listener_(bus) {}

absl::Status QueryServer::Listen(const wire::Subjects& subjects) {
  PODFERRY_RETURN_IF_ERROR(
      listener_.On<StatusRequest>(subjects.AllJobs(pool_, records_.self().id, "status"), "",
                                  [this](const BusMessage& message, const StatusRequest& request) {
                                    HandleStatus(message, request);
                                  }));
  return listener_.On<SyncRequest>(subjects.Sync(pool_), "",
                                   [this](const BusMessage& message, const SyncRequest& request) {
                                     HandleSync(message, request);
                                   });
}

void QueryServer::HandleStatus(const BusMessage& message, const StatusRequest& request) {
  StatusReply reply{.by = records_.self()};
  reply.status.key = request.key;
  if (const JobRecord* record = records_.Find(request.key)) {
    reply.known = record->state.HasStarted() && !record->state.tombstone;
    if (record->status.phase != JobPhase::kUnspecified) reply.status = record->status;
    reply.timeline = record->timeline;
  }
  listener_.Respond(message, reply);
}

void QueryServer::HandleSync(const BusMessage& message, const SyncRequest& request) {
  if (!request.only.empty() && request.only != records_.self().id) return;
  if (request.page_token.empty()) synced_();
  // What has changed but is not numbered yet is in the page already; its delta only repeats it.
  const size_t room = std::min<size_t>(kPageBytes, static_cast<size_t>(bus_.MaxPayload()) / 2);
  listener_.Respond(message, SnapshotPage(records_, request, feed_.last_number(), room));
}

}  // namespace podferry
