// Brings a container's log from its submitter: pulls piece by piece (long polling when following),
// formats, and hands on as fast as the reader takes it. It knows no HTTP.
//
// Owned by the daemon; event loop's thread only. A stream survives lost connections, restarts and
// changes of the owner: it asks again from where it was.

#ifndef PODFERRY_PLUGIN_LOG_RELAY_H_
#define PODFERRY_PLUGIN_LOG_RELAY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/base/clock.h"
#include "core/job/log_options.h"
#include "core/nats/bus.h"
#include "core/os/event_loop.h"
#include "core/wire/messages.h"
#include "core/wire/subjects.h"
#include "plugin/job_table.h"
#include "plugin/log_text.h"

namespace podferry {

// Where a log goes. One call of Finish or Fail is the last one.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void Write(absl::string_view text) = 0;
  // Bytes that the reader has not taken; and a call, once, when there are none left.
  virtual size_t buffered() const = 0;
  virtual void OnDrained(absl::AnyInvocable<void()> callback) = 0;
  virtual void Finish() = 0;
  // The rest, or all of it, cannot be had.
  virtual void Fail(const absl::Status& status) = 0;
};

class LogRelay {
 public:
  LogRelay(EventLoop& loop, const Clock& clock, Bus& bus, JobTable& table, wire::Subjects subjects,
           PluginStamp stamp);

  // NOT_FOUND: no such job, or it has no such container.
  absl::Status Check(absl::string_view uid, absl::string_view container);

  // Begins a stream of a job and container that Check has found. Returns its number, for Stop.
  uint64_t Start(absl::string_view uid, LogOptions options, std::unique_ptr<LogSink> sink);
  // The reader has gone: nothing is pulled or written any more. Harmless for one that has ended.
  void Stop(uint64_t stream) { streams_.erase(stream); }

  size_t streams() const { return streams_.size(); }

 private:
  struct Stream {
    std::string uid;
    LogOptions options;
    std::unique_ptr<LogSink> sink;
    LogText text;
    bool first = true;  // no piece has come yet
    int32_t attempt = -1;
    int64_t offset = 0;
    int failures = 0;  // in a row
    Timer timer;
  };

  void Pull(uint64_t id);
  void PullAfter(uint64_t id, Stream& stream, absl::Duration delay);
  void Ask(uint64_t id, const Stream& stream, const Job& job);
  void OnAnswer(uint64_t id, absl::StatusOr<std::string> answer);
  void OnNoAnswer(uint64_t id, Stream& stream, const absl::Status& error);
  void OnNoLog(uint64_t id, Stream& stream, const LogReply& reply);
  void OnPiece(uint64_t id, Stream& stream, const LogReply& reply);
  void PullWhenDrained(uint64_t id, Stream& stream);
  bool MayGoOn(const Stream& stream);
  // Ends the stream; what the scheduler or the translation said stands in for a log that never was.
  void Finish(uint64_t id, Stream& stream);
  void Fail(uint64_t id, const absl::Status& status);

  EventLoop& loop_;
  const Clock& clock_;
  Bus& bus_;
  JobTable& table_;
  const wire::Subjects subjects_;
  const PluginStamp stamp_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  absl::flat_hash_map<uint64_t, std::unique_ptr<Stream>> streams_;
  uint64_t next_id_ = 1;
};

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_LOG_RELAY_H_
