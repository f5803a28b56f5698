#include "core/journal/writer.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/journal/format.h"
#include "glog/logging.h"

namespace podferry {

using journal_internal::Appender;
using journal_internal::Outgoing;
using journal_internal::RecoveredJournal;
using journal_internal::SegmentFiles;
using journal_internal::SegmentName;

namespace {

// As much as one sync carries; more would make those who wait for it wait long.
constexpr uint64_t kMaxGroupBytes = 4 << 20;

// A copy that shares no reference count with `status`, for another thread: TSan does not see those
// of Debian's Abseil.
absl::Status Unshared(const absl::Status& status) {
  return absl::Status(status.code(), status.message());
}

SegmentName NewestOf(const RecoveredJournal& recovered) {
  return recovered.segments.empty() ? SegmentName() : recovered.segments.back().name;
}

}  // namespace

Journal::Writer::Writer(const JournalOptions& options, FileSystem& file_system, EventLoop& loop,
                        RecoveredJournal recovered)
    : options_(options),
      loop_(loop),
      damage_(recovered.damage),
      files_(std::make_shared<SegmentFiles>(options.folder, file_system, recovered.segments)),
      appender_(options, file_system, *files_, NewestOf(recovered), recovered.last_sequence) {}

Journal::Writer::~Writer() {
  *alive_ = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

absl::Status Journal::Writer::Start() {
  PODFERRY_RETURN_IF_ERROR(appender_.Start());
  thread_ = std::thread([this] { Run(); });
  return absl::OkStatus();
}

void Journal::Writer::Append(std::vector<JournalEntry> entries, AppendDone done) {
  Operation operation;
  operation.entries = std::move(entries);
  operation.done = std::move(done);
  Enqueue(std::move(operation));
}

void Journal::Writer::Copy(std::vector<JournalPosition> positions, AppendDone done) {
  Operation operation;
  operation.kind = Operation::Kind::kCopy;
  operation.positions = std::move(positions);
  operation.done = std::move(done);
  Enqueue(std::move(operation));
}

void Journal::Writer::DropSegmentsBefore(uint64_t id, absl::AnyInvocable<void(absl::Status)> done) {
  Operation operation;
  operation.kind = Operation::Kind::kDropSegments;
  operation.id = id;
  operation.dropped = std::move(done);
  Enqueue(std::move(operation));
}

void Journal::Writer::RemoveBodyFile(uint64_t file) {
  Operation operation;
  operation.kind = Operation::Kind::kRemoveBody;
  operation.id = file;
  Enqueue(std::move(operation));
}

absl::Status Journal::Writer::status() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return Unshared(status_);
}

bool Journal::Writer::disk_full() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return disk_full_;
}

JournalStats Journal::Writer::stats() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return stats_;
}

void Journal::Writer::Enqueue(Operation operation) {
  operation.queued = absl::Now();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    queue_.push_back(std::move(operation));
  }
  wake_.notify_one();
}

void Journal::Writer::Run() {
  while (true) {
    std::deque<Operation> work = WaitForWork();
    if (work.empty()) return;
    while (!work.empty()) {
      if (work.front().writes()) {
        WriteGroup(TakeGroup(work));
      } else {
        RunAlone(std::move(work.front()));
        work.pop_front();
      }
    }
  }
}

std::deque<Journal::Writer::Operation> Journal::Writer::WaitForWork() {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto has_work = [this] { return stopping_ || !queue_.empty(); };
  while (disk_full_ && !has_work()) {
    // Nobody may write while we say that the disk is full, so look for space without being asked.
    if (wake_.wait_for(lock, absl::ToChronoNanoseconds(options_.disk_full_retry), has_work)) break;
    lock.unlock();
    const absl::Status space = appender_.Probe();
    lock.lock();
    disk_full_ = !space.ok();
  }
  wake_.wait(lock, has_work);
  return std::exchange(queue_, {});
}

Journal::Writer::Operations Journal::Writer::TakeGroup(std::deque<Operation>& work) {
  Operations group;
  uint64_t bytes = 0;
  while (!work.empty() && work.front().writes() && bytes < kMaxGroupBytes) {
    Operation operation = std::move(work.front());
    work.pop_front();
    MakeRecords(operation);
    bytes += RecordBytes(operation.records);
    group.push_back(std::move(operation));
  }
  return group;
}

void Journal::Writer::MakeRecords(Operation& operation) {
  const size_t max_inline = std::min(options_.max_inline_bytes, journal_internal::kMaxInlineBytes);
  absl::StatusOr<std::vector<Outgoing>> records =
      operation.kind == Operation::Kind::kCopy
          ? journal_internal::MakeCopies(operation.positions, *files_)
          : journal_internal::MakeBatch(std::exchange(operation.entries, {}), max_inline);
  if (records.ok()) {
    operation.records = *std::move(records);
  } else {
    operation.status = records.status();
  }
}

void Journal::Writer::WriteGroup(Operations group) {
  while (!group.empty()) {
    Appender::Group records;
    for (Operation& operation : group) {
      for (Outgoing& record : operation.records) records.push_back(&record);
    }
    absl::Status failure = status();
    if (failure.ok()) {
      absl::StatusOr<std::vector<JournalPosition>> positions = appender_.Write(records);
      if (positions.ok()) {
        ShareOut(group, *positions);
        return Report(std::move(group));
      }
      failure = positions.status();
      NoteFailure(failure);
    }
    GiveUp(group, failure);
    if (!group.empty()) SleepUntilRetry();
  }
}

void Journal::Writer::ShareOut(Operations& group, const std::vector<JournalPosition>& positions) {
  auto next = positions.begin();
  for (Operation& operation : group) {
    operation.positions.assign(next, next + operation.records.size());
    next += operation.records.size();
  }
  if (positions.empty()) return;
  std::lock_guard<std::mutex> lock(mutex_);
  disk_full_ = false;
  stats_.records += positions.size();
  stats_.groups += 1;
  for (const JournalPosition& position : positions) stats_.bytes += position.length;
  stats_.longest_sync = std::max(stats_.longest_sync, appender_.last_sync());
}

void Journal::Writer::NoteFailure(const absl::Status& status) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (absl::IsResourceExhausted(status)) {
    LOG_IF(ERROR, !disk_full_) << "the journal waits for space: " << status.message();
    disk_full_ = true;
  } else if (!absl::IsUnavailable(status) && status_.ok()) {
    status_ = absl::DataLossError(
        absl::StrCat("the journal has failed, until a restart: ", status.message()));
    LOG(ERROR) << status_.message();
  }
}

void Journal::Writer::GiveUp(Operations& group, const absl::Status& status) {
  bool all = !absl::IsResourceExhausted(status) && !absl::IsUnavailable(status);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    all = all || stopping_;
  }
  const absl::Time limit = absl::Now() - options_.disk_full_wait;
  Operations ended, rest;
  for (Operation& operation : group) {
    // Copies serve to make space; they do not hold up those who write.
    const bool end = all || !operation.status.ok() || operation.queued <= limit ||
                     operation.kind == Operation::Kind::kCopy;
    if (end && operation.status.ok()) operation.status = Unshared(status);
    (end ? ended : rest).push_back(std::move(operation));
  }
  group = std::move(rest);
  if (!ended.empty()) Report(std::move(ended));
}

void Journal::Writer::SleepUntilRetry() {
  std::unique_lock<std::mutex> lock(mutex_);
  wake_.wait_for(lock, absl::ToChronoNanoseconds(options_.disk_full_retry),
                 [this] { return stopping_; });
}

void Journal::Writer::Report(Operations operations) {
  for (Operation& operation : operations) operation.records.clear();
  loop_.Post([alive = alive_, operations = std::move(operations)]() mutable {
    for (Operation& operation : operations) {
      if (!*alive) return;
      if (!operation.done) continue;
      if (operation.status.ok()) {
        operation.done(std::move(operation.positions));
      } else {
        operation.done(operation.status);
      }
    }
  });
}

void Journal::Writer::RunAlone(Operation operation) {
  if (operation.kind == Operation::Kind::kRemoveBody) return files_->RemoveBody(operation.id);
  absl::Status result = status();
  if (result.ok()) result = files_->RemoveBefore(operation.id);
  loop_.Post(
      [alive = alive_, done = std::move(operation.dropped), result = std::move(result)]() mutable {
        if (*alive && done) done(result);
      });
}

}  // namespace podferry
