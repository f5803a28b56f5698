#include "core/os/posix_file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/os/posix_open_file.h"
#include "core/os/remove_tree.h"
#include "core/os/unique_fd.h"

namespace podferry {
namespace {

absl::Status Failed(absl::string_view operation, absl::string_view path) {
  return ErrnoToFileStatus(errno, operation, path);
}

std::string ParentOf(const std::string& path) {
  const size_t slash = path.find_last_not_of('/') == std::string::npos
                           ? 0
                           : path.rfind('/', path.find_last_not_of('/'));
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// An open-file-description lock: unlike flock() it works over NFS, unlike plain fcntl() locks it is
// not lost when some other part of the process opens and closes the file.
class PosixFileLock final : public FileLock {
 public:
  explicit PosixFileLock(UniqueFd fd) : fd_(std::move(fd)) {}

 private:
  const UniqueFd fd_;
};

std::string HolderName() {
  char host[HOST_NAME_MAX + 1] = "unknown host";
  gethostname(host, sizeof(host) - 1);
  return absl::StrCat("process ", getpid(), " on ", host);
}

FileInfo::Type TypeOf(mode_t mode) {
  if (S_ISREG(mode)) return FileInfo::Type::kFile;
  if (S_ISDIR(mode)) return FileInfo::Type::kFolder;
  if (S_ISLNK(mode)) return FileInfo::Type::kSymlink;
  return FileInfo::Type::kOther;
}

}  // namespace

absl::Status ErrnoToFileStatus(int error, absl::string_view operation, absl::string_view path) {
  const std::string text =
      absl::StrCat(operation, " ", path, ": ", std::generic_category().message(error));
  switch (error) {
    case ENOENT:
      return absl::NotFoundError(text);
    case EEXIST:
    case ENOTEMPTY:
      return absl::AlreadyExistsError(text);
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(text);
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return absl::ResourceExhaustedError(text);
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN:
    case ESTALE:
    case EBUSY:
    case ETIMEDOUT:
      return absl::UnavailableError(text);
    case EIO:
      return absl::DataLossError(text);
    default:
      return absl::FailedPreconditionError(text);
  }
}

absl::StatusOr<std::string> PosixFileSystem::ReadFile(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return Failed("open", path);
  struct stat info;
  if (fstat(fd.get(), &info) != 0) return Failed("stat", path);
  // Files of /proc say that they are empty, and files may grow: read until there is no more.
  std::string data(std::max<size_t>(info.st_size + 1, 4096), '\0');
  size_t size = 0;
  while (true) {
    const ssize_t got =
        RetryInterrupted([&] { return read(fd.get(), &data[size], data.size() - size); });
    if (got < 0) return Failed("read", path);
    if (got == 0) break;
    size += got;
    if (size == data.size()) data.resize(data.size() * 2);
  }
  data.resize(size);
  return data;
}

absl::Status PosixFileSystem::WriteFileAtomic(const std::string& path, absl::string_view data,
                                              mode_t mode) {
  static std::atomic<int> counter = 0;
  const std::string temporary =
      absl::StrCat(path, ".", getpid(), "-", counter.fetch_add(1), ".tmp");
  UniqueFd fd(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!fd.valid()) return Failed("create", temporary);
  absl::Status status;
  // fchmod(): the mode asked for, whatever our umask is.
  if (fchmod(fd.get(), mode) != 0) {
    status = Failed("set the mode of", temporary);
  } else if (!WriteAll(fd.get(), {data}, 0)) {
    status = Failed("write", temporary);
  } else if (RetryInterrupted([&] { return fsync(fd.get()); }) != 0) {
    status = Failed("sync", temporary);
  } else if (rename(temporary.c_str(), path.c_str()) != 0) {
    status = Failed("rename to", path);
  }
  if (!status.ok()) {
    unlink(temporary.c_str());
    return status;
  }
  return SyncDir(ParentOf(path));
}

absl::StatusOr<std::unique_ptr<AppendFile>> PosixFileSystem::OpenAppend(const std::string& path,
                                                                        mode_t mode) {
  UniqueFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, mode));
  if (!fd.valid()) return Failed("open", path);
  struct stat info;
  if (fstat(fd.get(), &info) != 0) return Failed("stat", path);
  return MakeAppendFile(std::move(fd), path, info.st_size);
}

absl::StatusOr<std::unique_ptr<RandomAccessFile>> PosixFileSystem::OpenRead(
    const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return Failed("open", path);
  return MakeRandomAccessFile(std::move(fd), path);
}

absl::StatusOr<std::vector<std::string>> PosixFileSystem::ListDir(const std::string& path) {
  DIR* folder = opendir(path.c_str());
  if (folder == nullptr) return Failed("open", path);
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = readdir(folder)) {
    const absl::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  const int error = errno;
  closedir(folder);
  if (error != 0) return ErrnoToFileStatus(error, "list", path);
  std::sort(names.begin(), names.end());
  return names;
}

absl::Status PosixFileSystem::MakeDirs(const std::string& path, mode_t mode) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) return absl::OkStatus();
    return ErrnoToFileStatus(ENOTDIR, "create", path);
  }
  if (errno != ENOENT) return Failed("create", path);
  const std::string parent = ParentOf(path);
  PODFERRY_RETURN_IF_ERROR(MakeDirs(parent, mode));
  if (mkdir(path.c_str(), mode) != 0) {
    // Somebody else may have made it just now.
    if (errno == EEXIST && stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
      return absl::OkStatus();
    }
    return Failed("create", path);
  }
  if (chmod(path.c_str(), mode) != 0) return Failed("set the mode of", path);
  return SyncDir(parent);
}

absl::Status PosixFileSystem::Remove(const std::string& path) {
  if (remove(path.c_str()) != 0) return Failed("remove", path);
  return absl::OkStatus();
}

absl::Status PosixFileSystem::RemoveAll(const std::string& path) { return RemoveTree(path); }

absl::Status PosixFileSystem::Rename(const std::string& from, const std::string& to) {
  if (rename(from.c_str(), to.c_str()) != 0) {
    return Failed(absl::StrCat("rename ", from, " to"), to);
  }
  return absl::OkStatus();
}

absl::Status PosixFileSystem::SyncDir(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return Failed("open", path);
  // Some file systems (FUSE, SMB) cannot sync folders and say EINVAL; there is no more to be had.
  if (RetryInterrupted([&] { return fsync(fd.get()); }) != 0 && errno != EINVAL) {
    return Failed("sync", path);
  }
  return absl::OkStatus();
}

absl::StatusOr<FileInfo> PosixFileSystem::Stat(const std::string& path) {
  struct stat info;
  if (lstat(path.c_str(), &info) != 0) return Failed("stat", path);
  FileInfo result;
  result.type = TypeOf(info.st_mode);
  result.size = info.st_size;
  result.mode = info.st_mode & 07777;
  result.owner = info.st_uid;
  result.modified = absl::TimeFromTimespec(info.st_mtim);
  return result;
}

absl::StatusOr<std::unique_ptr<FileLock>> PosixFileSystem::Lock(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd.valid()) return Failed("open", path);
  struct flock request = {};
  request.l_type = F_WRLCK;
  request.l_whence = SEEK_SET;
  if (fcntl(fd.get(), F_OFD_SETLK, &request) != 0) {
    if (errno != EAGAIN && errno != EACCES) return Failed("lock", path);
    char holder[256] = "";
    const ssize_t got = pread(fd.get(), holder, sizeof(holder) - 1, 0);
    const absl::string_view name(holder, std::max<ssize_t>(got, 0));
    return absl::UnavailableError(
        absl::StrCat(path, " is held by ", name.empty() ? "another process" : name));
  }
  const std::string name = HolderName();
  if (ftruncate(fd.get(), 0) != 0 || !WriteAll(fd.get(), {name}, 0)) {
    // The lock is ours; that its holder is not named only makes another's error poorer.
  }
  return std::make_unique<PosixFileLock>(std::move(fd));
}

}  // namespace podferry
