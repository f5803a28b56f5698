#include "submitter/log_server.h"

#include <glog/logging.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/wire/codec.h"

namespace podferry {
namespace {

constexpr int64_t kEnvelope = 8192;  // what an answer is beside the bytes
// A hint of a change can be missed (NFS, a folder that is not there yet): look this often.
constexpr absl::Duration kLookAgain = absl::Seconds(1);
constexpr int32_t kPrevious = -2;

std::optional<int> IndexOf(const JobRecord& record, const std::string& container) {
  const auto& containers = record.status.containers;
  for (size_t i = 0; i < containers.size(); ++i) {
    if (containers[i].name == container) return static_cast<int>(i);
  }
  return std::nullopt;
}

// Why there is nothing to read, as the container's state tells it.
std::string WhyNoLog(const JobRecord& record, int index) {
  const ContainerStatus& container = record.status.containers[static_cast<size_t>(index)];
  std::string reason = container.state.reason;
  const std::string& words =
      container.state.message.empty() ? record.status.message : container.state.message;
  if (!words.empty()) absl::StrAppend(&reason, reason.empty() ? "" : ": ", words);
  const bool over = container.state.kind == ContainerState::Kind::kTerminated;
  return absl::StrCat("container \"", container.name, "\" ",
                      over ? "has written nothing" : "has not started yet",
                      reason.empty() ? "" : ": ", reason);
}

}  // namespace

struct LogServer::Reading {
  BusMessage message;
  LogRequest request;
  LogReply reply;
  int index = 0;
  absl::Duration deadline;
  std::unique_ptr<LogSource> source;
  bool reading = false;
  bool changed = false;  // while it was reading
  Subscription change;
  Timer timer;
};

LogServer::LogServer(std::string pool, const wire::Subjects& subjects, const Records& records,
                     Backend& backend, Bus& bus, const Clock& clock, EventLoop& loop,
                     SubmitterMetrics& metrics)
    : pool_(std::move(pool)),
      subjects_(subjects),
      records_(records),
      backend_(backend),
      bus_(bus),
      clock_(clock),
      loop_(loop),
      metrics_(metrics) {}

LogServer::~LogServer() = default;

absl::Status LogServer::Listen() {
  PODFERRY_ASSIGN_OR_RETURN(
      subscription_,
      bus_.Subscribe(
          subjects_.AllJobs(pool_, records_.self().id, "logs"), "", [this](BusMessage message) {
            absl::StatusOr<LogRequest> request = wire::Decode<LogRequest>(message.payload);
            if (!request.ok()) {
              LOG(WARNING) << message.subject << ": cannot be read: " << request.status();
            } else if (request->key.origin == request->from.origin) {
              Handle(std::move(message), *std::move(request));
            }
          }));
  return absl::OkStatus();
}

void LogServer::Handle(BusMessage message, LogRequest request) {
  const uint64_t id = ++last_reading_;
  auto reading = std::make_unique<Reading>();
  reading->message = std::move(message);
  reading->reply.by = records_.self();
  reading->deadline =
      clock_.Monotonic() + std::clamp(request.wait, absl::ZeroDuration(), kMaxLogWait);
  reading->request = std::move(request);
  readings_[id] = std::move(reading);
  Open(id);
}

void LogServer::Open(uint64_t id) {
  Reading& reading = *readings_.at(id);
  const JobRecord* record = records_.Find(reading.request.key);
  if (record == nullptr || !record->state.HasStarted() || record->state.tombstone) {
    reading.reply.known = false;
    reading.reply.message = record != nullptr && record->state.tombstone
                                ? "the job was deleted"
                                : "the submitter does not have this job";
    return Answer(id);
  }
  const std::optional<int> index = IndexOf(*record, reading.request.container);
  if (!index.has_value()) {
    reading.reply.known = false;
    reading.reply.message =
        absl::StrCat("the job has no container \"", reading.request.container, "\"");
    return Answer(id);
  }
  reading.reply.known = true;
  reading.index = *index;
  reading.reading = true;
  backend_.OpenLog({.key = reading.request.key,
                    .container_index = *index,
                    .container = reading.request.container,
                    .attempt = reading.request.attempt},
                   lifetime_.Bind([this, id](absl::StatusOr<std::unique_ptr<LogSource>> source) {
                     OnOpened(id, std::move(source));
                   }));
}

void LogServer::OnOpened(uint64_t id, absl::StatusOr<std::unique_ptr<LogSource>> source) {
  const auto found = readings_.find(id);
  if (found == readings_.end()) return;
  Reading& reading = *found->second;
  reading.reading = false;
  if (source.ok()) {
    reading.source = *std::move(source);
    reading.change = reading.source->OnChange(lifetime_.Bind([this, id] { Read(id); }));
    return Read(id);
  }
  if (!absl::IsNotFound(source.status()) || reading.request.attempt == kPrevious) {
    reading.reply.known = !absl::IsNotFound(source.status());
    reading.reply.message = std::string(source.status().message());
    return Answer(id);
  }
  WaitOrAnswer(id);
}

void LogServer::Read(uint64_t id) {
  const auto found = readings_.find(id);
  if (found == readings_.end()) return;
  Reading& reading = *found->second;
  if (reading.source == nullptr) return Open(id);
  if (std::exchange(reading.reading, true)) {
    reading.changed = true;
    return;
  }
  reading.changed = false;
  const LogRequest& request = reading.request;
  const int64_t room = std::max<int64_t>(1024, bus_.MaxPayload() - kEnvelope);
  const int64_t wanted = request.max_bytes > 0 ? request.max_bytes : kMaxLogBytes;
  reading.source->Read({.offset = std::max<int64_t>(0, request.offset),
                        .tail_lines = request.tail_lines,
                        .since = request.since,
                        .max_bytes = std::min({wanted, kMaxLogBytes, room})},
                       lifetime_.Bind([this, id](absl::StatusOr<LogPiece> piece) {
                         OnPiece(id, std::move(piece));
                       }));
}

void LogServer::OnPiece(uint64_t id, absl::StatusOr<LogPiece> piece) {
  const auto found = readings_.find(id);
  if (found == readings_.end()) return;
  Reading& reading = *found->second;
  reading.reading = false;
  if (!piece.ok()) {
    reading.reply.message = std::string(piece.status().message());
    return Answer(id);
  }
  LogReply& reply = reading.reply;
  reply.attempt = piece->attempt;
  reply.offset = piece->offset;
  reply.bytes = std::move(piece->bytes);
  reply.next_offset = piece->next_offset;
  reply.end = piece->end;
  reply.marks = std::move(piece->marks);
  if (!reply.bytes.empty() || reply.end) return Answer(id);
  // From here on it is only asked for what comes: where it begins is decided.
  if (piece->exists) {
    reading.request.offset = reply.next_offset;
    reading.request.tail_lines = -1;
    reading.request.since = absl::InfinitePast();
  }
  if (reading.changed) return Read(id);
  WaitOrAnswer(id);
}

void LogServer::WaitOrAnswer(uint64_t id) {
  Reading& reading = *readings_.at(id);
  const JobRecord* record = records_.Find(reading.request.key);
  const bool over = record == nullptr || record->state.tombstone || IsFinal(record->status.phase);
  const absl::Duration left = reading.deadline - clock_.Monotonic();
  if (left <= absl::ZeroDuration() || (over && reading.source == nullptr)) return Answer(id);
  reading.timer = loop_.RunAfter(std::min(left, kLookAgain), [this, id] { Read(id); });
}

void LogServer::Answer(uint64_t id) {
  const std::unique_ptr<Reading> reading = std::move(readings_.at(id));
  readings_.erase(id);
  LogReply& reply = reading->reply;
  const JobRecord* record = records_.Find(reading->request.key);
  if (reply.known && reply.bytes.empty() && reply.message.empty() && record != nullptr &&
      static_cast<size_t>(reading->index) < record->status.containers.size() &&
      (reading->source == nullptr || reply.next_offset == 0)) {
    reply.message = WhyNoLog(*record, reading->index);
    // Nothing of it is there, and nothing ever will be: it failed before it had a log.
    if (reading->source == nullptr && IsFinal(record->status.phase)) reply.end = true;
  }
  metrics_.log_bytes.Increment(static_cast<double>(reply.bytes.size()));
  if (reading->message.reply_to.empty()) return;
  const absl::Status sent = bus_.Respond(reading->message, wire::Encode(reply));
  if (!sent.ok()) VLOG(1) << reading->message.subject << ": the answer is lost: " << sent;
}

}  // namespace podferry
