#include "core/nats/socket_owner.h"

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace podferry {

std::optional<uid_t> LoopbackSocketOwner(absl::string_view table, int port, int peer_port) {
  // "  0: 0100007F:1F90 0100007F:D2A6 01 00000000:00000000 00:00000000 00000000  1000 ..."
  const std::string local = absl::StrFormat("0100007F:%04X", port);
  const std::string remote = absl::StrFormat("0100007F:%04X", peer_port);
  for (const absl::string_view line : absl::StrSplit(table, '\n')) {
    const std::vector<absl::string_view> fields = absl::StrSplit(line, ' ', absl::SkipEmpty());
    uid_t owner = 0;
    if (fields.size() > 7 && fields[1] == local && fields[2] == remote &&
        absl::SimpleAtoi(fields[7], &owner)) {
      return owner;
    }
  }
  return std::nullopt;
}

bool LoopbackSocketIsOurs(int port, int peer_port) {
  std::ifstream file("/proc/net/tcp");
  const std::string table(std::istreambuf_iterator<char>(file), {});
  return LoopbackSocketOwner(table, port, peer_port) == geteuid();
}

}  // namespace podferry
