// Files, as an interface: the real ones, and an in-memory fake (core/os/testing) that loses what
// was not synced, fills up and flips bits. Every method may block and may be called from any
// thread; daemons call them from the worker pool or from the journal's writer, not from the loop.
//
// Errors: NOT_FOUND; ALREADY_EXISTS; PERMISSION_DENIED; RESOURCE_EXHAUSTED (disk or quota full);
// UNAVAILABLE (out of descriptors or memory, a stale NFS handle, a lock held elsewhere);
// FAILED_PRECONDITION (a folder where a file should be, or the reverse); DATA_LOSS (the device
// failed: EIO). Messages name the path.

#ifndef PODFERRY_CORE_OS_FILE_SYSTEM_H_
#define PODFERRY_CORE_OS_FILE_SYSTEM_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace podferry {

// A file that is written at its end only. One thread at a time; destroying it closes the file.
class AppendFile {
 public:
  virtual ~AppendFile() = default;

  // Writes all pieces, one after the other. After an error, part of them may be there: Truncate().
  virtual absl::Status Append(absl::Span<const absl::string_view> pieces) = 0;
  absl::Status Append(absl::string_view data) { return Append(absl::MakeConstSpan(&data, 1)); }

  // Returns once all that was appended is on the disk (fdatasync). After an error other than
  // RESOURCE_EXHAUSTED, what was appended since the last Sync() may be lost although a later one
  // says OK: never call it again, give the file up.
  virtual absl::Status Sync() = 0;

  virtual absl::Status Truncate(uint64_t size) = 0;

  // Where the next Append() goes; includes what is not synced.
  virtual uint64_t Size() const = 0;
};

// A file that can be read anywhere, also after it was removed. Several threads at a time.
class RandomAccessFile {
 public:
  virtual ~RandomAccessFile() = default;

  // Up to `length` bytes from `offset` into `buffer`; returns how many, fewer only at the end.
  virtual absl::StatusOr<size_t> Read(uint64_t offset, size_t length, char* buffer) const = 0;
};

// A lock on a file; destroying it (or the end of the process) gives it up.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

struct FileInfo {
  enum class Type { kFile, kFolder, kSymlink, kOther };
  Type type = Type::kOther;
  uint64_t size = 0;
  mode_t mode = 0;  // Permission bits only.
  uid_t owner = 0;
  absl::Time modified;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  virtual absl::StatusOr<std::string> ReadFile(const std::string& path) = 0;

  // Replaces (or creates) a file by one with this content, durably: whoever reads `path`, even
  // after a power loss, finds the old content or the new one.
  virtual absl::Status WriteFileAtomic(const std::string& path, absl::string_view data,
                                       mode_t mode) = 0;

  // Opens for appending, creating it with `mode` if it is not there (SyncDir() makes that durable).
  virtual absl::StatusOr<std::unique_ptr<AppendFile>> OpenAppend(const std::string& path,
                                                                 mode_t mode) = 0;
  virtual absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenRead(const std::string& path) = 0;

  // Up to `length` bytes from `offset`, fewer only at the end of the file.
  absl::StatusOr<std::string> ReadAt(const std::string& path, uint64_t offset, size_t length);

  // The names in a folder, sorted, without "." and "..".
  virtual absl::StatusOr<std::vector<std::string>> ListDir(const std::string& path) = 0;

  // Creates a folder and the missing ones above it; those it creates get exactly `mode`.
  virtual absl::Status MakeDirs(const std::string& path, mode_t mode) = 0;

  // Removes a file, a symbolic link, or an empty folder.
  virtual absl::Status Remove(const std::string& path) = 0;

  // Removes a file, or a folder with all below it. What symbolic links point to stays. Folders that
  // their owner may not enter (mode 0000) are opened up first. OK when there was nothing.
  virtual absl::Status RemoveAll(const std::string& path) = 0;

  virtual absl::Status Rename(const std::string& from, const std::string& to) = 0;

  // Makes the names in a folder durable: what was created, renamed and removed there.
  virtual absl::Status SyncDir(const std::string& path) = 0;

  // Does not follow a symbolic link at the end of `path`.
  virtual absl::StatusOr<FileInfo> Stat(const std::string& path) = 0;

  // Creates `path` if need be and locks it against other processes (and other calls in this one),
  // on NFS too. UNAVAILABLE, with the pid and host that hold it, when it is held.
  virtual absl::StatusOr<std::unique_ptr<FileLock>> Lock(const std::string& path) = 0;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_OS_FILE_SYSTEM_H_
