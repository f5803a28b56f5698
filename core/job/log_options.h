#ifndef PODFERRY_CORE_JOB_LOG_OPTIONS_H_
#define PODFERRY_CORE_JOB_LOG_OPTIONS_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"

namespace podferry {

// Which part of a container's log is wanted, as kubectl logs asks for it (v1.PodLogOptions).
struct LogOptions {
  std::string container;
  bool follow = false;
  bool previous = false;  // the attempt before the current one
  bool timestamps = false;
  int64_t tail_lines = -1;                  // -1: all
  int64_t limit_bytes = -1;                 // -1: all
  absl::Time since = absl::InfinitePast();  // InfinitePast: from the start

  friend bool operator==(const LogOptions&, const LogOptions&) = default;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_JOB_LOG_OPTIONS_H_
