// What a run of requests measured. Plain values.

#ifndef PODFERRY_TOOLS_LOAD_LATENCIES_H_
#define PODFERRY_TOOLS_LOAD_LATENCIES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace podferry::load {

struct Outcome {
  std::vector<uint32_t> latencies_us;  // of answered requests, in no order
  std::map<int, size_t> codes;         // HTTP status -> answers
  size_t broken = 0;                   // requests whose connection ended before the answer
  std::string first_error;             // the first answer that was not 200
  absl::Duration elapsed;
  absl::Duration cpu;  // of this program
};

// The latency that `fraction` of the sorted requests do not exceed; 0 if there are none.
uint32_t Percentile(const std::vector<uint32_t>& sorted_us, double fraction);

// One figure a line: requests, errors, rate, p50, p90, p99, max, the generator's own CPU.
std::string Report(Outcome outcome, size_t pods_per_request);

// Every request was answered 200.
bool AllGood(const Outcome& outcome);

}  // namespace podferry::load

#endif  // PODFERRY_TOOLS_LOAD_LATENCIES_H_
