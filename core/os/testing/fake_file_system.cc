#include "core/os/testing/fake_file_system.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/base/status_macros.h"

namespace podferry {
namespace {

std::string ParentOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

struct Node {
  bool is_folder = false;
  mode_t mode = 0;
  std::string data;
  std::string synced;      // What a power loss leaves.
  bool only_grown = true;  // Since the last sync.
  uint64_t unreadable_from = 0, unreadable_bytes = 0;

  void MarkSynced() {
    if (only_grown) {
      synced.append(data, synced.size(), std::string::npos);
    } else {
      synced = data;
    }
    only_grown = true;
  }
};

using Names = std::map<std::string, std::shared_ptr<Node>>;

absl::Status NoSuch(const std::string& path) {
  return absl::NotFoundError("no such file: " + path);
}

}  // namespace

struct FakeFileSystem::Disk {
  mutable std::mutex mutex;
  Names names;
  Names durable_names;
  std::set<std::string> locks;
  bool has_power = true;
  int boot = 0;  // Files that were opened before a power loss fail.
  int64_t free_space = -1;
  absl::Status sync_error;
  int64_t syncs = 0;

  absl::Status CheckPower() const {
    return has_power ? absl::OkStatus() : absl::DataLossError("no power");
  }
  // A copy that shares no reference count with ours: TSan does not see those of Debian's Abseil.
  absl::Status SyncError() const { return absl::Status(sync_error.code(), sync_error.message()); }
  std::shared_ptr<Node> Find(const std::string& path) const {
    auto it = names.find(path);
    return it == names.end() ? nullptr : it->second;
  }
  absl::Status CheckFolder(const std::string& path) const {
    std::shared_ptr<Node> node = Find(path);
    if (node == nullptr) return NoSuch(path);
    return node->is_folder ? absl::OkStatus() : absl::FailedPreconditionError(path + " is a file");
  }
  absl::StatusOr<std::shared_ptr<Node>> FindFile(const std::string& path) const {
    std::shared_ptr<Node> node = Find(path);
    if (node == nullptr) return NoSuch(path);
    if (node->is_folder) return absl::FailedPreconditionError(path + " is a folder");
    return node;
  }
  // As much of `size` as there is space for.
  uint64_t Take(uint64_t size) {
    if (free_space < 0) return size;
    const uint64_t taken = std::min<uint64_t>(size, free_space);
    free_space -= taken;
    return taken;
  }
  void Give(uint64_t size) {
    if (free_space >= 0) free_space += size;
  }
  void Forget(const std::string& path) {
    if (auto node = names.extract(path)) Give(node.mapped()->data.size());
  }
};

namespace {

template <typename Disk>
class FakeAppendFile final : public AppendFile {
 public:
  FakeAppendFile(std::shared_ptr<Disk> disk, std::shared_ptr<Node> node)
      : disk_(std::move(disk)), node_(std::move(node)), boot_(disk_->boot) {}

  absl::Status Append(absl::Span<const absl::string_view> pieces) override {
    std::lock_guard<std::mutex> lock(disk_->mutex);
    PODFERRY_RETURN_IF_ERROR(CheckBoot());
    for (absl::string_view piece : pieces) {
      const uint64_t fits = disk_->Take(piece.size());
      node_->data.append(piece.data(), fits);
      if (fits < piece.size()) return absl::ResourceExhaustedError("no space left on device");
    }
    return absl::OkStatus();
  }

  absl::Status Sync() override {
    std::lock_guard<std::mutex> lock(disk_->mutex);
    PODFERRY_RETURN_IF_ERROR(CheckBoot());
    PODFERRY_RETURN_IF_ERROR(disk_->SyncError());
    node_->MarkSynced();
    ++disk_->syncs;
    return absl::OkStatus();
  }

  absl::Status Truncate(uint64_t size) override {
    std::lock_guard<std::mutex> lock(disk_->mutex);
    PODFERRY_RETURN_IF_ERROR(CheckBoot());
    if (size < node_->data.size()) disk_->Give(node_->data.size() - size);
    if (size < node_->synced.size()) node_->only_grown = false;
    node_->data.resize(size);
    return absl::OkStatus();
  }

  uint64_t Size() const override {
    std::lock_guard<std::mutex> lock(disk_->mutex);
    return node_->data.size();
  }

 private:
  absl::Status CheckBoot() const {
    if (boot_ != disk_->boot) return absl::DataLossError("the power was lost");
    return disk_->CheckPower();
  }

  const std::shared_ptr<Disk> disk_;
  const std::shared_ptr<Node> node_;
  const int boot_;
};

template <typename Disk>
class FakeRandomAccessFile final : public RandomAccessFile {
 public:
  FakeRandomAccessFile(std::shared_ptr<Disk> disk, std::shared_ptr<Node> node)
      : disk_(std::move(disk)), node_(std::move(node)) {}

  absl::StatusOr<size_t> Read(uint64_t offset, size_t length, char* buffer) const override {
    std::lock_guard<std::mutex> lock(disk_->mutex);
    const std::string& data = node_->data;
    if (offset >= data.size()) return 0;
    const size_t got = std::min<uint64_t>(length, data.size() - offset);
    if (offset < node_->unreadable_from + node_->unreadable_bytes &&
        offset + got > node_->unreadable_from) {
      return absl::DataLossError("a bad sector");
    }
    std::memcpy(buffer, data.data() + offset, got);
    return got;
  }

 private:
  const std::shared_ptr<Disk> disk_;
  const std::shared_ptr<Node> node_;
};

template <typename Disk>
class FakeFileLock final : public FileLock {
 public:
  FakeFileLock(std::shared_ptr<Disk> disk, std::string path)
      : disk_(std::move(disk)), path_(std::move(path)) {}
  ~FakeFileLock() override {
    std::lock_guard<std::mutex> lock(disk_->mutex);
    disk_->locks.erase(path_);
  }

 private:
  const std::shared_ptr<Disk> disk_;
  const std::string path_;
};

}  // namespace

FakeFileSystem::FakeFileSystem() : disk_(std::make_shared<Disk>()) {
  auto root = std::make_shared<Node>();
  root->is_folder = true;
  root->mode = 0755;
  disk_->names["/"] = disk_->durable_names["/"] = root;
}

FakeFileSystem::~FakeFileSystem() = default;

void FakeFileSystem::SimulatePowerLoss(std::function<uint64_t(uint64_t bytes)> keep) {
  CutPower(std::move(keep));
  Reboot();
}

void FakeFileSystem::Reboot() {
  std::lock_guard<std::mutex> lock(disk_->mutex);
  disk_->has_power = true;
}

void FakeFileSystem::CutPower(std::function<uint64_t(uint64_t bytes)> keep) {
  std::lock_guard<std::mutex> lock(disk_->mutex);
  disk_->has_power = false;
  ++disk_->boot;
  disk_->locks.clear();
  disk_->names = disk_->durable_names;
  for (auto& [path, node] : disk_->names) {
    const bool has_more = node->only_grown && node->data.size() > node->synced.size();
    const uint64_t more = has_more ? node->data.size() - node->synced.size() : 0;
    const uint64_t kept = keep != nullptr && more > 0 ? std::min(keep(more), more) : 0;
    if (node->only_grown) {
      node->data.resize(node->synced.size() + kept);
    } else {
      node->data = node->synced;
    }
    node->synced = node->data;
    node->only_grown = true;
  }
}

void FakeFileSystem::SetFreeSpace(int64_t bytes) {
  std::lock_guard<std::mutex> lock(disk_->mutex);
  disk_->free_space = bytes;
}

void FakeFileSystem::FailSyncs(absl::Status status) {
  std::lock_guard<std::mutex> lock(disk_->mutex);
  disk_->sync_error = std::move(status);
}

void FakeFileSystem::FailReads(const std::string& path, uint64_t offset, uint64_t length) {
  std::lock_guard<std::mutex> lock(disk_->mutex);
  std::shared_ptr<Node> node = disk_->names.at(path);
  node->unreadable_from = offset;
  node->unreadable_bytes = length;
}

void FakeFileSystem::FlipBit(const std::string& path, uint64_t offset, int bit) {
  std::lock_guard<std::mutex> lock(disk_->mutex);
  std::shared_ptr<Node> node = disk_->names.at(path);
  node->data.at(offset) ^= static_cast<char>(1 << bit);
  if (offset < node->synced.size()) node->synced[offset] = node->data[offset];
}

void FakeFileSystem::TruncateFile(const std::string& path, uint64_t size) {
  std::lock_guard<std::mutex> lock(disk_->mutex);
  std::shared_ptr<Node> node = disk_->names.at(path);
  node->data.resize(std::min<uint64_t>(size, node->data.size()));
  node->synced.resize(std::min<uint64_t>(size, node->synced.size()));
}

void FakeFileSystem::ZeroRange(const std::string& path, uint64_t offset, uint64_t length) {
  std::lock_guard<std::mutex> lock(disk_->mutex);
  std::shared_ptr<Node> node = disk_->names.at(path);
  for (std::string* data : {&node->data, &node->synced}) {
    for (uint64_t i = offset; i < std::min<uint64_t>(offset + length, data->size()); ++i) {
      (*data)[i] = '\0';
    }
  }
}

std::string FakeFileSystem::ContentOf(const std::string& path) const {
  std::lock_guard<std::mutex> lock(disk_->mutex);
  std::shared_ptr<Node> node = disk_->Find(path);
  return node == nullptr ? "" : node->data;
}

int64_t FakeFileSystem::syncs() const {
  std::lock_guard<std::mutex> lock(disk_->mutex);
  return disk_->syncs;
}

absl::StatusOr<std::string> FakeFileSystem::ReadFile(const std::string& path) {
  std::lock_guard<std::mutex> lock(disk_->mutex);
  PODFERRY_RETURN_IF_ERROR(disk_->CheckPower());
  PODFERRY_ASSIGN_OR_RETURN(std::shared_ptr<Node> node, disk_->FindFile(path));
  return node->data;
}

absl::Status FakeFileSystem::WriteFileAtomic(const std::string& path, absl::string_view data,
                                             mode_t mode) {
  std::lock_guard<std::mutex> lock(disk_->mutex);
  PODFERRY_RETURN_IF_ERROR(disk_->CheckPower());
  PODFERRY_RETURN_IF_ERROR(disk_->CheckFolder(ParentOf(path)));
  PODFERRY_RETURN_IF_ERROR(disk_->SyncError());
  if (const uint64_t fits = disk_->Take(data.size()); fits < data.size()) {
    disk_->Give(fits);
    return absl::ResourceExhaustedError("no space left on device");
  }
  disk_->Forget(path);
  auto node = std::make_shared<Node>();
  node->mode = mode;
  node->data = node->synced = std::string(data);
  disk_->names[path] = disk_->durable_names[path] = node;
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<AppendFile>> FakeFileSystem::OpenAppend(const std::string& path,
                                                                       mode_t mode) {
  std::lock_guard<std::mutex> lock(disk_->mutex);
  PODFERRY_RETURN_IF_ERROR(disk_->CheckPower());
  PODFERRY_RETURN_IF_ERROR(disk_->CheckFolder(ParentOf(path)));
  std::shared_ptr<Node>& node = disk_->names[path];
  if (node == nullptr) {
    node = std::make_shared<Node>();
    node->mode = mode;
  }
  if (node->is_folder) return absl::FailedPreconditionError(path + " is a folder");
  return std::make_unique<FakeAppendFile<Disk>>(disk_, node);
}

absl::StatusOr<std::unique_ptr<RandomAccessFile>> FakeFileSystem::OpenRead(
    const std::string& path) {
  std::lock_guard<std::mutex> lock(disk_->mutex);
  PODFERRY_RETURN_IF_ERROR(disk_->CheckPower());
  PODFERRY_ASSIGN_OR_RETURN(std::shared_ptr<Node> node, disk_->FindFile(path));
  return std::make_unique<FakeRandomAccessFile<Disk>>(disk_, node);
}

absl::StatusOr<std::vector<std::string>> FakeFileSystem::ListDir(const std::string& path) {
  std::lock_guard<std::mutex> lock(disk_->mutex);
  PODFERRY_RETURN_IF_ERROR(disk_->CheckPower());
  PODFERRY_RETURN_IF_ERROR(disk_->CheckFolder(path));
  std::vector<std::string> names;
  for (const auto& [name, node] : disk_->names) {
    if (name != "/" && ParentOf(name) == path) names.push_back(name.substr(name.rfind('/') + 1));
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::Status FakeFileSystem::MakeDirs(const std::string& path, mode_t mode) {
  std::vector<std::string> missing;
  std::lock_guard<std::mutex> lock(disk_->mutex);
  PODFERRY_RETURN_IF_ERROR(disk_->CheckPower());
  for (std::string folder = path; disk_->Find(folder) == nullptr; folder = ParentOf(folder)) {
    missing.push_back(folder);
  }
  PODFERRY_RETURN_IF_ERROR(disk_->CheckFolder(missing.empty() ? path : ParentOf(missing.back())));
  for (const std::string& folder : missing) {
    auto node = std::make_shared<Node>();
    node->is_folder = true;
    node->mode = mode;
    disk_->names[folder] = disk_->durable_names[folder] = node;
  }
  return absl::OkStatus();
}

absl::Status FakeFileSystem::Remove(const std::string& path) {
  std::lock_guard<std::mutex> lock(disk_->mutex);
  PODFERRY_RETURN_IF_ERROR(disk_->CheckPower());
  std::shared_ptr<Node> node = disk_->Find(path);
  if (node == nullptr) return NoSuch(path);
  auto next = disk_->names.upper_bound(path + "/");
  if (next != disk_->names.end() && absl::StartsWith(next->first, path + "/")) {
    return absl::AlreadyExistsError(path + " is not empty");
  }
  disk_->Forget(path);
  return absl::OkStatus();
}

absl::Status FakeFileSystem::RemoveAll(const std::string& path) {
  std::lock_guard<std::mutex> lock(disk_->mutex);
  PODFERRY_RETURN_IF_ERROR(disk_->CheckPower());
  std::vector<std::string> doomed;
  for (const auto& [name, node] : disk_->names) {
    if (name == path || absl::StartsWith(name, path + "/")) doomed.push_back(name);
  }
  for (const std::string& name : doomed) disk_->Forget(name);
  return absl::OkStatus();
}

absl::Status FakeFileSystem::Rename(const std::string& from, const std::string& to) {
  std::lock_guard<std::mutex> lock(disk_->mutex);
  PODFERRY_RETURN_IF_ERROR(disk_->CheckPower());
  if (disk_->Find(from) == nullptr) return NoSuch(from);
  PODFERRY_RETURN_IF_ERROR(disk_->CheckFolder(ParentOf(to)));
  if (from == to) return absl::OkStatus();
  disk_->Forget(to);
  Names moved;
  for (auto it = disk_->names.begin(); it != disk_->names.end();) {
    if (it->first != from && !absl::StartsWith(it->first, from + "/")) {
      ++it;
      continue;
    }
    moved[to + it->first.substr(from.size())] = it->second;
    it = disk_->names.erase(it);
  }
  disk_->names.merge(moved);
  return absl::OkStatus();
}

absl::Status FakeFileSystem::SyncDir(const std::string& path) {
  std::lock_guard<std::mutex> lock(disk_->mutex);
  PODFERRY_RETURN_IF_ERROR(disk_->CheckPower());
  PODFERRY_RETURN_IF_ERROR(disk_->CheckFolder(path));
  PODFERRY_RETURN_IF_ERROR(disk_->SyncError());
  std::erase_if(disk_->durable_names, [&](const auto& entry) {
    return ParentOf(entry.first) == path && !disk_->names.contains(entry.first);
  });
  for (const auto& [name, node] : disk_->names) {
    if (ParentOf(name) == path) disk_->durable_names[name] = node;
  }
  return absl::OkStatus();
}

absl::StatusOr<FileInfo> FakeFileSystem::Stat(const std::string& path) {
  std::lock_guard<std::mutex> lock(disk_->mutex);
  PODFERRY_RETURN_IF_ERROR(disk_->CheckPower());
  std::shared_ptr<Node> node = disk_->Find(path);
  if (node == nullptr) return NoSuch(path);
  FileInfo info;
  info.type = node->is_folder ? FileInfo::Type::kFolder : FileInfo::Type::kFile;
  info.size = node->data.size();
  info.mode = node->mode;
  return info;
}

absl::StatusOr<std::unique_ptr<FileLock>> FakeFileSystem::Lock(const std::string& path) {
  std::lock_guard<std::mutex> lock(disk_->mutex);
  PODFERRY_RETURN_IF_ERROR(disk_->CheckPower());
  PODFERRY_RETURN_IF_ERROR(disk_->CheckFolder(ParentOf(path)));
  if (!disk_->locks.insert(path).second) {
    return absl::UnavailableError(path + " is held by another process");
  }
  return std::make_unique<FakeFileLock<Disk>>(disk_, path);
}

}  // namespace podferry
