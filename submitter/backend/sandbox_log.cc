#include "submitter/backend/sandbox_log.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/base/status_macros.h"
#include "core/translate/sandbox.h"
#include "submitter/backend/log_marks.h"
#include "submitter/lifetime.h"

namespace podferry {
namespace {

constexpr int kPrevious = -2;
constexpr int64_t kChunk = 64 * 1024;

std::string ContainerFolder(const SandboxLogQuery& query) {
  return absl::StrCat(SandboxPaths::LogFolder(query.sandbox), "/",
                      SandboxPaths::ContainerFile(query.index, query.container));
}

// The attempts that have a log, ascending.
std::vector<int> Attempts(FileSystem& file_system, const SandboxLogQuery& query) {
  std::vector<int> attempts;
  const absl::StatusOr<std::vector<std::string>> names =
      file_system.ListDir(ContainerFolder(query));
  if (!names.ok()) return attempts;
  for (absl::string_view name : *names) {
    int attempt = 0;
    if (absl::ConsumeSuffix(&name, ".log") && absl::SimpleAtoi(name, &attempt) && attempt >= 0) {
      attempts.push_back(attempt);
    }
  }
  std::sort(attempts.begin(), attempts.end());
  return attempts;
}

ContainerState::Kind StateOf(FileSystem& file_system, const SandboxLogQuery& query) {
  const absl::StatusOr<std::string> text =
      file_system.ReadFile(SandboxPaths::Status(query.sandbox, query.index, query.container));
  if (!text.ok()) return ContainerState::Kind::kUnspecified;
  const absl::StatusOr<ContainerStatus> status = ParseContainerFile(*text);
  return status.ok() ? status->state.kind : ContainerState::Kind::kUnspecified;
}

// Which attempt is meant, of those that there are; nothing when it is not there.
std::optional<int> Resolve(const std::vector<int>& attempts, int wanted,
                           ContainerState::Kind state) {
  if (wanted >= 0) {
    const bool there = std::binary_search(attempts.begin(), attempts.end(), wanted);
    return there ? std::optional<int>(wanted) : std::nullopt;
  }
  // While a container waits for its next attempt, the newest log is that of the one before.
  const bool newest = wanted != kPrevious || state == ContainerState::Kind::kWaiting;
  const size_t back = newest ? 1 : 2;
  if (attempts.size() < back) return std::nullopt;
  return attempts[attempts.size() - back];
}

// Where the last `lines` lines of the first `size` bytes begin.
absl::StatusOr<int64_t> TailOffset(const RandomAccessFile& file, int64_t size, int64_t lines) {
  if (lines == 0) return size;
  std::string chunk;
  // A newline at the very end ends the last line, it does not begin another.
  int64_t wanted = lines;
  for (int64_t end = size; end > 0;) {
    const int64_t begin = std::max<int64_t>(0, end - kChunk);
    chunk.resize(static_cast<size_t>(end - begin));
    PODFERRY_ASSIGN_OR_RETURN(const size_t read,
                              file.Read(static_cast<uint64_t>(begin), chunk.size(), chunk.data()));
    for (int64_t i = static_cast<int64_t>(read) - 1; i >= 0; --i) {
      if (chunk[static_cast<size_t>(i)] != '\n' || begin + i + 1 == size) continue;
      if (--wanted == 0) return begin + i + 1;
    }
    end = begin;
  }
  return 0;
}

// `offset` moved back to the beginning of its line, if that is not too far away.
absl::StatusOr<int64_t> LineStart(const RandomAccessFile& file, int64_t offset) {
  const int64_t begin = std::max<int64_t>(0, offset - kChunk);
  std::string chunk(static_cast<size_t>(offset - begin), '\0');
  PODFERRY_ASSIGN_OR_RETURN(const size_t read,
                            file.Read(static_cast<uint64_t>(begin), chunk.size(), chunk.data()));
  chunk.resize(read);
  const size_t newline = chunk.rfind('\n');
  if (newline == std::string::npos) return begin == 0 ? 0 : offset;
  return begin + static_cast<int64_t>(newline) + 1;
}

absl::StatusOr<int64_t> Begin(FileSystem& file_system, const RandomAccessFile& file, int64_t size,
                              const std::string& marks, const LogRange& range) {
  if (range.tail_lines >= 0) return TailOffset(file, size, range.tail_lines);
  if (range.since != absl::InfinitePast()) {
    return LineStart(file, std::min(size, OffsetAt(file_system, marks, range.since)));
  }
  return std::min(size, range.offset);
}

class SandboxLog final : public LogSource {
 public:
  SandboxLog(SandboxLogQuery query, FileSystem& file_system, WorkerPool& pool, FileWatcher& watcher)
      : query_(std::move(query)), file_system_(file_system), pool_(pool), watcher_(watcher) {}

  void Read(LogRange range, absl::AnyInvocable<void(absl::StatusOr<LogPiece>)> done) override {
    RunOnPool(
        pool_,
        [&file_system = file_system_, query = query_, range] {
          return ReadSandboxLog(file_system, query, range);
        },
        lifetime_.Bind([done = std::move(done)](absl::StatusOr<LogPiece> piece) mutable {
          // The reader may drop us as soon as it has its piece.
          auto last = std::move(done);
          last(std::move(piece));
        }));
  }

  Subscription OnChange(absl::AnyInvocable<void()> callback) override {
    struct Watches {
      absl::AnyInvocable<void()> callback;
      std::vector<Subscription> folders;
    };
    auto watches = std::make_shared<Watches>();
    watches->callback = std::move(callback);
    const auto changed = [watches](const std::vector<std::string>&) { watches->callback(); };
    // The log itself, or, before it is there, what it will be made in; and the status, which says
    // when it ends.
    for (const std::string& folder :
         {ContainerFolder(query_), SandboxPaths::LogFolder(query_.sandbox)}) {
      absl::StatusOr<Subscription> watch = watcher_.Watch(folder, changed);
      if (!watch.ok()) continue;
      watches->folders.push_back(*std::move(watch));
      break;
    }
    absl::StatusOr<Subscription> status =
        watcher_.Watch(SandboxPaths::StatusFolder(query_.sandbox), changed);
    if (status.ok()) watches->folders.push_back(*std::move(status));
    return Subscription([watches] { watches->folders.clear(); });
  }

 private:
  const SandboxLogQuery query_;
  FileSystem& file_system_;
  WorkerPool& pool_;
  FileWatcher& watcher_;
  Lifetime lifetime_;
};

}  // namespace

absl::StatusOr<LogPiece> ReadSandboxLog(FileSystem& file_system, const SandboxLogQuery& query,
                                        const LogRange& range) {
  // In this order: attempts, state, size. What has ended by the state can only have grown before
  // its size is taken, and an attempt that is not the newest has ended whatever the state says.
  const std::vector<int> attempts = Attempts(file_system, query);
  const ContainerState::Kind state = StateOf(file_system, query);
  const bool finished = file_system.Stat(SandboxPaths::Finished(query.sandbox)).ok();
  const std::optional<int> attempt = Resolve(attempts, query.attempt, state);
  if (!attempt.has_value()) {
    if (query.attempt == kPrevious) {
      return absl::NotFoundError(absl::StrCat("previous terminated container \"", query.container,
                                              "\" not found: it has run only once"));
    }
    // Whoever asks for the attempt after this one waits for it, though this one has ended.
    const bool never_ran = query.attempt < 0 && state == ContainerState::Kind::kTerminated;
    return LogPiece{.exists = false, .attempt = query.attempt, .end = finished || never_ran};
  }
  LogPiece piece{.exists = true, .attempt = *attempt};
  // A container that waits may be about to run: its log can be there before its state says so.
  const bool running =
      *attempt == attempts.back() && !finished && state != ContainerState::Kind::kTerminated;
  const std::string path = SandboxPaths::Log(query.sandbox, query.index, query.container, *attempt);
  const std::string marks =
      SandboxPaths::Marks(query.sandbox, query.index, query.container, *attempt);
  PODFERRY_ASSIGN_OR_RETURN(const std::unique_ptr<RandomAccessFile> file,
                            file_system.OpenRead(path));
  PODFERRY_ASSIGN_OR_RETURN(const FileInfo info, file_system.Stat(path));
  const int64_t size = static_cast<int64_t>(info.size);
  PODFERRY_ASSIGN_OR_RETURN(piece.offset, Begin(file_system, *file, size, marks, range));
  piece.bytes.resize(static_cast<size_t>(std::min(range.max_bytes, size - piece.offset)));
  PODFERRY_ASSIGN_OR_RETURN(const size_t read, file->Read(static_cast<uint64_t>(piece.offset),
                                                          piece.bytes.size(), piece.bytes.data()));
  piece.bytes.resize(read);
  piece.next_offset = piece.offset + static_cast<int64_t>(read);
  piece.end = !running && piece.next_offset >= size;
  piece.marks = MarksOf(file_system, marks, piece.offset, piece.next_offset);
  return piece;
}

std::unique_ptr<LogSource> NewSandboxLog(SandboxLogQuery query, FileSystem& file_system,
                                         WorkerPool& pool, FileWatcher& watcher) {
  return std::make_unique<SandboxLog>(std::move(query), file_system, pool, watcher);
}

}  // namespace podferry
