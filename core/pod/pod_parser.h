// Reads the JSON that interLink, kubectl or a Kubernetes API hands us into plain structs. Keys we
// do not know are ignored, `null` is "absent" wherever Go's JSON takes it so, and quantities may be
// strings or numbers. Pure functions, callable from any thread; the text need not outlive the call.
//
// Fields of the wrong type, bad base64 and volumes or probes with two sources are all added to
// `issues`, each with its path; what could be read is returned all the same. The error is
// INVALID_ARGUMENT, for what is no JSON at all, nested too deep, or not an object (a list).

#ifndef PODFERRY_CORE_POD_POD_PARSER_H_
#define PODFERRY_CORE_POD_POD_PARSER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/base/issues.h"
#include "core/pod/pod.h"
#include "core/pod/retrieved_pod.h"

namespace podferry {

// interLink's RetrievedPodData, as an object (since 0.5) or a list of exactly one (before). Paths
// start with "pod", "container[i]" or "jobConfig".
absl::StatusOr<RetrievedPod> ParseRetrievedPod(absl::string_view json, Issues* issues);

// A v1.Pod; paths start with "metadata", "spec" or "status".
absl::StatusOr<Pod> ParsePod(absl::string_view json, Issues* issues);

// A list of v1.Pod, as /status gets it; paths start with "[i]". One pod without a list is a list of
// one, null is an empty one.
absl::StatusOr<std::vector<Pod>> ParsePodList(absl::string_view json, Issues* issues);

}  // namespace podferry

#endif  // PODFERRY_CORE_POD_POD_PARSER_H_
