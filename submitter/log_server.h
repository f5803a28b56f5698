// Serves the logs of containers, piece by piece, on P.job.<pool>.<S>.logs.*: at most 128 KiB an
// answer, and an answer at once when there are bytes; else it waits, for as long as was asked and
// at most 20 s, until there are. `end` is only said when no byte can follow.
//
// A container that has not run, or never will, has no log but a reason, which is answered in words.
// Owned by the daemon, on the bus for bundles and logs; loop thread only.

#ifndef PODFERRY_SUBMITTER_LOG_SERVER_H_
#define PODFERRY_SUBMITTER_LOG_SERVER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/clock.h"
#include "core/nats/bus.h"
#include "core/os/event_loop.h"
#include "core/wire/messages.h"
#include "core/wire/subjects.h"
#include "submitter/backend/backend.h"
#include "submitter/lifetime.h"
#include "submitter/records.h"
#include "submitter/submitter_metrics.h"

namespace podferry {

inline constexpr int64_t kMaxLogBytes = 128 * 1024;
inline constexpr absl::Duration kMaxLogWait = absl::Seconds(20);

class LogServer {
 public:
  LogServer(std::string pool, const wire::Subjects& subjects, const Records& records,
            Backend& backend, Bus& bus, const Clock& clock, EventLoop& loop,
            SubmitterMetrics& metrics);
  ~LogServer();

  absl::Status Listen();
  void StopListening() { subscription_.reset(); }

  // Requests that wait for bytes now.
  size_t waiting() const { return readings_.size(); }

 private:
  // One request, from its arrival to its answer.
  struct Reading;

  void Handle(BusMessage message, LogRequest request);
  void Open(uint64_t id);
  void OnOpened(uint64_t id, absl::StatusOr<std::unique_ptr<LogSource>> source);
  void Read(uint64_t id);
  void OnPiece(uint64_t id, absl::StatusOr<LogPiece> piece);
  void WaitOrAnswer(uint64_t id);
  void Answer(uint64_t id);

  const std::string pool_;
  const wire::Subjects& subjects_;
  const Records& records_;
  Backend& backend_;
  Bus& bus_;
  const Clock& clock_;
  EventLoop& loop_;
  SubmitterMetrics& metrics_;
  std::unique_ptr<Bus::Subscription> subscription_;
  absl::flat_hash_map<uint64_t, std::unique_ptr<Reading>> readings_;
  uint64_t last_reading_ = 0;
  Lifetime lifetime_;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_LOG_SERVER_H_
