#include "core/os/file_system.h"

#include <memory>
#include <string>
#include <utility>

#include "core/base/status_macros.h"

namespace podferry {

absl::StatusOr<std::string> FileSystem::ReadAt(const std::string& path, uint64_t offset,
                                               size_t length) {
  PODFERRY_ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file, OpenRead(path));
  std::string data(length, '\0');
  PODFERRY_ASSIGN_OR_RETURN(size_t got, file->Read(offset, length, data.data()));
  data.resize(got);
  return data;
}

}  // namespace podferry
