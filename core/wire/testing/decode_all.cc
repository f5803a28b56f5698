#include "core/wire/testing/decode_all.h"

#include <cstdlib>
#include <string>

#include "core/wire/codec.h"

namespace podferry::wire {
namespace {

template <typename Message>
int Try(absl::string_view bytes) {
  const absl::StatusOr<Message> message = Decode<Message>(bytes);
  if (!message.ok()) return 0;
  const absl::StatusOr<Message> again = Decode<Message>(Encode(*message));
  if (!again.ok() || !(*again == *message)) std::abort();
  return 1;
}

template <typename... Messages>
int TryEach(absl::string_view bytes) {
  return (Try<Messages>(bytes) + ...);
}

}  // namespace

int DecodeAll(absl::string_view bytes) {
  return TryEach<Offer, OfferReply, Start, StartReply, Release, ReleaseReply, StatusRequest,
                 StatusReply, Delete, DeleteReply, LogRequest, LogReply, BundleRequest, BundleReply,
                 Find, FindReply, EventBatch, SyncRequest, SyncReply, ConfigAnnouncement,
                 ResourceReport, Shutdown, ShutdownReply, JobDescription, JobBundle, JobStatus>(
      bytes);
}

}  // namespace podferry::wire
