// What a bus has done since it was made. A copy; values only grow but for the last four.

#ifndef PODFERRY_CORE_NATS_BUS_STATS_H_
#define PODFERRY_CORE_NATS_BUS_STATS_H_

#include <cstdint>
#include <string>

namespace podferry {

struct BusStats {
  uint64_t connections = 0;      // made
  uint64_t failed_connects = 0;  // attempts
  uint64_t losses = 0;           // of a connection
  uint64_t sent_messages = 0;
  uint64_t sent_bytes = 0;  // payloads
  uint64_t received_messages = 0;
  uint64_t received_bytes = 0;
  uint64_t lost_unsent = 0;    // were queued when the connection was lost
  uint64_t refused_full = 0;   // not taken: the sender's queue was full
  uint64_t dropped_slow = 0;   // received, and lost: the loop did not keep up
  uint64_t server_errors = 0;  // permissions, slow consumer

  bool connected = false;
  uint64_t queued = 0;     // to be sent
  std::string server;      // "host:port" of the present or last connection
  std::string last_error;  // without secrets; empty: none yet
};

}  // namespace podferry

#endif  // PODFERRY_CORE_NATS_BUS_STATS_H_
