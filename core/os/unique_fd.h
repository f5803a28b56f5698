// A file descriptor that is closed with its owner. For implementations in core/os.

#ifndef PODFERRY_CORE_OS_UNIQUE_FD_H_
#define PODFERRY_CORE_OS_UNIQUE_FD_H_

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace podferry {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.Release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      Reset();
      fd_ = other.Release();
    }
    return *this;
  }
  ~UniqueFd() { Reset(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int Release() { return std::exchange(fd_, -1); }
  void Reset() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

// Calls `operation` again for as long as a signal interrupts it (EINTR).
template <typename Operation>
auto RetryInterrupted(Operation operation) {
  decltype(operation()) result;
  do {
    result = operation();
  } while (result == -1 && errno == EINTR);
  return result;
}

}  // namespace podferry

#endif  // PODFERRY_CORE_OS_UNIQUE_FD_H_
