// Structs <-> Protobuf, one pair of functions per message. Only for .cc files of this folder: the
// generated headers are heavy. ToProto expects an empty message. FromProto takes what it can move,
// and notes what breaks a rule.

#ifndef PODFERRY_CORE_WIRE_CONVERT_H_
#define PODFERRY_CORE_WIRE_CONVERT_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "core/wire/convert_values.h"
#include "core/wire/field_check.h"
#include "core/wire/messages.h"
#include "proto/job.pb.h"
#include "proto/log.pb.h"
#include "proto/pool.pb.h"

namespace podferry::wire {

// convert_job.cc
void ToProto(const JobKey& from, v1::JobKey& to);
void ToProto(const PluginStamp& from, v1::PluginStamp& to);
void ToProto(const SubmitterStamp& from, v1::SubmitterStamp& to);
void ToProto(const ContainerSummary& from, v1::ContainerSummary& to);
void ToProto(const JobDescription& from, v1::JobDescription& to);
void ToProto(const JobBundle& from, v1::JobBundle& to);
void ToProto(const ContainerState& from, v1::ContainerState& to);
void ToProto(const ContainerStatus& from, v1::ContainerStatus& to);
void ToProto(const JobStatus& from, v1::JobStatus& to);
void FromProto(v1::JobKey& from, JobKey& to, FieldCheck& check);
void FromProto(v1::PluginStamp& from, PluginStamp& to, FieldCheck& check);
void FromProto(v1::SubmitterStamp& from, SubmitterStamp& to, FieldCheck& check);
void FromProto(v1::ContainerSummary& from, ContainerSummary& to, FieldCheck& check);
void FromProto(v1::JobDescription& from, JobDescription& to, FieldCheck& check);
void FromProto(v1::JobBundle& from, JobBundle& to, FieldCheck& check);
void FromProto(v1::ContainerState& from, ContainerState& to, FieldCheck& check);
void FromProto(v1::ContainerStatus& from, ContainerStatus& to, FieldCheck& check);
void FromProto(v1::JobStatus& from, JobStatus& to, FieldCheck& check);

// convert_dispatch.cc
void ToProto(const Offer& from, v1::Offer& to);
void ToProto(const OfferReply& from, v1::OfferReply& to);
void ToProto(const Start& from, v1::Start& to);
void ToProto(const StartReply& from, v1::StartReply& to);
void ToProto(const Release& from, v1::Release& to);
void ToProto(const ReleaseReply& from, v1::ReleaseReply& to);
void ToProto(const Delete& from, v1::Delete& to);
void ToProto(const DeleteReply& from, v1::DeleteReply& to);
void ToProto(const BundleRequest& from, v1::BundleRequest& to);
void ToProto(const BundleReply& from, v1::BundleReply& to);
void FromProto(v1::Offer& from, Offer& to, FieldCheck& check);
void FromProto(v1::OfferReply& from, OfferReply& to, FieldCheck& check);
void FromProto(v1::Start& from, Start& to, FieldCheck& check);
void FromProto(v1::StartReply& from, StartReply& to, FieldCheck& check);
void FromProto(v1::Release& from, Release& to, FieldCheck& check);
void FromProto(v1::ReleaseReply& from, ReleaseReply& to, FieldCheck& check);
void FromProto(v1::Delete& from, Delete& to, FieldCheck& check);
void FromProto(v1::DeleteReply& from, DeleteReply& to, FieldCheck& check);
void FromProto(v1::BundleRequest& from, BundleRequest& to, FieldCheck& check);
void FromProto(v1::BundleReply& from, BundleReply& to, FieldCheck& check);

// convert_query.cc
void ToProto(const StatusRequest& from, v1::StatusRequest& to);
void ToProto(const TimelineEntry& from, v1::TimelineEntry& to);
void ToProto(const StatusReply& from, v1::StatusReply& to);
void ToProto(const Find& from, v1::Find& to);
void ToProto(const FindReply& from, v1::FindReply& to);
void ToProto(const LogRequest& from, v1::LogRequest& to);
void ToProto(const LogMark& from, v1::LogMark& to);
void ToProto(const LogReply& from, v1::LogReply& to);
void FromProto(v1::StatusRequest& from, StatusRequest& to, FieldCheck& check);
void FromProto(v1::TimelineEntry& from, TimelineEntry& to, FieldCheck& check);
void FromProto(v1::StatusReply& from, StatusReply& to, FieldCheck& check);
void FromProto(v1::Find& from, Find& to, FieldCheck& check);
void FromProto(v1::FindReply& from, FindReply& to, FieldCheck& check);
void FromProto(v1::LogRequest& from, LogRequest& to, FieldCheck& check);
void FromProto(v1::LogMark& from, LogMark& to, FieldCheck& check);
void FromProto(v1::LogReply& from, LogReply& to, FieldCheck& check);

// convert_pool.cc
void ToProto(const StatusDelta& from, v1::StatusDelta& to);
void ToProto(const EventBatch& from, v1::EventBatch& to);
void ToProto(const SyncRequest& from, v1::SyncRequest& to);
void ToProto(const SyncReply& from, v1::SyncReply& to);
void ToProto(const ConfigAnnouncement& from, v1::ConfigAnnouncement& to);
void ToProto(const ResourceReport& from, v1::ResourceReport& to);
void ToProto(const Shutdown& from, v1::Shutdown& to);
void ToProto(const ShutdownReply& from, v1::ShutdownReply& to);
void FromProto(v1::StatusDelta& from, StatusDelta& to, FieldCheck& check);
void FromProto(v1::EventBatch& from, EventBatch& to, FieldCheck& check);
void FromProto(v1::SyncRequest& from, SyncRequest& to, FieldCheck& check);
void FromProto(v1::SyncReply& from, SyncReply& to, FieldCheck& check);
void FromProto(v1::ConfigAnnouncement& from, ConfigAnnouncement& to, FieldCheck& check);
void FromProto(v1::ResourceReport& from, ResourceReport& to, FieldCheck& check);
void FromProto(v1::Shutdown& from, Shutdown& to, FieldCheck& check);
void FromProto(v1::ShutdownReply& from, ShutdownReply& to, FieldCheck& check);

// A message inside another.
template <typename Proto, typename Struct>
void Inner(Proto* from, Struct& to, absl::string_view field, FieldCheck& check) {
  const FieldCheck::Scope scope(check, field);
  FromProto(*from, to, check);
}

template <typename Proto, typename Struct>
void InnerAll(google::protobuf::RepeatedPtrField<Proto>* from, std::vector<Struct>& to,
              absl::string_view field, FieldCheck& check) {
  to.resize(from->size());
  for (int i = 0; i < from->size(); ++i) {
    const FieldCheck::Scope scope(check, field, i);
    FromProto((*from)[i], to[i], check);
  }
}

template <typename Struct, typename Proto>
void PutAll(const std::vector<Struct>& from, google::protobuf::RepeatedPtrField<Proto>* to) {
  to->Reserve(static_cast<int>(from.size()));
  for (const Struct& element : from) ToProto(element, *to->Add());
}

}  // namespace podferry::wire

#endif  // PODFERRY_CORE_WIRE_CONVERT_H_
