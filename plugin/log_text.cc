#include "plugin/log_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace podferry {
namespace {

absl::Time TimeOf(int64_t offset, const std::vector<LogMark>& marks, absl::Time now) {
  auto mark = std::upper_bound(marks.begin(), marks.end(), offset,
                               [](int64_t at, const LogMark& m) { return at < m.size; });
  if (mark != marks.end()) return mark->time;
  return marks.empty() ? now : marks.back().time;
}

// As kubelets write it: nine digits, whatever they are.
std::string Prefix(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E9SZ ", time, absl::UTCTimeZone());
}

}  // namespace

std::string LogText::Take(int64_t offset, absl::string_view bytes,
                          const std::vector<LogMark>& marks, absl::Time now) {
  std::string text;
  if (!timestamps_) {
    text = std::string(bytes);
  } else {
    while (!bytes.empty()) {
      if (at_line_start_) absl::StrAppend(&text, Prefix(TimeOf(offset, marks, now)));
      const size_t newline = bytes.find('\n');
      at_line_start_ = newline != absl::string_view::npos;
      const absl::string_view line = bytes.substr(0, at_line_start_ ? newline + 1 : bytes.size());
      absl::StrAppend(&text, line);
      offset += static_cast<int64_t>(line.size());
      bytes.remove_prefix(line.size());
    }
  }
  if (left_ >= 0) {
    if (static_cast<int64_t>(text.size()) > left_) text.resize(static_cast<size_t>(left_));
    left_ -= static_cast<int64_t>(text.size());
  }
  return text;
}

}  // namespace podferry
