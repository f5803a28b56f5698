// Feeds any bytes to what POST /create, GET /status and POST /delete read: nothing may crash or
// hang, and whatever is refused is refused with a path.
//
//   bazel run --config=fuzz //core/pod:pod_fuzz -- -max_total_time=60 FOLDER

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "absl/strings/string_view.h"
#include "core/base/issues.h"
#include "core/pod/pod_parser.h"
#include "core/pod/pod_validator.h"
#include "core/pod/testing/fuzz_pods.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size)
    __attribute__((weak));

namespace podferry {
namespace {

void CheckPaths(const Issues& issues) {
  for (const Issue& issue : issues) {
    if (issue.message.empty()) std::abort();
  }
}

void Check(absl::string_view json) {
  Issues issues;
  const absl::StatusOr<RetrievedPod> admitted = AdmitPod(json, &issues);
  // A pod that is admitted has what everything after this takes for granted.
  if (admitted.ok() && issues.empty()) {
    if (admitted->pod.metadata.uid.empty() || admitted->pod.metadata.name.empty()) std::abort();
    if (admitted->pod.spec.containers.empty()) std::abort();
  }
  Issues of_list;
  (void)ParsePodList(json, &of_list);
  CheckPaths(issues);
  CheckPaths(of_list);
}

}  // namespace
}  // namespace podferry

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  podferry::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}

// Random bytes for the parser's sake, random pods for the validator's.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  const size_t changed = seed % 4 == 0 ? 0 : podferry::MutatePodJson(data, size, max_size, seed);
  return changed != 0 ? changed : LLVMFuzzerMutate(data, size, max_size);
}
