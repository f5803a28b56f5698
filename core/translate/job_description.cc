#include "core/translate/job_description.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/time/time.h"
#include "core/resources/effective_requests.h"
#include "core/resources/resource_list.h"

namespace podferry {
namespace {

void Summarise(const std::vector<Container>& containers, bool init, JobDescription* job) {
  for (const Container& container : containers) {
    job->containers.push_back({.name = container.name,
                               .image = container.image,
                               .init = init,
                               .sidecar = init && container.IsSidecar()});
  }
}

}  // namespace

JobDescription DescribeJob(const Pod& pod, const JobKey& key, absl::string_view pool) {
  JobDescription job;
  job.key = key;
  job.pod_namespace = pod.metadata.namespace_name;
  job.pod_name = pod.metadata.name;
  job.pool = std::string(pool);
  Summarise(pod.spec.init_containers, true, &job);
  Summarise(pod.spec.containers, false, &job);
  job.resources = ToText(EffectiveRequests(pod.spec));
  for (const auto& [name, value] : pod.metadata.annotations) {
    if (absl::StartsWith(name, "slurm-job.vk.io/")) job.annotations[name] = value;
  }
  job.grace = absl::Seconds(pod.spec.termination_grace_period_seconds);
  if (pod.spec.active_deadline_seconds.has_value()) {
    job.deadline = absl::Seconds(*pod.spec.active_deadline_seconds);
  }
  return job;
}

}  // namespace podferry
