// The address a daemon listens on, as given on a command line: "127.0.0.1:4000", "[::1]:0",
// "unix:/run/podferry/plugin.sock". Pure values; nothing is opened or resolved here, so a host is
// an IP literal, "localhost" (127.0.0.1), or "*" (every address, IPv6 and IPv4).

#ifndef PODFERRY_CORE_HTTP_LISTEN_ADDRESS_H_
#define PODFERRY_CORE_HTTP_LISTEN_ADDRESS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace podferry {

struct ListenAddress {
  enum class Kind { kTcp, kUnix };
  Kind kind = Kind::kTcp;
  std::string host;   // kTcp: an IP literal without brackets
  uint16_t port = 0;  // kTcp: 0 lets the kernel choose
  std::string path;   // kUnix: absolute

  // Nobody on another machine can connect: a loopback IP or a unix socket.
  bool IsLoopback() const;

  // What ParseListenAddress reads back.
  std::string ToString() const;

  friend bool operator==(const ListenAddress& a, const ListenAddress& b) = default;
};

// InvalidArgument, in words for the user, for anything else, e.g. a missing port, a host name, a
// relative socket path or one longer than a socket address holds (107 bytes).
absl::StatusOr<ListenAddress> ParseListenAddress(absl::string_view text);

}  // namespace podferry

#endif  // PODFERRY_CORE_HTTP_LISTEN_ADDRESS_H_
