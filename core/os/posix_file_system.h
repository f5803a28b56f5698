// The real files. Has no state; main() makes one.

#ifndef PODFERRY_CORE_OS_POSIX_FILE_SYSTEM_H_
#define PODFERRY_CORE_OS_POSIX_FILE_SYSTEM_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/os/file_system.h"

namespace podferry {

class PosixFileSystem final : public FileSystem {
 public:
  absl::StatusOr<std::string> ReadFile(const std::string& path) override;
  absl::Status WriteFileAtomic(const std::string& path, absl::string_view data,
                               mode_t mode) override;
  absl::StatusOr<std::unique_ptr<AppendFile>> OpenAppend(const std::string& path,
                                                         mode_t mode) override;
  absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenRead(const std::string& path) override;
  absl::StatusOr<std::vector<std::string>> ListDir(const std::string& path) override;
  absl::Status MakeDirs(const std::string& path, mode_t mode) override;
  absl::Status Remove(const std::string& path) override;
  absl::Status RemoveAll(const std::string& path) override;
  absl::Status Rename(const std::string& from, const std::string& to) override;
  absl::Status SyncDir(const std::string& path) override;
  absl::StatusOr<FileInfo> Stat(const std::string& path) override;
  absl::StatusOr<std::unique_ptr<FileLock>> Lock(const std::string& path) override;
};

// `error` (an errno) as a status by the table in file_system.h: "open /a/b: No such file...".
absl::Status ErrnoToFileStatus(int error, absl::string_view operation, absl::string_view path);

}  // namespace podferry

#endif  // PODFERRY_CORE_OS_POSIX_FILE_SYSTEM_H_
