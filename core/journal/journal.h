// A log of records on disk which survives the death of the process and of the machine: append-only,
// checked by CRC-32C, in segments. core/journal/FORMAT.md describes the bytes.
//
// Group commit: one writer thread takes all records that wait, writes and syncs them at once, and
// posts their results to the event loop. A record is durable when `done` says OK, not before.
// Bodies beyond `max_inline_bytes` lie in files of their own beside the segments.
//
// Created and destroyed on the loop thread by whoever owns the state it keeps; works on NFS (no
// mmap, no shared memory). Lock the folder against a second process first (core/store/open_store.h
// does).

#ifndef PODFERRY_CORE_JOURNAL_JOURNAL_H_
#define PODFERRY_CORE_JOURNAL_JOURNAL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/journal/record.h"
#include "core/os/event_loop.h"
#include "core/os/file_system.h"

namespace podferry {

struct JournalOptions {
  std::string folder;  // Created (mode 0700) if it is not there.
  uint64_t segment_bytes = 64 << 20;
  size_t max_inline_bytes = 64 << 10;
  // How long an append waits for space on a full disk, and how often it tries meanwhile.
  absl::Duration disk_full_wait = absl::Seconds(10);
  absl::Duration disk_full_retry = absl::Seconds(1);
};

struct JournalStats {
  uint64_t records = 0;  // Appended and durable.
  uint64_t groups = 0;   // Writes that made them so, each with one sync.
  uint64_t bytes = 0;
  absl::Duration longest_sync;
};

// Reads records back; may outlive the journal. Any thread.
class JournalReader {
 public:
  virtual ~JournalReader() = default;

  // The record at `position`. NOT_FOUND: its segment or body file was dropped; DATA_LOSS: it can be
  // read no more. Blocks.
  virtual absl::StatusOr<JournalEntry> Read(const JournalPosition& position) const = 0;
};

class Journal {
 public:
  using AppendDone = absl::AnyInvocable<void(absl::StatusOr<std::vector<JournalPosition>>)>;
  using Replay = absl::FunctionRef<void(const JournalRecord&)>;

  // Opens or creates the journal and calls `replay` for every readable record, oldest first.
  // A torn tail is cut off; damage elsewhere is skipped to the next valid record, and a copy of the
  // damaged segment is left beside it as NAME.damaged. Both are reported by damage(). Blocks.
  // Errors: those of FileSystem; FAILED_PRECONDITION: a newer version of podferry wrote it.
  static absl::StatusOr<std::unique_ptr<Journal>> Open(const JournalOptions& options,
                                                       FileSystem& file_system, EventLoop& loop,
                                                       Replay replay);

  // Writes what is queued, then stops. No `done` is called afterwards.
  ~Journal();

  // Appends records that are replayed all or not at all; `done` gets a position for each, in order.
  // Results come in the order of the calls. No entries: `done` comes once all before it came.
  // RESOURCE_EXHAUSTED: the disk stayed full; nothing of it is in the journal. INVALID_ARGUMENT:
  // more than 65535 entries, a head too long, or 1 GiB of bodies that do not get files of their
  // own. Any other error: the journal has failed for good (below).
  void Append(std::vector<JournalEntry> entries, AppendDone done);

  // Appends copies of these records, each on its own; bodies in files are shared, not copied. An
  // unreadable one makes it fail with DATA_LOSS, a full disk at once; then nothing is copied. For
  // compaction.
  void Copy(std::vector<JournalPosition> positions, AppendDone done);

  absl::StatusOr<JournalEntry> Read(const JournalPosition& position) const;
  std::shared_ptr<const JournalReader> reader() const;

  // Says that nobody will read this record again: its body file, if it has one, is removed. To be
  // called when what supersedes the record is durable. Not durable itself: call it again on replay.
  void RemoveBodyFile(const JournalPosition& position);

  // The segments, oldest first, with their size in bytes; the last one is being written.
  struct Segment {
    uint64_t id = 0;
    uint64_t bytes = 0;
  };
  std::vector<Segment> segments() const;

  // Removes all segments older than `id`, and the body files that only they refer to. Done by the
  // writer thread, after what was appended before.
  void DropSegmentsBefore(uint64_t id, absl::AnyInvocable<void(absl::Status)> done);

  // OK, or why the journal has failed for good: a sync or write failed with an error other than a
  // full disk. What the kernel said it wrote is then in doubt, so all later appends fail as well
  // until the daemon is started anew. Readiness must follow.
  absl::Status status() const;

  // Appends wait for space now.
  bool disk_full() const;

  const std::vector<JournalDamage>& damage() const;
  JournalStats stats() const;

 private:
  class Writer;
  explicit Journal(std::unique_ptr<Writer> writer);

  std::unique_ptr<Writer> writer_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_JOURNAL_JOURNAL_H_
