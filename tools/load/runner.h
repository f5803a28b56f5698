// Sends requests over keep-alive connections, each as soon as the one before is answered, and
// measures. One thread, epoll, and no HTTP library: the generator shares its machine with the
// server it measures, so it has to cost little beside it. Blocks until all is answered.

#ifndef PODFERRY_TOOLS_LOAD_RUNNER_H_
#define PODFERRY_TOOLS_LOAD_RUNNER_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/http/listen_address.h"
#include "tools/load/latencies.h"
#include "tools/load/pod_requests.h"

namespace podferry::load {

struct RunOptions {
  ListenAddress server;
  size_t clients = 32;
  size_t requests = 10000;
  uint32_t run = 0;
  // Request number i is about the pods from `first_pod` + (i * pods per request) % `pod_cycle`.
  uint32_t first_pod = 0;
  uint32_t pod_cycle = UINT32_MAX;
  // With no answer at all for so long, the run ends and what was sent counts as broken.
  absl::Duration stall_timeout = absl::Seconds(30);
};

// Unavailable if nobody can be connected to. What happens later is in the outcome: a connection
// that breaks is counted and replaced.
absl::StatusOr<Outcome> RunLoad(const RunOptions& options, const RequestTemplate& request);

}  // namespace podferry::load

#endif  // PODFERRY_TOOLS_LOAD_RUNNER_H_
