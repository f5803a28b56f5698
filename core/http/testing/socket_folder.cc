#include "core/http/testing/socket_folder.h"

#include <glog/logging.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace podferry {

SocketFolder::SocketFolder() : path_("/tmp/podferry.XXXXXX") {
  PCHECK(mkdtemp(path_.data()) != nullptr);
}

SocketFolder::~SocketFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string SocketFolder::Path(absl::string_view name) const {
  return absl::StrCat(path_, "/", name);
}

ListenAddress SocketFolder::Address(absl::string_view name) const {
  return {.kind = ListenAddress::Kind::kUnix, .path = Path(name)};
}

}  // namespace podferry
