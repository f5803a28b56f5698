#include "core/os/remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/os/posix_file_system.h"
#include "core/os/unique_fd.h"

namespace podferry {
namespace {

// Folders below this depth are moved up to the top before they are emptied: a tree a million levels
// deep would otherwise exhaust the stack and our descriptors.
constexpr int kMaxDepth = 64;

// Lets the owner list and change the folder that `fd` (maybe an O_PATH one) refers to.
void OpenUp(int fd) {
  struct stat info;
  if (fstat(fd, &info) == 0 && (info.st_mode & 0700) != 0700) {
    // Through /proc, because fchmod() refuses O_PATH, and never through the name, which may be a
    // symbolic link by now.
    chmod(absl::StrCat("/proc/self/fd/", fd).c_str(), 0700);
  }
}

// What is mounted there is not ours to empty: EXDEV where `name` is on another device.
UniqueFd OpenFolder(int parent, const std::string& name, std::optional<dev_t> device) {
  constexpr int kFlags = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd path_only(openat(parent, name.c_str(), O_PATH | kFlags));
  if (!path_only.valid()) return UniqueFd();
  struct stat info;
  if (device.has_value() && (fstat(path_only.get(), &info) != 0 || info.st_dev != *device)) {
    errno = EXDEV;
    return UniqueFd();
  }
  OpenUp(path_only.get());
  return UniqueFd(openat(parent, name.c_str(), O_RDONLY | kFlags));
}

bool NamesIn(int folder, std::vector<std::string>& names) {
  const int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* stream = copy < 0 ? nullptr : fdopendir(copy);
  if (stream == nullptr) {
    if (copy >= 0) close(copy);
    return false;
  }
  while (const dirent* entry = readdir(stream)) {
    const absl::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  closedir(stream);
  return true;
}

class TreeRemover {
 public:
  explicit TreeRemover(std::string path) : path_(std::move(path)) {}

  absl::Status Remove() {
    if (unlink(path_.c_str()) == 0 || errno == ENOENT) return absl::OkStatus();
    if (errno != EISDIR && errno != EPERM) return ErrnoToFileStatus(errno, "remove", path_);
    UniqueFd top = OpenFolder(AT_FDCWD, path_, std::nullopt);
    struct stat info;
    if (!top.valid() || fstat(top.get(), &info) != 0) {
      return ErrnoToFileStatus(errno, "open", path_);
    }
    top_ = top.get();
    device_ = info.st_dev;
    do {
      moved_up_ = 0;
      Empty(top_, path_, 0);
    } while (moved_up_ > 0 && first_error_.ok());
    if (rmdir(path_.c_str()) != 0) Note("remove", path_);
    return first_error_;
  }

 private:
  void Note(absl::string_view operation, const std::string& path) {
    if (first_error_.ok()) first_error_ = ErrnoToFileStatus(errno, operation, path);
  }

  void Empty(int folder, const std::string& path, int depth) {
    std::vector<std::string> names;
    if (!NamesIn(folder, names)) return Note("list", path);
    for (const std::string& name : names) RemoveOne(folder, path, name, depth);
  }

  void RemoveOne(int folder, const std::string& path, const std::string& name, int depth) {
    if (unlinkat(folder, name.c_str(), 0) == 0 || errno == ENOENT) return;
    const std::string child_path = absl::StrCat(path, "/", name);
    if (errno != EISDIR && errno != EPERM) return Note("remove", child_path);
    UniqueFd child = OpenFolder(folder, name, device_);
    if (!child.valid()) return Note("open", child_path);
    if (depth == kMaxDepth) {
      const std::string up = absl::StrCat(".removing-", next_name_++);
      if (renameat(folder, name.c_str(), top_, up.c_str()) != 0) return Note("move", child_path);
      ++moved_up_;
      return;
    }
    Empty(child.get(), child_path, depth + 1);
    if (unlinkat(folder, name.c_str(), AT_REMOVEDIR) != 0) Note("remove", child_path);
  }

  const std::string path_;
  int top_ = -1;
  dev_t device_ = 0;
  int next_name_ = 0;
  int moved_up_ = 0;
  absl::Status first_error_;
};

}  // namespace

absl::Status RemoveTree(const std::string& path) { return TreeRemover(path).Remove(); }

}  // namespace podferry
