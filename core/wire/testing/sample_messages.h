// One realistic value of each message, with every field set: what proto/frozen holds.

#ifndef PODFERRY_CORE_WIRE_TESTING_SAMPLE_MESSAGES_H_
#define PODFERRY_CORE_WIRE_TESTING_SAMPLE_MESSAGES_H_

#include "core/wire/messages.h"

namespace podferry {

// Every message as f(name, value).
template <typename F>
void ForEachSample(F&& f);

template <typename Message>
Message Sample();

template <>
JobDescription Sample();
template <>
JobBundle Sample();
template <>
JobStatus Sample();
template <>
Offer Sample();
template <>
OfferReply Sample();
template <>
Start Sample();
template <>
StartReply Sample();
template <>
Release Sample();
template <>
ReleaseReply Sample();
template <>
StatusRequest Sample();
template <>
StatusReply Sample();
template <>
Delete Sample();
template <>
DeleteReply Sample();
template <>
LogRequest Sample();
template <>
LogReply Sample();
template <>
BundleRequest Sample();
template <>
BundleReply Sample();
template <>
Find Sample();
template <>
FindReply Sample();
template <>
EventBatch Sample();
template <>
SyncRequest Sample();
template <>
SyncReply Sample();
template <>
ConfigAnnouncement Sample();
template <>
ResourceReport Sample();
template <>
Shutdown Sample();
template <>
ShutdownReply Sample();

template <typename F>
void ForEachSample(F&& f) {
  f("JobDescription", Sample<JobDescription>());
  f("JobBundle", Sample<JobBundle>());
  f("JobStatus", Sample<JobStatus>());
  f("Offer", Sample<Offer>());
  f("OfferReply", Sample<OfferReply>());
  f("Start", Sample<Start>());
  f("StartReply", Sample<StartReply>());
  f("Release", Sample<Release>());
  f("ReleaseReply", Sample<ReleaseReply>());
  f("StatusRequest", Sample<StatusRequest>());
  f("StatusReply", Sample<StatusReply>());
  f("Delete", Sample<Delete>());
  f("DeleteReply", Sample<DeleteReply>());
  f("LogRequest", Sample<LogRequest>());
  f("LogReply", Sample<LogReply>());
  f("BundleRequest", Sample<BundleRequest>());
  f("BundleReply", Sample<BundleReply>());
  f("Find", Sample<Find>());
  f("FindReply", Sample<FindReply>());
  f("EventBatch", Sample<EventBatch>());
  f("SyncRequest", Sample<SyncRequest>());
  f("SyncReply", Sample<SyncReply>());
  f("ConfigAnnouncement", Sample<ConfigAnnouncement>());
  f("ResourceReport", Sample<ResourceReport>());
  f("Shutdown", Sample<Shutdown>());
  f("ShutdownReply", Sample<ShutdownReply>());
}

}  // namespace podferry

#endif  // PODFERRY_CORE_WIRE_TESTING_SAMPLE_MESSAGES_H_
