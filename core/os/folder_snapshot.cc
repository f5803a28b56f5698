#include "core/os/folder_snapshot.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace podferry {
namespace {

int64_t Nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

}  // namespace

FolderSnapshot FolderSnapshot::Take(const std::string& folder) {
  FolderSnapshot snapshot;
  DIR* stream = opendir(folder.c_str());
  if (stream == nullptr) return snapshot;
  while (const dirent* entry = readdir(stream)) {
    const absl::string_view name = entry->d_name;
    struct stat info;
    if (name == "." || name == "..") continue;
    if (fstatat(dirfd(stream), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    snapshot.files_[std::string(name)] = {info.st_ino, info.st_size, Nanoseconds(info.st_mtim),
                                          Nanoseconds(info.st_ctim)};
  }
  closedir(stream);
  return snapshot;
}

std::vector<std::string> FolderSnapshot::ChangedSince(const FolderSnapshot& before) const {
  std::vector<std::string> changed;
  auto old = before.files_.begin();
  for (const auto& [name, mark] : files_) {
    for (; old != before.files_.end() && old->first < name; ++old) changed.push_back(old->first);
    const bool was_there = old != before.files_.end() && old->first == name;
    if (!was_there || old->second != mark) changed.push_back(name);
    if (was_there) ++old;
  }
  for (; old != before.files_.end(); ++old) changed.push_back(old->first);
  return changed;
}

bool IsOnSharedFileSystem(const std::string& folder) {
  struct statfs info;
  if (statfs(folder.c_str(), &info) != 0) return false;
  switch (static_cast<uint32_t>(info.f_type)) {  // From linux/magic.h and the systems' sources.
    case 0x6969:                                 // NFS
    case 0x0BD00BD0:                             // Lustre
    case 0x47504653:                             // GPFS
    case 0x00C36400:                             // Ceph
    case 0x65735546:                             // FUSE: CVMFS, BeeOND, sshfs
    case 0x19830326:                             // BeeGFS
    case 0xFF534D42:                             // SMB
    case 0xFE534D42:                             // SMB2
    case 0x5346414F:                             // AFS
    case 0x01021997:                             // 9p
    case 0xAAD7AAEA:                             // PanFS
    case 0x7461636F:                             // OCFS2
    case 0x01161970:                             // GFS2
      return true;
    default:
      return false;
  }
}

}  // namespace podferry
