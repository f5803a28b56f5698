// Open files of PosixFileSystem.

#ifndef PODFERRY_CORE_OS_POSIX_OPEN_FILE_H_
#define PODFERRY_CORE_OS_POSIX_OPEN_FILE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/os/file_system.h"
#include "core/os/unique_fd.h"

namespace podferry {

// `path` is for messages.
std::unique_ptr<AppendFile> MakeAppendFile(UniqueFd fd, std::string path, uint64_t size);
std::unique_ptr<RandomAccessFile> MakeRandomAccessFile(UniqueFd fd, std::string path);

// Writes all pieces, one after the other, from `offset` on; false leaves errno.
bool WriteAll(int fd, absl::Span<const absl::string_view> pieces, uint64_t offset);

}  // namespace podferry

#endif  // PODFERRY_CORE_OS_POSIX_OPEN_FILE_H_
