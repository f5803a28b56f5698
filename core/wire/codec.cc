#include "core/wire/codec.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/wire/convert.h"
#include "core/wire/envelope.h"
#include "proto/envelope.pb.h"

namespace podferry::wire {
namespace {

// The Protobuf message and the kind that belong to a struct.
template <typename Message>
struct Wire;

// The same struct gives the same bytes: maps are written sorted.
std::string Serialize(const google::protobuf::Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&out);
  out.Trim();
  return bytes;
}

}  // namespace

template <typename Message>
std::string Encode(const Message& message) {
  typename Wire<Message>::Proto proto;
  ToProto(message, proto);
  return SealEnvelope(Wire<Message>::kKind, Serialize(proto));
}

template <typename Message>
absl::StatusOr<Message> Decode(absl::string_view bytes) {
  PODFERRY_ASSIGN_OR_RETURN(const OpenedBody body,
                            OpenEnvelope(Wire<Message>::kKind, Wire<Message>::kLimit, bytes));
  typename Wire<Message>::Proto proto;
  if (!proto.ParseFromArray(body.view().data(), static_cast<int>(body.view().size()))) {
    return absl::InvalidArgumentError(
        absl::StrCat("the body is no ", proto.GetDescriptor()->full_name()));
  }
  Message message;
  FieldCheck check;
  FromProto(proto, message, check);
  if (!check.issues().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(proto.GetDescriptor()->name(), ": ", check.issues().ToString()));
  }
  return message;
}

#define PODFERRY_WIRE_MESSAGE(Name, KIND, LIMIT)          \
  namespace {                                             \
  template <>                                             \
  struct Wire<Name> {                                     \
    using Proto = v1::Name;                               \
    static constexpr int kKind = v1::MESSAGE_KIND_##KIND; \
    static constexpr uint64_t kLimit = LIMIT;             \
  };                                                      \
  }                                                       \
  template std::string Encode<Name>(const Name& message); \
  template absl::StatusOr<Name> Decode<Name>(absl::string_view bytes);

PODFERRY_WIRE_MESSAGE(Offer, OFFER, kMaxBody)
PODFERRY_WIRE_MESSAGE(OfferReply, OFFER_REPLY, kMaxSmallBody)
PODFERRY_WIRE_MESSAGE(Start, START, kMaxSmallBody)
PODFERRY_WIRE_MESSAGE(StartReply, START_REPLY, kMaxSmallBody)
PODFERRY_WIRE_MESSAGE(Release, RELEASE, kMaxSmallBody)
PODFERRY_WIRE_MESSAGE(ReleaseReply, RELEASE_REPLY, kMaxSmallBody)
PODFERRY_WIRE_MESSAGE(StatusRequest, STATUS_REQUEST, kMaxSmallBody)
PODFERRY_WIRE_MESSAGE(StatusReply, STATUS_REPLY, kMaxSmallBody)
PODFERRY_WIRE_MESSAGE(Delete, DELETE, kMaxSmallBody)
PODFERRY_WIRE_MESSAGE(DeleteReply, DELETE_REPLY, kMaxSmallBody)
PODFERRY_WIRE_MESSAGE(LogRequest, LOG_REQUEST, kMaxSmallBody)
PODFERRY_WIRE_MESSAGE(LogReply, LOG_REPLY, kMaxSmallBody)
PODFERRY_WIRE_MESSAGE(BundleRequest, BUNDLE_REQUEST, kMaxSmallBody)
PODFERRY_WIRE_MESSAGE(BundleReply, BUNDLE_REPLY, kMaxBody)
PODFERRY_WIRE_MESSAGE(Find, FIND, kMaxSmallBody)
PODFERRY_WIRE_MESSAGE(FindReply, FIND_REPLY, kMaxSmallBody)
PODFERRY_WIRE_MESSAGE(EventBatch, EVENT_BATCH, kMaxSmallBody)
PODFERRY_WIRE_MESSAGE(SyncRequest, SYNC_REQUEST, kMaxSmallBody)
PODFERRY_WIRE_MESSAGE(SyncReply, SYNC_REPLY, kMaxSmallBody)
PODFERRY_WIRE_MESSAGE(ConfigAnnouncement, CONFIG_ANNOUNCEMENT, kMaxSmallBody)
PODFERRY_WIRE_MESSAGE(ResourceReport, RESOURCE_REPORT, kMaxSmallBody)
PODFERRY_WIRE_MESSAGE(Shutdown, SHUTDOWN, kMaxSmallBody)
PODFERRY_WIRE_MESSAGE(ShutdownReply, SHUTDOWN_REPLY, kMaxSmallBody)
PODFERRY_WIRE_MESSAGE(JobDescription, JOB_DESCRIPTION, kMaxSmallBody)
PODFERRY_WIRE_MESSAGE(JobBundle, JOB_BUNDLE, kMaxBody)
PODFERRY_WIRE_MESSAGE(JobStatus, JOB_STATUS, kMaxSmallBody)

#undef PODFERRY_WIRE_MESSAGE

}  // namespace podferry::wire
