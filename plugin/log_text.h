// Turns pieces of a container's log into what kubectl wants to see: a time before each line, and no
// more bytes than asked for (times included, as a kubelet counts). A plain value, one per stream.

#ifndef PODFERRY_PLUGIN_LOG_TEXT_H_
#define PODFERRY_PLUGIN_LOG_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/wire/messages.h"

namespace podferry {

class LogText {
 public:
  // `limit`: of bytes in all; negative: none.
  LogText(bool timestamps, int64_t limit) : timestamps_(timestamps), left_(limit) {}

  // What to write for the bytes that begin at `offset`. A line's time is that of the first mark
  // beyond its first byte: true to the interval in which marks are taken. `now` is for lines that
  // no mark covers.
  std::string Take(int64_t offset, absl::string_view bytes, const std::vector<LogMark>& marks,
                   absl::Time now);

  // What comes next is the log of another attempt.
  void NewAttempt() { at_line_start_ = true; }

  // The limit is reached.
  bool full() const { return left_ == 0; }

 private:
  const bool timestamps_;
  int64_t left_;
  bool at_line_start_ = true;
};

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_LOG_TEXT_H_
