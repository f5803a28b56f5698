#include "plugin/testing/model_submitter.h"

#include <algorithm>
#include <utility>

#include "core/wire/codec.h"
#include "glog/logging.h"

namespace podferry {
namespace {

constexpr absl::Duration kAnnounceEvery = absl::Seconds(10);
// As in the model: what is submitted a second time is caught by the fence.
constexpr int kMaxSubmissions = 2;

}  // namespace

ModelSubmitter::ModelSubmitter(EventLoop& loop, const Clock& clock, std::unique_ptr<Bus> bus,
                               Disk& disk, Backend& backend, BodyCounter& counter, std::string pool)
    : loop_(loop),
      clock_(clock),
      bus_(std::move(bus)),
      disk_(disk),
      backend_(backend),
      counter_(counter),
      pool_(std::move(pool)) {
  ++disk_.epoch;
  Serve<Offer, OfferReply>(subjects_.AllCreates(pool_), pool_, &ModelSubmitter::OnOffer);
  const auto verb = [&](const char* name) { return subjects_.AllJobs(pool_, disk_.id, name); };
  Serve<Start, StartReply>(verb("start"), "", &ModelSubmitter::OnStart);
  Serve<Release, ReleaseReply>(verb("release"), "", &ModelSubmitter::OnRelease);
  Serve<Delete, DeleteReply>(verb("delete"), "", &ModelSubmitter::OnDelete);
  Serve<StatusRequest, StatusReply>(verb("status"), "", &ModelSubmitter::OnStatusRequest);
  Serve<LogRequest, LogReply>(verb("logs"), "", &ModelSubmitter::OnLogs);
  Serve<Find, FindReply>(subjects_.AllFinds(pool_), "", &ModelSubmitter::OnFind);
  subscriptions_.push_back(
      *bus_->Subscribe(subjects_.Sync(pool_), "", [this](BusMessage message) { OnSync(message); }));
  connection_ = bus_->WatchConnection([this](bool connected) {
    if (connected) Announce();
  });
  Tick();
}

template <typename Message, typename Reply>
void ModelSubmitter::Serve(const std::string& subject, const std::string& group,
                           Reply (ModelSubmitter::*answer)(const Message&)) {
  auto subscription = bus_->Subscribe(subject, group, [this, answer](BusMessage message) {
    absl::StatusOr<Message> decoded = wire::Decode<Message>(message.payload);
    CHECK(decoded.ok()) << decoded.status();
    const Reply reply = (this->*answer)(*decoded);
    bus_->Respond(message, wire::Encode(reply)).IgnoreError();
  });
  CHECK(subscription.ok()) << subscription.status();
  subscriptions_.push_back(*std::move(subscription));
}

void ModelSubmitter::Tick() {
  Announce();
  timer_ = loop_.RunAfter(kAnnounceEvery, [this] { Tick(); });
}

void ModelSubmitter::Announce() { SayFarewell(Farewell::kUnspecified); }

void ModelSubmitter::SayFarewell(Farewell farewell) {
  if (farewell == Farewell::kUnspecified) {
    ConfigAnnouncement config;
    config.by = stamp();
    config.number = ++report_number_;
    config.time = clock_.Now();
    config.build_config = "[runtime]\nkind = \"host\"\n";
    bus_->Publish(subjects_.Config(pool_), wire::Encode(config)).IgnoreError();
  }
  ResourceReport report;
  report.by = stamp();
  report.pool = pool_;
  report.backend = "model";
  report.backend_id = backend_.id;
  report.number = ++report_number_;
  report.time = clock_.Now();
  report.capacity = {{"cpu", "4"}, {"memory", "8Gi"}, {"pods", "10"}};
  report.last_event_number = event_number_;
  report.farewell = farewell;
  bus_->Publish(subjects_.Resources(pool_), wire::Encode(report)).IgnoreError();
}

bool ModelSubmitter::Stale(const PluginStamp& from) {
  uint64_t& highest = disk_.plugin_epochs[from.origin];
  highest = std::max(highest, from.epoch);
  return from.epoch < highest;
}

OfferReply ModelSubmitter::OnOffer(const Offer& offer) {
  OfferReply reply;
  reply.by = stamp();
  reply.round = offer.round;
  if (Stale(offer.from)) {
    reply.refusal = Refusal::kStaleEpoch;
    return reply;
  }
  JobOnDisk& job = disk_.jobs[offer.job.key.uid];
  job.job = offer.job;
  reply.refused_up_to = job.refused;
  if (offer_refusal_ != Refusal::kUnspecified) {
    reply.refusal = offer_refusal_;
  } else if (job.tombstone) {
    reply.refusal = Refusal::kTombstone;
  } else if (offer.round <= job.refused || job.started != 0 || offer.round < job.reserved) {
    reply.refusal = Refusal::kStaleRound;
  } else {
    job.reserved = offer.round;
    reply.reserved = true;
  }
  return reply;
}

StartReply ModelSubmitter::OnStart(const Start& start) {
  StartReply reply;
  reply.by = stamp();
  reply.round = start.round;
  if (Stale(start.from)) {
    reply.refusal = Refusal::kStaleEpoch;
    return reply;
  }
  JobOnDisk& job = disk_.jobs[start.key.uid];
  job.job.key = start.key;
  if (job.started == start.round && !job.tombstone) {
    reply.started = true;
  } else if (job.reserved == start.round && job.started == 0 && !job.tombstone &&
             start_refusal_ == Refusal::kUnspecified) {
    job.started = start.round;
    reply.started = true;
    SubmitAgain(start.key.uid);
  } else {
    job.refused = std::max(job.refused, start.round);
    if (job.reserved <= job.refused) job.reserved = 0;
    reply.refusal = job.tombstone                             ? Refusal::kTombstone
                    : start_refusal_ != Refusal::kUnspecified ? start_refusal_
                                                              : Refusal::kNotReserved;
    reply.refused_up_to = job.refused;
  }
  reply.status = StatusOf(start.key.uid);
  return reply;
}

ReleaseReply ModelSubmitter::OnRelease(const Release& release) {
  ReleaseReply reply;
  reply.by = stamp();
  JobOnDisk& job = disk_.jobs[release.key.uid];
  job.job.key = release.key;
  if (job.started == 0) {
    job.refused = std::max(job.refused, release.round);
    if (job.reserved <= job.refused) job.reserved = 0;
    reply.released = true;
  }
  reply.refused_up_to = job.refused;
  return reply;
}

void ModelSubmitter::Kill(const std::string& uid) {
  JobOnDisk& job = disk_.jobs[uid];
  job.tombstone = true;
  BackendJob& backend = backend_.jobs[uid];
  backend.fence = true;
  backend.running = false;
}

DeleteReply ModelSubmitter::OnDelete(const Delete& message) {
  DeleteReply reply;
  reply.by = stamp();
  if (Stale(message.from)) {
    reply.refusal = Refusal::kStaleEpoch;
    return reply;
  }
  Kill(message.key.uid);
  reply.confirmed = true;
  return reply;
}

StatusReply ModelSubmitter::OnStatusRequest(const StatusRequest& request) {
  StatusReply reply;
  reply.by = stamp();
  auto it = disk_.jobs.find(request.key.uid);
  reply.known = it != disk_.jobs.end() && it->second.started != 0;
  if (reply.known) {
    reply.status = StatusOf(request.key.uid);
    reply.timeline = {{clock_.Now(), "asked for"}};
  }
  return reply;
}

FindReply ModelSubmitter::OnFind(const Find& find) {
  FindReply reply;
  reply.by = stamp();
  reply.backend_id = backend_.id;
  auto it = disk_.jobs.find(find.key.uid);
  reply.known = it != disk_.jobs.end() && it->second.started != 0;
  if (find.forget) {
    Kill(find.key.uid);
    reply.forgotten = true;
  }
  if (reply.known) reply.status = StatusOf(find.key.uid);
  return reply;
}

LogReply ModelSubmitter::OnLogs(const LogRequest& request) {
  log_requests.push_back(request);
  LogReply reply;
  reply.by = stamp();
  reply.known = true;
  reply.offset = request.offset;
  const size_t from = std::min(log.size(), static_cast<size_t>(request.offset));
  reply.bytes = log.substr(from, static_cast<size_t>(request.max_bytes));
  reply.next_offset = static_cast<int64_t>(from + reply.bytes.size());
  reply.end = log_ended && reply.next_offset == static_cast<int64_t>(log.size());
  return reply;
}

void ModelSubmitter::OnSync(const BusMessage& message) {
  absl::StatusOr<SyncRequest> request = wire::Decode<SyncRequest>(message.payload);
  CHECK(request.ok());
  if (!request->only.empty() && request->only != disk_.id) return;
  SyncReply reply;
  reply.by = stamp();
  reply.last_number = event_number_;
  // Two to a page, so that tests see pages.
  auto it = request->page_token.empty() ? disk_.jobs.begin()
                                        : disk_.jobs.upper_bound(request->page_token);
  for (; it != disk_.jobs.end() && reply.statuses.size() < 2; ++it) {
    if (it->second.started == 0 || it->second.job.key.origin != request->from.origin) continue;
    if (it->second.tombstone) continue;
    reply.statuses.push_back(StatusOf(it->first));
    reply.jobs.push_back(it->second.job);
  }
  if (it != disk_.jobs.end()) reply.next_page_token = reply.jobs.back().key.uid;
  bus_->Respond(message, wire::Encode(reply)).IgnoreError();
  if (request->page_token.empty()) Announce();
}

JobStatus ModelSubmitter::StatusOf(const std::string& uid) const {
  const JobOnDisk& job = disk_.jobs.at(uid);
  JobStatus status;
  status.key = job.job.key;
  status.phase = job.phase;
  status.changed_at = clock_.Now();
  for (const ContainerSummary& summary : job.job.containers) {
    ContainerStatus container;
    container.name = summary.name;
    container.init = summary.init;
    container.state.kind = job.phase == JobPhase::kSubmitted ? ContainerState::Kind::kWaiting
                           : job.phase == JobPhase::kRunning ? ContainerState::Kind::kRunning
                                                             : ContainerState::Kind::kTerminated;
    if (job.phase != JobPhase::kSubmitted) container.state.started_at = clock_.Now();
    status.containers.push_back(container);
  }
  return status;
}

void ModelSubmitter::Publish(const std::string& uid) {
  EventBatch batch;
  batch.by = stamp();
  batch.deltas = {{++event_number_, StatusOf(uid)}};
  bus_->Publish(subjects_.Events(pool_), wire::Encode(batch)).IgnoreError();
}

std::vector<std::string> ModelSubmitter::jobs() const {
  std::vector<std::string> uids;
  for (const auto& [uid, job] : disk_.jobs) uids.push_back(uid);
  return uids;
}

void ModelSubmitter::SubmitAgain(const std::string& uid) {
  const JobOnDisk& job = disk_.jobs[uid];
  BackendJob& backend = backend_.jobs[uid];
  if (job.started == 0 || job.tombstone || backend.submissions >= kMaxSubmissions) return;
  ++backend.submissions;
  ++backend.pending;
}

void ModelSubmitter::BackendBegins(const std::string& uid) {
  BackendJob& backend = backend_.jobs[uid];
  if (backend.pending == 0) return;
  --backend.pending;
  if (backend.fence) return;  // a second start, or one after the delete, leaves at once
  backend.fence = true;
  backend.running = true;
  ++counter_.bodies[uid];
  JobOnDisk& job = disk_.jobs[uid];
  if (job.tombstone) return;
  job.phase = JobPhase::kRunning;
  Publish(uid);
}

void ModelSubmitter::BackendEnds(const std::string& uid) {
  BackendJob& backend = backend_.jobs[uid];
  if (!backend.running) return;
  backend.running = false;
  backend.ended = true;
  disk_.jobs[uid].phase = JobPhase::kSucceeded;
  Publish(uid);
}

void ModelSubmitter::Lapse(const std::string& uid) {
  JobOnDisk& job = disk_.jobs[uid];
  if (job.reserved == 0 || job.started != 0) return;
  job.refused = std::max(job.refused, job.reserved);
  job.reserved = 0;
}

void ModelSubmitter::RunEverything() {
  for (const std::string& uid : jobs()) {
    if (backend_.jobs[uid].submissions == 0) SubmitAgain(uid);
    BackendBegins(uid);
    BackendEnds(uid);
  }
}

}  // namespace podferry
