// A folder of its own for a test's unix sockets, removed with all that is in it at the end. Bazel's
// own temporary folder has a name longer than a socket's address may be.

#ifndef PODFERRY_CORE_HTTP_TESTING_SOCKET_FOLDER_H_
#define PODFERRY_CORE_HTTP_TESTING_SOCKET_FOLDER_H_

#include <string>

#include "absl/strings/string_view.h"
#include "core/http/listen_address.h"

namespace podferry {

class SocketFolder {
 public:
  SocketFolder();
  ~SocketFolder();
  SocketFolder(const SocketFolder&) = delete;

  std::string Path(absl::string_view name) const;
  ListenAddress Address(absl::string_view name) const;

 private:
  std::string path_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_HTTP_TESTING_SOCKET_FOLDER_H_
