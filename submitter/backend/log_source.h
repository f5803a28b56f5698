// The log of one attempt of one container: bytes that only grow. Backends whose sandboxes are
// visible here share sandbox_log.h; others bring their own.
//
// Loop thread only; owned by who opened it. No callback comes after its destruction.

#ifndef PODFERRY_SUBMITTER_BACKEND_LOG_SOURCE_H_
#define PODFERRY_SUBMITTER_BACKEND_LOG_SOURCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/os/event_loop.h"
#include "core/wire/messages.h"

namespace podferry {

// Where to begin. Tail wins over since, and both over the offset.
struct LogRange {
  int64_t offset = 0;       // bytes from the start
  int64_t tail_lines = -1;  // >= 0: the last so many lines
  absl::Time since = absl::InfinitePast();
  int64_t max_bytes = 128 * 1024;
};

struct LogPiece {
  bool exists = false;  // false: nothing was written yet, not even a file
  int32_t attempt = 0;
  int64_t offset = 0;  // of the first byte
  std::string bytes;
  int64_t next_offset = 0;
  bool end = false;            // no byte will ever follow
  std::vector<LogMark> marks;  // covering the bytes, ascending
};

class LogSource {
 public:
  virtual ~LogSource() = default;

  virtual void Read(LogRange range, absl::AnyInvocable<void(absl::StatusOr<LogPiece>)> done) = 0;

  // Calls back, possibly without need, when a read may bring more than before. A hint: sources that
  // cannot tell never call.
  [[nodiscard]] virtual Subscription OnChange(absl::AnyInvocable<void()> callback) = 0;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_BACKEND_LOG_SOURCE_H_
