#include "core/os/posix_open_file.h"

#include <limits.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/os/posix_file_system.h"

namespace podferry {
namespace {

absl::Status Failed(absl::string_view operation, absl::string_view path) {
  return ErrnoToFileStatus(errno, operation, path);
}

// writev() of everything, at `offset`.
bool WriteVectors(int fd, std::vector<iovec> pieces, uint64_t offset) {
  size_t first = 0;
  while (true) {
    while (first < pieces.size() && pieces[first].iov_len == 0) ++first;
    if (first == pieces.size()) return true;
    const int count = static_cast<int>(std::min<size_t>(pieces.size() - first, IOV_MAX));
    const ssize_t wrote = RetryInterrupted(
        [&] { return pwritev(fd, &pieces[first], count, static_cast<off_t>(offset)); });
    if (wrote < 0) return false;
    offset += wrote;
    size_t left = wrote;
    while (left > 0) {
      const size_t step = std::min(left, pieces[first].iov_len);
      pieces[first].iov_base = static_cast<char*>(pieces[first].iov_base) + step;
      pieces[first].iov_len -= step;
      left -= step;
      if (pieces[first].iov_len == 0) ++first;
    }
  }
}

class PosixAppendFile final : public AppendFile {
 public:
  PosixAppendFile(UniqueFd fd, std::string path, uint64_t size)
      : fd_(std::move(fd)), path_(std::move(path)), size_(size) {}

  absl::Status Append(absl::Span<const absl::string_view> pieces) override {
    if (!WriteAll(fd_.get(), pieces, size_)) return Failed("write", path_);
    for (absl::string_view piece : pieces) size_ += piece.size();
    return absl::OkStatus();
  }

  absl::Status Sync() override {
    if (RetryInterrupted([&] { return fdatasync(fd_.get()); }) != 0) return Failed("sync", path_);
    return absl::OkStatus();
  }

  absl::Status Truncate(uint64_t size) override {
    if (RetryInterrupted([&] { return ftruncate(fd_.get(), static_cast<off_t>(size)); }) != 0) {
      return Failed("truncate", path_);
    }
    size_ = size;
    return absl::OkStatus();
  }

  uint64_t Size() const override { return size_; }

 private:
  const UniqueFd fd_;
  const std::string path_;
  uint64_t size_;
};

class PosixRandomAccessFile final : public RandomAccessFile {
 public:
  PosixRandomAccessFile(UniqueFd fd, std::string path)
      : fd_(std::move(fd)), path_(std::move(path)) {}

  absl::StatusOr<size_t> Read(uint64_t offset, size_t length, char* buffer) const override {
    size_t done = 0;
    while (done < length) {
      const ssize_t got = RetryInterrupted([&] {
        return pread(fd_.get(), buffer + done, length - done, static_cast<off_t>(offset + done));
      });
      if (got < 0) return Failed("read", path_);
      if (got == 0) break;
      done += got;
    }
    return done;
  }

 private:
  const UniqueFd fd_;
  const std::string path_;
};

}  // namespace

std::unique_ptr<AppendFile> MakeAppendFile(UniqueFd fd, std::string path, uint64_t size) {
  return std::make_unique<PosixAppendFile>(std::move(fd), std::move(path), size);
}

std::unique_ptr<RandomAccessFile> MakeRandomAccessFile(UniqueFd fd, std::string path) {
  return std::make_unique<PosixRandomAccessFile>(std::move(fd), std::move(path));
}

bool WriteAll(int fd, absl::Span<const absl::string_view> pieces, uint64_t offset) {
  std::vector<iovec> vectors;
  vectors.reserve(pieces.size());
  for (absl::string_view piece : pieces) {
    vectors.push_back({const_cast<char*>(piece.data()), piece.size()});
  }
  return WriteVectors(fd, std::move(vectors), offset);
}

}  // namespace podferry
