#include "core/wire/testing/sample_messages.h"

#include <string>

namespace podferry {
namespace {

constexpr char kScript[] = "#!/bin/bash\nset -u\nexec echo hello\n";

absl::Time At(int64_t nanos_after_start) {
  return absl::FromUnixSeconds(1767225600) + absl::Nanoseconds(nanos_after_start);  // 2026
}

PluginStamp Plugin() { return {.origin = "5e9c2c3a-0000-4000-8000-000000000001", .epoch = 7}; }
SubmitterStamp Submitter() { return {.id = "0d9f7c1e-0000-4000-8000-000000000002", .epoch = 3}; }
JobKey Key() { return {.origin = Plugin().origin, .uid = "b1946ac9-0000-4000-8000-000000000003"}; }
std::string Digest() { return Sha256Hex(kScript); }

ContainerStatus Terminated() {
  ContainerStatus status;
  status.name = "fetch";
  status.init = true;
  status.state = {.kind = ContainerState::Kind::kTerminated,
                  .reason = "Completed",
                  .message = "done",
                  .started_at = At(1),
                  .finished_at = At(2'000'000'000),
                  .exit_code = 0,
                  .signal = 0};
  status.image = "docker.io/library/busybox:1.36";
  status.image_id = "sha256:1234";
  status.container_id = "host://fetch";
  return status;
}

ContainerStatus Running() {
  ContainerStatus status;
  status.name = "main";
  status.sidecar = true;
  status.state = {.kind = ContainerState::Kind::kRunning,
                  .reason = "",
                  .message = "",
                  .started_at = At(3'000'000'001)};
  status.last_state = ContainerState{.kind = ContainerState::Kind::kTerminated,
                                     .reason = "OOMKilled",
                                     .message = "killed",
                                     .started_at = At(1),
                                     .finished_at = At(2),
                                     .exit_code = 137,
                                     .signal = 9};
  status.restart_count = 1;
  status.ready = true;
  status.image = "docker.io/library/python:3.12";
  return status;
}

}  // namespace

template <>
JobDescription Sample() {
  return {.key = Key(),
          .pod_namespace = "research",
          .pod_name = "train-0",
          .pool = "hpc",
          .containers = {{.name = "fetch", .image = "docker.io/library/busybox:1.36", .init = true},
                         {.name = "main",
                          .image = "docker.io/library/python:3.12",
                          .init = false,
                          .sidecar = true}},
          .resources = {{"cpu", "500m"}, {"memory", "2Gi"}, {"nvidia.com/gpu", "1"}},
          .annotations = {{"slurm-job.vk.io/flags", "--exclusive"}},
          .grace = absl::Seconds(45),
          .deadline = absl::Hours(12)};
}

template <>
JobBundle Sample() {
  return {.job = Sample<JobDescription>(), .script = kScript, .digest = Digest()};
}

template <>
JobStatus Sample() {
  return {.key = Key(),
          .phase = JobPhase::kFailed,
          .failure = FailureReason::kOomKilled,
          .message = "the scheduler says: out of memory \u2014 sorry",
          .backend_job_id = "4711",
          .containers = {Terminated(), Running()},
          .changed_at = At(4)};
}

template <>
Offer Sample() {
  return {.from = Plugin(),
          .job = Sample<JobDescription>(),
          .round = 2,
          .digest = Digest(),
          .size = sizeof(kScript) - 1,
          .script = kScript};
}

template <>
OfferReply Sample() {
  return {.by = Submitter(),
          .round = 2,
          .reserved = true,
          .refusal = Refusal::kStaleRound,
          .message = "round 1 lapsed",
          .refused_up_to = 1};
}

template <>
Start Sample() {
  return {.from = Plugin(), .key = Key(), .round = 2, .digest = Digest()};
}

template <>
StartReply Sample() {
  return {.by = Submitter(),
          .round = 2,
          .started = true,
          .refusal = Refusal::kNotReserved,
          .message = "no reservation",
          .refused_up_to = 2,
          .status = Sample<JobStatus>()};
}

template <>
Release Sample() {
  return {.from = Plugin(), .key = Key(), .round = 2};
}

template <>
ReleaseReply Sample() {
  return {.by = Submitter(), .released = true, .refusal = Refusal::kOtherOwner, .refused_up_to = 2};
}

template <>
StatusRequest Sample() {
  return {.from = Plugin(), .key = Key()};
}

template <>
StatusReply Sample() {
  return {.by = Submitter(),
          .known = true,
          .status = Sample<JobStatus>(),
          .timeline = {{At(1), "reserved for round 1"}, {At(2), "started as process 4711"}}};
}

template <>
Delete Sample() {
  return {.from = Plugin(), .key = Key(), .grace = absl::Milliseconds(1500)};
}

template <>
DeleteReply Sample() {
  return {.by = Submitter(),
          .confirmed = true,
          .refusal = Refusal::kStaleEpoch,
          .message = "a newer plugin has spoken"};
}

template <>
LogRequest Sample() {
  return {.from = Plugin(),
          .key = Key(),
          .container = "main",
          .attempt = -2,
          .offset = 131072,
          .tail_lines = 10,
          .since = At(5),
          .max_bytes = 131072,
          .wait = absl::Seconds(20)};
}

template <>
LogReply Sample() {
  return {.by = Submitter(),
          .known = true,
          .message = "the container has not started",
          .attempt = 1,
          .offset = 10,
          .bytes = std::string("step 1\n\xff\0\n", 10),
          .next_offset = 20,
          .end = true,
          .marks = {{At(6), 17}, {At(7), 20}}};
}

template <>
BundleRequest Sample() {
  return {
      .by = Submitter(), .key = Key(), .digest = Digest(), .offset = 1048576, .max_bytes = 524288};
}

template <>
BundleReply Sample() {
  return {.from = Plugin(),
          .known = true,
          .offset = 4,
          .total = 8,
          .bytes = std::string("\0\x01\xfe\xff", 4)};
}

template <>
Find Sample() {
  return {.from = Plugin(), .key = Key(), .forget = true};
}

template <>
FindReply Sample() {
  return {.by = Submitter(),
          .backend_id = "slurm:login1.example",
          .known = true,
          .forgotten = true,
          .status = Sample<JobStatus>()};
}

template <>
EventBatch Sample() {
  return {.by = Submitter(),
          .deltas = {{.number = 41, .status = Sample<JobStatus>()},
                     {.number = 42, .status = Sample<JobStatus>()}}};
}

template <>
SyncRequest Sample() {
  return {.from = Plugin(), .only = Submitter().id, .page_token = "100"};
}

template <>
SyncReply Sample() {
  return {.by = Submitter(),
          .last_number = 42,
          .statuses = {Sample<JobStatus>()},
          .jobs = {Sample<JobDescription>()},
          .next_page_token = "200"};
}

template <>
ConfigAnnouncement Sample() {
  return {.by = Submitter(),
          .number = 5,
          .build_config = "[runtime]\nkind = \"host\"\n",
          .time = At(8)};
}

template <>
ResourceReport Sample() {
  return {.by = Submitter(),
          .pool = "hpc",
          .backend = "slurm",
          .backend_id = "slurm:login1.example",
          .number = 6,
          .time = At(9),
          .capacity = {{"cpu", "128"}, {"memory", "512Gi"}, {"pods", "100"}},
          .used = {{"cpu", "1500m"}},
          .labels = {"site=north", "tier=gpu"},
          .taints = {"pool.vk.io=hpc:NoSchedule"},
          .last_event_number = 42,
          .jobs = 17,
          .farewell = Farewell::kDrain};
}

template <>
Shutdown Sample() {
  return {.from = Plugin(), .reason = "maintenance"};
}

template <>
ShutdownReply Sample() {
  return {.by = Submitter(), .message = "draining 17 jobs"};
}

}  // namespace podferry
