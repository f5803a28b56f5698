// What interLink is told of a job: JobStatus -> the JSON of one PodStatus. interLink's daemons make
// a pod's phase of it in their own ways (shared facts, "PodStatus -> pod phase"), which is why:
//   * every container of the offloaded pod is there, in the order of the spec, never an empty list;
//   * sidecars are left out: one that runs would keep the pod Pending;
//   * when a job has failed, everything is Terminated and something is not zero, or the pod would
//     stay Pending for ever;
//   * the first time interLink hears of several init containers, all of them wait: it would put
//   their
//     states in the wrong places;
//   * a job that is not over has a container that is not Terminated, or the pod would be over.
// Pure functions, any thread.

#ifndef PODFERRY_PLUGIN_STATUS_MAPPER_H_
#define PODFERRY_PLUGIN_STATUS_MAPPER_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/job/job_request.h"
#include "core/job/job_status.h"
#include "core/pod/pod.h"

namespace podferry {

// The containers as they are to be shown. `wait_reason` and `wait_message` are for those that have
// not been started.
std::vector<ContainerStatus> ShownContainers(const std::vector<ContainerSummary>& containers,
                                             const JobStatus& status, absl::string_view wait_reason,
                                             absl::string_view wait_message);

// Adds what of the pod is ignored where people look: to the message of containers that wait, and to
// that of those that failed and left none. The message of a success is the pod's own.
void AddWarnings(const std::vector<std::string>& warnings, std::vector<ContainerStatus>* shown);

// One element of the answer to GET /status.
std::string RenderPodStatus(const JobDescription& job, const JobStatus& status,
                            absl::string_view wait_reason, absl::string_view wait_message,
                            const std::vector<std::string>& warnings = {});

// The same for a job of which nothing has started, whatever has.
std::string RenderNothingStarted(const JobDescription& job);

// For a pod with a JobID that nobody knows any more: everything Terminated with the reason Lost.
// Empty if the request does not say what containers the pod has.
std::string RenderLostPod(const Pod& pod, absl::Time now);

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_STATUS_MAPPER_H_
