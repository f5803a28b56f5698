// What a folder holds, to find out what has changed where the kernel does not tell. For
// FileWatcher.

#ifndef PODFERRY_CORE_OS_FOLDER_SNAPSHOT_H_
#define PODFERRY_CORE_OS_FOLDER_SNAPSHOT_H_

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace podferry {

class FolderSnapshot {
 public:
  // Reads the folder; one that cannot be read is empty.
  static FolderSnapshot Take(const std::string& folder);

  // The names that are new, gone, or whose file is another or was written.
  std::vector<std::string> ChangedSince(const FolderSnapshot& before) const;

 private:
  // Inode, size, and both times: a file that is replaced by one of the same size within the grain
  // of the clock has another inode.
  using Mark = std::tuple<uint64_t, int64_t, int64_t, int64_t>;
  std::map<std::string, Mark> files_;
};

// Whether other machines may write to the folder's file system: NFS, Lustre, GPFS, CephFS, FUSE,
// SMB and the like, whose changes inotify does not tell.
bool IsOnSharedFileSystem(const std::string& folder);

}  // namespace podferry

#endif  // PODFERRY_CORE_OS_FOLDER_SNAPSHOT_H_
