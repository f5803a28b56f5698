// The marks of a log: lines "<unix seconds with fraction> <bytes>", ascending in both, appended
// while it grows. They are searched where they lie; only what is needed is read. Functions block.

#ifndef PODFERRY_SUBMITTER_BACKEND_LOG_MARKS_H_
#define PODFERRY_SUBMITTER_BACKEND_LOG_MARKS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/os/file_system.h"
#include "core/wire/messages.h"

namespace podferry {

// Nothing for a line that is not one (cut off by a crash, say).
std::optional<LogMark> ParseMark(absl::string_view line);

// Those that tell when the bytes from `begin` to `end` were written: the last one at or before
// `begin`, and all up to the first one at or after `end`. Empty when there are none.
std::vector<LogMark> MarksOf(FileSystem& file_system, const std::string& path, int64_t begin,
                             int64_t end);

// Where what was written at `time` or later begins, as far as the marks tell: 0 without any.
int64_t OffsetAt(FileSystem& file_system, const std::string& path, absl::Time time);

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_BACKEND_LOG_MARKS_H_
