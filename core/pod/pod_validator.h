// What is wrong with a pod whatever the pool: what no retry and no BuildConfig can change. All of
// it at once, with field paths. What a pool might refuse (host paths, privileged, an unsupported
// volume) is not said here but by the planner. Pure functions, callable from any thread.

#ifndef PODFERRY_CORE_POD_POD_VALIDATOR_H_
#define PODFERRY_CORE_POD_POD_VALIDATOR_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/base/issues.h"
#include "core/pod/pod.h"
#include "core/pod/retrieved_pod.h"

namespace podferry {

// The longest argument or NAME=VALUE that Linux passes to a program, in bytes (MAX_ARG_STRLEN less
// its NUL).
inline constexpr size_t kMaxArgumentBytes = 131071;

// Whether the pod's tolerations must name a pool.
enum class PoolNeed { kRequired, kOptional };

// The pod alone. `parent` stands before every path: "" or "pod".
void ValidatePod(const Pod& pod, absl::string_view parent, Issues* issues,
                 PoolNeed pool = PoolNeed::kRequired);

// The pod (paths under "pod") and the data that came with it: every ConfigMap and Secret volume
// that a container mounts must have arrived with the keys that it names, unless it is optional.
void ValidateRetrievedPod(const RetrievedPod& pod, Issues* issues,
                          PoolNeed pool = PoolNeed::kRequired);

// What POST /create does: parses and validates, one list of issues. A field that could not be read
// is not also reported as missing. The error is ParseRetrievedPod's.
absl::StatusOr<RetrievedPod> AdmitPod(absl::string_view json, Issues* issues,
                                      PoolNeed pool = PoolNeed::kRequired);

}  // namespace podferry

#endif  // PODFERRY_CORE_POD_POD_VALIDATOR_H_
