#ifndef PODFERRY_CORE_JOB_JOB_REQUEST_H_
#define PODFERRY_CORE_JOB_JOB_REQUEST_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/job/job_key.h"

namespace podferry {

// One container as a submitter must know it to answer for it: enough for a full PodStatus without
// the pod.
struct ContainerSummary {
  std::string name;
  std::string image;
  bool init = false;
  bool sidecar = false;

  friend bool operator==(const ContainerSummary&, const ContainerSummary&) = default;
};

// What a submitter and its backend need to know of a job beside the script.
struct JobDescription {
  JobKey key;
  std::string pod_namespace;
  std::string pod_name;
  std::string pool;
  std::vector<ContainerSummary> containers;  // init containers first, in the order of the spec
  std::map<std::string, std::string>
      resources;  // effective requests, Kubernetes quantities: "cpu" -> "500m"
  std::map<std::string, std::string>
      annotations;                           // those that a backend may read (slurm-job.vk.io/...)
  absl::Duration grace = absl::Seconds(30);  // terminationGracePeriodSeconds
  absl::Duration deadline = absl::InfiniteDuration();  // activeDeadlineSeconds; infinite: none

  // "<namespace>_<name>_<uid>": the last token of the job's subjects, before encoding.
  std::string SubjectName() const;

  friend bool operator==(const JobDescription&, const JobDescription&) = default;
};

// A job ready to be sent: its description and the script that runs it. Frozen when it is first
// offered.
struct JobBundle {
  JobDescription job;
  std::string script;
  std::string digest;  // SHA-256 of the script, lower-case hex

  friend bool operator==(const JobBundle&, const JobBundle&) = default;
};

// SHA-256 of the bytes as 64 lower-case hex digits.
std::string Sha256Hex(absl::string_view bytes);

}  // namespace podferry

#endif  // PODFERRY_CORE_JOB_JOB_REQUEST_H_
