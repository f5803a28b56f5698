#include "submitter/backend/log_marks.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace podferry {
namespace {

constexpr size_t kChunk = 16 * 1024;
constexpr size_t kMaxMarks = 4096;  // of one answer: 128 KiB that came in 13 minutes' drops
constexpr size_t kLongestLine = 64;

// The marks file, read by chunks and lines.
class MarkReader {
 public:
  static std::optional<MarkReader> Open(FileSystem& file_system, const std::string& path) {
    absl::StatusOr<std::unique_ptr<RandomAccessFile>> file = file_system.OpenRead(path);
    absl::StatusOr<FileInfo> info = file_system.Stat(path);
    if (!file.ok() || !info.ok()) return std::nullopt;
    return MarkReader(*std::move(file), info->size);
  }

  std::string Chunk(uint64_t offset, size_t length) const {
    std::string text(length, '\0');
    absl::StatusOr<size_t> read = file_->Read(offset, length, text.data());
    text.resize(read.ok() ? *read : 0);
    return text;
  }

  // The first whole line at or after `offset`: where it begins, and its mark.
  std::optional<std::pair<uint64_t, LogMark>> LineFrom(uint64_t offset) const {
    const std::string text = Chunk(offset == 0 ? 0 : offset - 1, 2 * kLongestLine);
    absl::string_view rest = text;
    if (offset != 0) {
      const size_t newline = rest.find('\n');
      if (newline == absl::string_view::npos) return std::nullopt;
      rest.remove_prefix(newline + 1);
      offset += newline;
    }
    const size_t end = rest.find('\n');
    if (end == absl::string_view::npos) return std::nullopt;
    const std::optional<LogMark> mark = ParseMark(rest.substr(0, end));
    if (!mark.has_value()) return std::nullopt;
    return std::make_pair(offset, *mark);
  }

  // Where the last line begins that is still `before`; 0 when the first one is not.
  uint64_t LastBefore(absl::FunctionRef<bool(const LogMark&)> before) const {
    uint64_t low = 0;       // a line that is before begins here, or it is the first
    uint64_t high = size_;  // no line that begins at or after this is known to be before
    while (high - low > kLongestLine) {
      const uint64_t middle = low + (high - low) / 2;
      const auto line = LineFrom(middle);
      if (line.has_value() && before(line->second)) {
        low = std::max(line->first, low + 1);
      } else {
        high = middle;
      }
    }
    return low;
  }

  // All marks from the line that begins at `offset`, until `more` says no.
  void Each(uint64_t offset, absl::FunctionRef<bool(const LogMark&)> more) const {
    std::string rest;
    while (true) {
      const std::string text = Chunk(offset, kChunk);
      if (text.empty()) return;
      offset += text.size();
      rest += text;
      size_t begin = 0;
      for (size_t end; (end = rest.find('\n', begin)) != std::string::npos; begin = end + 1) {
        const auto mark = ParseMark(absl::string_view(rest).substr(begin, end - begin));
        if (mark.has_value() && !more(*mark)) return;
      }
      rest.erase(0, begin);
    }
  }

 private:
  MarkReader(std::unique_ptr<RandomAccessFile> file, uint64_t size)
      : file_(std::move(file)), size_(size) {}

  std::unique_ptr<RandomAccessFile> file_;
  uint64_t size_;
};

}  // namespace

std::optional<LogMark> ParseMark(absl::string_view line) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(line, absl::MaxSplits(' ', 1));
  double seconds = 0;
  LogMark mark;
  if (!absl::SimpleAtod(parts.first, &seconds) || !absl::SimpleAtoi(parts.second, &mark.size)) {
    return std::nullopt;
  }
  mark.time = absl::UnixEpoch() + absl::Seconds(seconds);
  return mark;
}

std::vector<LogMark> MarksOf(FileSystem& file_system, const std::string& path, int64_t begin,
                             int64_t end) {
  std::vector<LogMark> marks;
  const std::optional<MarkReader> reader = MarkReader::Open(file_system, path);
  if (!reader.has_value()) return marks;
  const uint64_t first =
      reader->LastBefore([&](const LogMark& mark) { return mark.size <= begin; });
  reader->Each(first, [&](const LogMark& mark) {
    if (mark.size <= begin) marks.clear();
    marks.push_back(mark);
    return mark.size < end && marks.size() < kMaxMarks;
  });
  return marks;
}

int64_t OffsetAt(FileSystem& file_system, const std::string& path, absl::Time time) {
  const std::optional<MarkReader> reader = MarkReader::Open(file_system, path);
  if (!reader.has_value()) return 0;
  const uint64_t first = reader->LastBefore([&](const LogMark& mark) { return mark.time < time; });
  int64_t offset = 0;
  reader->Each(first, [&](const LogMark& mark) {
    if (mark.time >= time) return false;
    offset = mark.size;
    return true;
  });
  return offset;
}

}  // namespace podferry
