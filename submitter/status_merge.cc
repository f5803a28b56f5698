#include "submitter/status_merge.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "submitter/job_record.h"

namespace podferry {
namespace {

using Kind = ContainerState::Kind;

// What the shells of the world say for "it could not be run to its end".
constexpr int32_t kNoExitCode = 137;

void EndContainer(const JobStatus& job, absl::Time now, ContainerStatus& container) {
  if (container.state.kind == Kind::kTerminated) return;
  const bool ran = container.state.kind == Kind::kRunning;
  ContainerState& state = container.state;
  state.kind = Kind::kTerminated;
  container.ready = false;
  if (job.phase == JobPhase::kSucceeded) {
    state.reason = "Completed";
    state.exit_code = 0;
  } else {
    state.reason = std::string(ToString(job.failure));
    state.exit_code = kNoExitCode;
    state.message = job.message;
  }
  state.finished_at = now;
  if (!ran) state.started_at = absl::InfinitePast();
}

const ContainerStatus* SeenContainer(const JobStatus& seen, size_t index, const std::string& name) {
  if (index < seen.containers.size() && seen.containers[index].name == name) {
    return &seen.containers[index];
  }
  const auto found =
      std::find_if(seen.containers.begin(), seen.containers.end(),
                   [&](const ContainerStatus& container) { return container.name == name; });
  return found == seen.containers.end() ? nullptr : &*found;
}

// The description's names and the newest states.
void TakeContainers(const JobDescription& job, const JobStatus& seen, JobStatus& merged) {
  if (job.containers.empty()) {
    if (!seen.containers.empty()) merged.containers = seen.containers;
    return;
  }
  if (merged.containers.size() != job.containers.size()) {
    merged.containers = FreshStatus(job, merged.changed_at).containers;
  }
  for (size_t i = 0; i < job.containers.size(); ++i) {
    const ContainerSummary& summary = job.containers[i];
    const ContainerStatus* state = SeenContainer(seen, i, summary.name);
    if (state == nullptr || state->state.kind == Kind::kUnspecified) continue;
    merged.containers[i] = *state;
    merged.containers[i].init = summary.init;
    merged.containers[i].sidecar = summary.sidecar;
    if (merged.containers[i].image.empty()) merged.containers[i].image = summary.image;
  }
}

}  // namespace

JobStatus MergeStatus(const JobDescription& job, const JobStatus& known, const JobStatus& seen,
                      absl::Time now) {
  if (IsFinal(known.phase)) return known;
  JobStatus merged = known;
  merged.key = job.key;
  merged.phase = std::max(known.phase, seen.phase);
  if (seen.phase != JobPhase::kUnspecified && seen.phase >= known.phase) {
    merged.message = seen.message;
    merged.failure = seen.failure;
  }
  if (!seen.backend_job_id.empty()) merged.backend_job_id = seen.backend_job_id;
  if (merged.phase == JobPhase::kFailed && merged.failure == FailureReason::kUnspecified) {
    merged.failure = FailureReason::kError;
  }
  TakeContainers(job, seen, merged);
  if (IsFinal(merged.phase)) {
    for (ContainerStatus& container : merged.containers) EndContainer(merged, now, container);
  }
  if (merged != known) merged.changed_at = now;
  return merged;
}

JobStatus FailedStatus(const JobDescription& job, const JobStatus& known, FailureReason reason,
                       absl::string_view message, absl::Time now) {
  JobStatus end;
  end.phase = JobPhase::kFailed;
  end.failure = reason;
  end.message = std::string(message);
  return MergeStatus(job, known, end, now);
}

}  // namespace podferry
