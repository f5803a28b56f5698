// Files in memory, with the worst that a disk may do. As POSIX promises no more: what was written
// is durable after Sync() of the file, and a name after SyncDir() of its folder. Any thread.

#ifndef PODFERRY_CORE_OS_TESTING_FAKE_FILE_SYSTEM_H_
#define PODFERRY_CORE_OS_TESTING_FAKE_FILE_SYSTEM_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/os/file_system.h"

namespace podferry {

class FakeFileSystem final : public FileSystem {
 public:
  FakeFileSystem();
  ~FakeFileSystem() override;

  // --- Faults.

  // All that was not synced is gone, and everything fails with DATA_LOSS until Reboot(): threads
  // that a real power loss would have ended get nothing done any more. Files that are open stay
  // dead. Of data appended to a file that was not synced, the first `keep(bytes)` survive, as after
  // a real torn write (null: none).
  void CutPower(std::function<uint64_t(uint64_t bytes)> keep = nullptr);
  void Reboot();
  // Both at once, for when nobody is writing.
  void SimulatePowerLoss(std::function<uint64_t(uint64_t bytes)> keep = nullptr);

  // How many more bytes can be written before RESOURCE_EXHAUSTED; a write that does not fit is done
  // in part. Negative: no limit.
  void SetFreeSpace(int64_t bytes);

  // Sync() and SyncDir() fail with `status` from now on; OK ends that.
  void FailSyncs(absl::Status status);

  // Reads that touch this part of the file fail with DATA_LOSS, as from a bad sector.
  void FailReads(const std::string& path, uint64_t offset, uint64_t length);

  // Changes a file behind everyone's back, on disk too. The bit is number `bit` (0..7) of the byte.
  void FlipBit(const std::string& path, uint64_t offset, int bit);
  void TruncateFile(const std::string& path, uint64_t size);
  void ZeroRange(const std::string& path, uint64_t offset, uint64_t length);

  // --- What happened.

  std::string ContentOf(const std::string& path) const;  // Empty if there is no such file.
  int64_t syncs() const;  // Calls of AppendFile::Sync() that were OK.

  // --- FileSystem.

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

 private:
  struct Disk;
  std::shared_ptr<Disk> disk_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_OS_TESTING_FAKE_FILE_SYSTEM_H_
