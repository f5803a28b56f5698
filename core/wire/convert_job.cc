#include <utility>

#include "core/wire/convert.h"

namespace podferry::wire {

static_assert(static_cast<int>(JobPhase::kDeleted) == v1::JOB_PHASE_DELETED);
static_assert(static_cast<int>(JobPhase::kRunning) == v1::JOB_PHASE_RUNNING);
static_assert(static_cast<int>(FailureReason::kHeld) == v1::FAILURE_REASON_HELD);
static_assert(static_cast<int>(FailureReason::kNodeLost) == v1::FAILURE_REASON_NODE_LOST);
static_assert(static_cast<int>(ContainerState::Kind::kTerminated) ==
              v1::ContainerState::KIND_TERMINATED);

void ToProto(const ContainerSummary& from, v1::ContainerSummary& to) {
  to.set_name(Text(from.name));
  to.set_image(Text(from.image));
  to.set_init(from.init);
  to.set_sidecar(from.sidecar);
}

void FromProto(v1::ContainerSummary& from, ContainerSummary& to, FieldCheck&) {
  to.name = std::move(*from.mutable_name());
  to.image = std::move(*from.mutable_image());
  to.init = from.init();
  to.sidecar = from.sidecar();
}

void ToProto(const ContainerState& from, v1::ContainerState& to) {
  to.set_kind(static_cast<v1::ContainerState::Kind>(from.kind));
  to.set_reason(Text(from.reason));
  to.set_message(Text(from.message));
  if (from.started_at != absl::InfinitePast()) PutTime(from.started_at, to.mutable_started_at());
  if (from.finished_at != absl::InfinitePast()) {
    PutTime(from.finished_at, to.mutable_finished_at());
  }
  to.set_exit_code(from.exit_code);
  to.set_signal(from.signal);
}

void FromProto(v1::ContainerState& from, ContainerState& to, FieldCheck& check) {
  to.kind = TakeEnum<ContainerState::Kind>(from.kind(), v1::ContainerState::Kind_IsValid);
  to.reason = std::move(*from.mutable_reason());
  to.message = std::move(*from.mutable_message());
  if (from.has_started_at()) to.started_at = TakeTime(from.started_at(), "started_at", check);
  if (from.has_finished_at()) to.finished_at = TakeTime(from.finished_at(), "finished_at", check);
  to.exit_code = from.exit_code();
  to.signal = from.signal();
}

void ToProto(const ContainerStatus& from, v1::ContainerStatus& to) {
  to.set_name(Text(from.name));
  to.set_init(from.init);
  to.set_sidecar(from.sidecar);
  ToProto(from.state, *to.mutable_state());
  if (from.last_state.has_value()) ToProto(*from.last_state, *to.mutable_last_state());
  to.set_restart_count(from.restart_count);
  to.set_ready(from.ready);
  to.set_image(Text(from.image));
  to.set_image_id(Text(from.image_id));
  to.set_container_id(Text(from.container_id));
  to.set_starting(from.starting);
}

void FromProto(v1::ContainerStatus& from, ContainerStatus& to, FieldCheck& check) {
  to.name = std::move(*from.mutable_name());
  to.init = from.init();
  to.sidecar = from.sidecar();
  Inner(from.mutable_state(), to.state, "state", check);
  if (from.has_last_state()) {
    Inner(from.mutable_last_state(), to.last_state.emplace(), "last_state", check);
  }
  to.restart_count = from.restart_count();
  to.ready = from.ready();
  to.image = std::move(*from.mutable_image());
  to.image_id = std::move(*from.mutable_image_id());
  to.container_id = std::move(*from.mutable_container_id());
  to.starting = from.starting();
}

void ToProto(const JobKey& from, v1::JobKey& to) {
  to.set_origin(Text(from.origin));
  to.set_uid(Text(from.uid));
}

void FromProto(v1::JobKey& from, JobKey& to, FieldCheck& check) {
  to.origin = std::move(*from.mutable_origin());
  to.uid = std::move(*from.mutable_uid());
  check.KeyPart(to.origin, "origin");
  check.KeyPart(to.uid, "uid");
}

void ToProto(const PluginStamp& from, v1::PluginStamp& to) {
  to.set_origin(Text(from.origin));
  to.set_epoch(from.epoch);
}

void FromProto(v1::PluginStamp& from, PluginStamp& to, FieldCheck& check) {
  to.origin = std::move(*from.mutable_origin());
  to.epoch = from.epoch();
  check.KeyPart(to.origin, "origin");
}

void ToProto(const SubmitterStamp& from, v1::SubmitterStamp& to) {
  to.set_id(Text(from.id));
  to.set_epoch(from.epoch);
}

void FromProto(v1::SubmitterStamp& from, SubmitterStamp& to, FieldCheck& check) {
  to.id = std::move(*from.mutable_id());
  to.epoch = from.epoch();
  check.SubmitterId(to.id, "id");
}

void ToProto(const JobDescription& from, v1::JobDescription& to) {
  ToProto(from.key, *to.mutable_key());
  to.set_pod_namespace(Text(from.pod_namespace));
  to.set_pod_name(Text(from.pod_name));
  to.set_pool(Text(from.pool));
  PutAll(from.containers, to.mutable_containers());
  PutMap(from.resources, to.mutable_resources());
  PutMap(from.annotations, to.mutable_annotations());
  PutDuration(from.grace, to.mutable_grace());
  if (from.deadline != absl::InfiniteDuration()) PutDuration(from.deadline, to.mutable_deadline());
}

void FromProto(v1::JobDescription& from, JobDescription& to, FieldCheck& check) {
  Inner(from.mutable_key(), to.key, "key", check);
  to.pod_namespace = std::move(*from.mutable_pod_namespace());
  to.pod_name = std::move(*from.mutable_pod_name());
  to.pool = std::move(*from.mutable_pool());
  InnerAll(from.mutable_containers(), to.containers, "containers", check);
  to.resources = TakeMap(from.mutable_resources());
  to.annotations = TakeMap(from.mutable_annotations());
  to.grace = TakeDuration(from.grace(), "grace", check);
  if (from.has_deadline()) to.deadline = TakeDuration(from.deadline(), "deadline", check);
}

void ToProto(const JobBundle& from, v1::JobBundle& to) {
  ToProto(from.job, *to.mutable_job());
  to.set_script(from.script);
  to.set_digest(Text(from.digest));
}

void FromProto(v1::JobBundle& from, JobBundle& to, FieldCheck& check) {
  Inner(from.mutable_job(), to.job, "job", check);
  to.script = std::move(*from.mutable_script());
  to.digest = std::move(*from.mutable_digest());
  check.Digest(to.digest, "digest");
}

void ToProto(const JobStatus& from, v1::JobStatus& to) {
  ToProto(from.key, *to.mutable_key());
  to.set_phase(static_cast<v1::JobPhase>(from.phase));
  to.set_failure(static_cast<v1::FailureReason>(from.failure));
  to.set_message(Text(from.message));
  to.set_backend_job_id(Text(from.backend_job_id));
  PutAll(from.containers, to.mutable_containers());
  if (from.changed_at != absl::InfinitePast()) PutTime(from.changed_at, to.mutable_changed_at());
}

void FromProto(v1::JobStatus& from, JobStatus& to, FieldCheck& check) {
  Inner(from.mutable_key(), to.key, "key", check);
  to.phase = TakeEnum<JobPhase>(from.phase(), v1::JobPhase_IsValid);
  to.failure = TakeEnum<FailureReason>(from.failure(), v1::FailureReason_IsValid);
  to.message = std::move(*from.mutable_message());
  to.backend_job_id = std::move(*from.mutable_backend_job_id());
  InnerAll(from.mutable_containers(), to.containers, "containers", check);
  if (from.has_changed_at()) to.changed_at = TakeTime(from.changed_at(), "changed_at", check);
}

}  // namespace podferry::wire
