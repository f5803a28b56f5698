#include "plugin/log_relay.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/wire/codec.h"

namespace podferry {
namespace {

constexpr absl::Duration kLongPoll = absl::Seconds(20);
constexpr absl::Duration kAnswerTimeout = absl::Seconds(5);  // beyond the wait that was asked for
constexpr absl::Duration kPause = absl::Seconds(1);
constexpr absl::Duration kBreath = absl::Milliseconds(50);
// Without an answer so often in a row, a log that is not followed cannot be had.
constexpr int kMaxFailures = 3;
// What a slow reader may leave with us before we stop pulling.
constexpr size_t kMaxBuffered = 256 * 1024;

constexpr int32_t kCurrentAttempt = -1;
constexpr int32_t kPreviousAttempt = -2;

const ContainerStatus* FindContainer(const JobRecord& record, absl::string_view name) {
  for (const ContainerStatus& container : record.status.containers) {
    if (container.name == name) return &container;
  }
  return nullptr;
}

bool Started(const JobRecord& record) {
  return std::any_of(record.status.containers.begin(), record.status.containers.end(),
                     [](const ContainerStatus& container) {
                       return container.state.started_at != absl::InfinitePast();
                     });
}

}  // namespace

LogRelay::LogRelay(EventLoop& loop, const Clock& clock, Bus& bus, JobTable& table,
                   wire::Subjects subjects, PluginStamp stamp)
    : loop_(loop),
      clock_(clock),
      bus_(bus),
      table_(table),
      subjects_(std::move(subjects)),
      stamp_(std::move(stamp)) {}

absl::Status LogRelay::Check(absl::string_view uid, absl::string_view container) {
  const Job* const job = table_.Find(uid);
  if (job == nullptr) return absl::NotFoundError(absl::StrCat("no job has the UID ", uid));
  const auto& containers = job->record.job.containers;
  const bool known = std::any_of(containers.begin(), containers.end(),
                                 [&](const ContainerSummary& c) { return c.name == container; });
  if (known) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("job ", job->record.job.SubjectName(),
                                          " has no container ", container, " at the pool"));
}

uint64_t LogRelay::Start(absl::string_view uid, LogOptions options, std::unique_ptr<LogSink> sink) {
  const uint64_t id = next_id_++;
  LogText text(options.timestamps, options.limit_bytes);
  auto stream = std::make_unique<Stream>(Stream{.uid = std::string(uid),
                                                .options = std::move(options),
                                                .sink = std::move(sink),
                                                .text = std::move(text)});
  stream->attempt = stream->options.previous ? kPreviousAttempt : kCurrentAttempt;
  PullAfter(id, *stream, absl::ZeroDuration());
  streams_.emplace(id, std::move(stream));
  return id;
}

void LogRelay::PullAfter(uint64_t id, Stream& stream, absl::Duration delay) {
  stream.timer = loop_.RunAfter(delay, [this, id] { Pull(id); });
}

void LogRelay::Pull(uint64_t id) {
  auto it = streams_.find(id);
  if (it == streams_.end()) return;
  Stream& stream = *it->second;
  const Job* const job = table_.Find(stream.uid);
  if (job != nullptr && !job->record.owner.empty() && job->record.started) {
    return Ask(id, stream, *job);
  }
  // Nobody has a log of it (yet).
  if (stream.options.follow && MayGoOn(stream)) return PullAfter(id, stream, kPause);
  Finish(id, stream);
}

void LogRelay::Ask(uint64_t id, const Stream& stream, const Job& job) {
  LogRequest request;
  request.from = stamp_;
  request.key = job.record.job.key;
  request.container = stream.options.container;
  request.attempt = stream.attempt;
  request.offset = stream.offset;
  if (stream.first) {
    request.tail_lines = stream.options.tail_lines;
    request.since = stream.options.since;
  }
  const bool follow = stream.options.follow && !stream.options.previous;
  request.wait = follow ? kLongPoll : absl::ZeroDuration();
  const JobDescription& description = job.record.job;
  bus_.Request(subjects_.Job(description.pool, job.record.owner, "logs", description.SubjectName()),
               wire::Encode(request), request.wait + kAnswerTimeout,
               [this, id, alive = std::weak_ptr<bool>(alive_)](absl::StatusOr<std::string> answer) {
                 if (!alive.expired()) OnAnswer(id, std::move(answer));
               });
}

void LogRelay::OnAnswer(uint64_t id, absl::StatusOr<std::string> answer) {
  auto it = streams_.find(id);
  if (it == streams_.end()) return;
  Stream& stream = *it->second;
  absl::StatusOr<LogReply> reply =
      answer.ok() ? wire::Decode<LogReply>(*answer) : absl::StatusOr<LogReply>(answer.status());
  if (!reply.ok()) return OnNoAnswer(id, stream, reply.status());
  stream.failures = 0;
  if (!reply->known) return OnNoLog(id, stream, *reply);
  OnPiece(id, stream, *reply);
}

void LogRelay::OnNoAnswer(uint64_t id, Stream& stream, const absl::Status& error) {
  ++stream.failures;
  // Who follows waits for as long as there is something to come.
  const bool patient = stream.options.follow && MayGoOn(stream);
  if (patient || stream.failures < kMaxFailures) return PullAfter(id, stream, kPause);
  const Job* const job = table_.Find(stream.uid);
  Fail(id, absl::UnavailableError(absl::StrCat("the log cannot be had from pool ",
                                               job == nullptr ? "" : job->record.job.pool, ": ",
                                               error.message())));
}

void LogRelay::OnNoLog(uint64_t id, Stream& stream, const LogReply& reply) {
  if (stream.options.previous) {
    return Fail(id, absl::NotFoundError(reply.message.empty()
                                            ? "there is no previous attempt of this container"
                                            : reply.message));
  }
  if (stream.options.follow && MayGoOn(stream)) return PullAfter(id, stream, kPause);
  Finish(id, stream);
}

void LogRelay::OnPiece(uint64_t id, Stream& stream, const LogReply& reply) {
  stream.attempt = reply.attempt;
  // A piece that is not what was asked for (an old answer's copy) would be written twice.
  const bool expected = stream.first || reply.offset == stream.offset;
  if (!expected || reply.next_offset < reply.offset) return PullAfter(id, stream, kPause);
  const bool empty = reply.bytes.empty();
  stream.first = false;
  stream.offset = reply.next_offset;
  const std::string text = stream.text.Take(reply.offset, reply.bytes, reply.marks, clock_.Now());
  if (!text.empty()) stream.sink->Write(text);
  if (stream.text.full()) return Finish(id, stream);
  const bool follow = stream.options.follow && !stream.options.previous;
  if (reply.end) {
    if (!follow || !MayGoOn(stream)) return Finish(id, stream);
    // It is started again: the next attempt's log follows.
    ++stream.attempt;
    stream.offset = 0;
    stream.text.NewAttempt();
    return PullAfter(id, stream, kPause);
  }
  if (!empty) return PullWhenDrained(id, stream);
  if (!follow) return Finish(id, stream);
  // It had waited for bytes; one that does not wait is not to be asked without end.
  PullAfter(id, stream, kBreath);
}

void LogRelay::PullWhenDrained(uint64_t id, Stream& stream) {
  if (stream.sink->buffered() <= kMaxBuffered) {
    return PullAfter(id, stream, absl::ZeroDuration());
  }
  stream.sink->OnDrained([this, id, alive = std::weak_ptr<bool>(alive_)] {
    if (!alive.expired()) Pull(id);
  });
}

// Whether the container may still write, as far as its status says.
bool LogRelay::MayGoOn(const Stream& stream) {
  const Job* const job = table_.Find(stream.uid);
  if (job == nullptr || IsFinal(job->record.status.phase)) return false;
  if (job->record.tombstone.has_value() && job->record.owner.empty()) return false;
  const ContainerStatus* const container = FindContainer(job->record, stream.options.container);
  if (container == nullptr || container->state.kind != ContainerState::Kind::kTerminated) {
    return true;
  }
  return container->restart_count > stream.attempt && stream.attempt >= 0;
}

void LogRelay::Finish(uint64_t id, Stream& stream) {
  const Job* const job = table_.Find(stream.uid);
  if (stream.first && job != nullptr && !stream.options.previous) {
    const JobStatus& status = job->record.status;
    if (status.phase == JobPhase::kFailed && !Started(job->record) && !status.message.empty()) {
      stream.sink->Write(
          stream.text.Take(0, absl::StrCat(status.message, "\n"), {}, status.changed_at));
    }
  }
  std::unique_ptr<LogSink> sink = std::move(stream.sink);
  streams_.erase(id);
  sink->Finish();
}

void LogRelay::Fail(uint64_t id, const absl::Status& status) {
  std::unique_ptr<LogSink> sink = std::move(streams_[id]->sink);
  streams_.erase(id);
  sink->Fail(status);
}

}  // namespace podferry
