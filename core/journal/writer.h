// The thread that writes a journal: takes everything that waits, has it written and synced at once,
// and reports to the loop. Journal is its face.

#ifndef PODFERRY_CORE_JOURNAL_WRITER_H_
#define PODFERRY_CORE_JOURNAL_WRITER_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/journal/appender.h"
#include "core/journal/journal.h"
#include "core/journal/outgoing.h"
#include "core/journal/recovery.h"
#include "core/journal/segment_files.h"
#include "core/os/event_loop.h"
#include "core/os/file_system.h"

namespace podferry {

class Journal::Writer {
 public:
  Writer(const JournalOptions& options, FileSystem& file_system, EventLoop& loop,
         journal_internal::RecoveredJournal recovered);
  ~Writer();

  absl::Status Start();

  // See Journal.
  void Append(std::vector<JournalEntry> entries, AppendDone done);
  void Copy(std::vector<JournalPosition> positions, AppendDone done);
  void DropSegmentsBefore(uint64_t id, absl::AnyInvocable<void(absl::Status)> done);
  void RemoveBodyFile(uint64_t file);

  const std::shared_ptr<journal_internal::SegmentFiles>& files() const { return files_; }
  const std::vector<JournalDamage>& damage() const { return damage_; }
  absl::Status status() const;
  bool disk_full() const;
  JournalStats stats() const;

 private:
  // What a caller asked for.
  struct Operation {
    enum class Kind { kAppend, kCopy, kDropSegments, kRemoveBody };
    Kind kind = Kind::kAppend;
    absl::Time queued;
    AppendDone done;  // kAppend, kCopy.
    absl::AnyInvocable<void(absl::Status)> dropped;

    std::vector<JournalEntry> entries;       // kAppend.
    std::vector<JournalPosition> positions;  // kCopy; later, of the records that were written.
    uint64_t id = 0;                         // kDropSegments: segment, kRemoveBody: file.

    std::vector<journal_internal::Outgoing> records;
    absl::Status status;

    bool writes() const { return kind == Kind::kAppend || kind == Kind::kCopy; }
  };
  using Operations = std::vector<Operation>;

  void Enqueue(Operation operation);

  // All below runs on the writer's thread.
  void Run();
  std::deque<Operation> WaitForWork();
  // Takes what one sync shall make durable off the front of `work`.
  Operations TakeGroup(std::deque<Operation>& work);
  void MakeRecords(Operation& operation);
  void WriteGroup(Operations group);
  void ShareOut(Operations& group, const std::vector<JournalPosition>& positions);
  // Ends those that have waited for space long enough; all, if the journal is closing.
  void GiveUp(Operations& group, const absl::Status& status);
  void SleepUntilRetry();
  void Report(Operations operations);
  void RunAlone(Operation operation);
  void NoteFailure(const absl::Status& status);

  const JournalOptions options_;
  EventLoop& loop_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // Loop thread only.
  const std::vector<JournalDamage> damage_;
  const std::shared_ptr<journal_internal::SegmentFiles> files_;
  journal_internal::Appender appender_;  // Writer thread only.

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Operation> queue_;  // These are guarded by mutex_.
  bool stopping_ = false;
  absl::Status status_;
  bool disk_full_ = false;
  JournalStats stats_;

  std::thread thread_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_JOURNAL_WRITER_H_
