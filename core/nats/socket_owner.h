// Whose socket is at the other end of a loopback connection. Linux; any thread.

#ifndef PODFERRY_CORE_NATS_SOCKET_OWNER_H_
#define PODFERRY_CORE_NATS_SOCKET_OWNER_H_

#include <sys/types.h>

#include <optional>

#include "absl/strings/string_view.h"

namespace podferry {

// The user of the TCP socket at 127.0.0.1:`port` that is connected to 127.0.0.1:`peer_port`, from
// the text of /proc/net/tcp (see proc(5)); nothing when it is not listed.
std::optional<uid_t> LoopbackSocketOwner(absl::string_view table, int port, int peer_port);

// Whether that socket belongs to our own user. False when it cannot be found out.
bool LoopbackSocketIsOurs(int port, int peer_port);

}  // namespace podferry

#endif  // PODFERRY_CORE_NATS_SOCKET_OWNER_H_
