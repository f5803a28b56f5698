// What a pool does to see whether a container is well, and at its start and end, as plain data: the
// probes and hooks of a JobPlan, with everything that Kubernetes leaves to defaults filled in.
// Values, no owner, no thread.

#ifndef PODFERRY_CORE_TRANSLATE_PROBE_PLAN_H_
#define PODFERRY_CORE_TRANSLATE_PROBE_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"

namespace podferry {

struct PlannedAction {
  enum class Kind {
    kExec,   // argv, in the container
    kHttp,   // GET url
    kTcp,    // connect to host, port
    kGrpc,   // the health of service at host, port
    kSleep,  // wait for pause
  };
  Kind kind = Kind::kExec;
  std::vector<std::string> argv;
  std::string url;
  // In order; "" sends the header without a value, or not at all if it is User-Agent or Accept.
  std::vector<std::pair<std::string, std::string>> headers;
  std::string host;
  int32_t port = 0;
  std::string service;
  absl::Duration pause = absl::ZeroDuration();
};

struct PlannedProbe {
  enum class Kind { kStartup, kLiveness, kReadiness };
  Kind kind = Kind::kReadiness;
  PlannedAction action;
  absl::Duration delay = absl::ZeroDuration();  // after the container's start
  absl::Duration period = absl::Seconds(10);
  absl::Duration timeout = absl::Seconds(1);
  int success_threshold = 1;
  int failure_threshold = 3;
  std::optional<absl::Duration> grace;  // between SIGTERM and SIGKILL; none: the pod's
};

// How a container that runs is looked after and ended.
struct PlannedCare {
  std::vector<PlannedProbe> probes;  // at most one of each kind
  std::optional<PlannedAction> post_start;
  std::optional<PlannedAction> pre_stop;
  int stop_signal = 0;  // 0: what the image or the runtime uses
};

// What an ended container's status says in its own words.
struct PlannedMessage {
  std::string path;  // a file in the container, absolute; "" is none
  bool falls_back_to_log = false;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_PROBE_PLAN_H_
