#ifndef PODFERRY_CORE_JOB_JOB_STATUS_H_
#define PODFERRY_CORE_JOB_JOB_STATUS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/job/job_key.h"

namespace podferry {

// Where a job stands. A job only ever moves to a later phase (docs/protocol.md); whether its pool
// is heard of is a flag beside the phase, never a phase.
enum class JobPhase {
  kUnspecified = 0,
  kQueued,     // accepted by the plugin, nobody has it
  kReserved,   // a submitter holds a place for it; nothing was started
  kSubmitted,  // started: with the backend, not yet running
  kRunning,
  kSucceeded,
  kFailed,
  kDeleted,
};

// Why a job failed, in words every backend can be mapped to.
enum class FailureReason {
  kUnspecified = 0,
  kError,  // a container ended with a code other than 0
  kOomKilled,
  kDeadlineExceeded,
  kNodeLost,        // its submitter, machine or pool is gone
  kSubmitRejected,  // the backend, or the translation, refused it
  kEvicted,
  kHeld,
};

struct ContainerState {
  enum class Kind { kUnspecified = 0, kWaiting, kRunning, kTerminated };
  Kind kind = Kind::kUnspecified;
  std::string reason;  // as Kubernetes writes it: ContainerCreating, Completed, Error, OOMKilled...
  std::string message;                            // the runtime's own words
  absl::Time started_at = absl::InfinitePast();   // InfinitePast: not known
  absl::Time finished_at = absl::InfinitePast();  // InfinitePast: not known
  int32_t exit_code = 0;
  int32_t signal = 0;  // 0: none

  friend bool operator==(const ContainerState&, const ContainerState&) = default;
};

struct ContainerStatus {
  std::string name;
  bool init = false;
  bool sidecar = false;  // an init container with restartPolicy Always
  ContainerState state;
  std::optional<ContainerState> last_state;  // of the attempt before, when there was one
  int32_t restart_count = 0;
  bool ready = false;
  bool starting = false;  // it runs, but its postStart hook or startup probe is not done
  std::string image;
  std::string image_id;
  std::string container_id;

  friend bool operator==(const ContainerStatus&, const ContainerStatus&) = default;
};

// What is known of a job: all that a PodStatus needs. Every container of the pod is listed, init
// containers first, in the order of the spec.
struct JobStatus {
  JobKey key;
  JobPhase phase = JobPhase::kUnspecified;
  FailureReason failure = FailureReason::kUnspecified;
  std::string message;  // why it waits, or the backend's own words for the failure
  std::string backend_job_id;
  std::vector<ContainerStatus> containers;
  absl::Time changed_at = absl::InfinitePast();

  friend bool operator==(const JobStatus&, const JobStatus&) = default;
};

bool IsFinal(JobPhase phase);  // Succeeded, Failed, Deleted

// "Queued", "OOMKilled"...; the same words are read back, and an unknown one is Unspecified.
absl::string_view ToString(JobPhase phase);
absl::string_view ToString(FailureReason reason);
JobPhase ParseJobPhase(absl::string_view text);
FailureReason ParseFailureReason(absl::string_view text);

}  // namespace podferry

#endif  // PODFERRY_CORE_JOB_JOB_STATUS_H_
