// What the fuzz targets of pods share: changes to a pod's JSON that are likely to be a pod again.

#ifndef PODFERRY_CORE_POD_TESTING_FUZZ_PODS_H_
#define PODFERRY_CORE_POD_TESTING_FUZZ_PODS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"

namespace podferry {

// Members that a pod's JSON may hold somewhere: "key":value.
const std::vector<absl::string_view>& PodMembers();

// For LLVMFuzzerCustomMutator: changes the JSON that begins at `data`, of at most `max_size` bytes.
// Returns its new size, or 0 if it is not JSON or became too long.
size_t MutatePodJson(uint8_t* data, size_t size, size_t max_size, unsigned int seed);

}  // namespace podferry

#endif  // PODFERRY_CORE_POD_TESTING_FUZZ_PODS_H_
