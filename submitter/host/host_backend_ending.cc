// How the host backend ends jobs: the fence first, then SIGTERM and patience, then force.

#include <signal.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "submitter/host/host_backend.h"
#include "submitter/host/host_job.h"

namespace podferry {

using Kind = SandboxView::Kind;

void HostBackend::Cancel(const JobKey& key, absl::Duration grace,
                         absl::AnyInvocable<void(absl::Status)> done) {
  HostJob& job = Get(key);
  const bool first = !job.ending.has_value();
  if (first) job.ending.emplace().deadline = absl::InfiniteDuration();
  HostJob::Ending& ending = *job.ending;
  ending.done.push_back(std::move(done));
  const absl::Duration margin =
      grace > absl::ZeroDuration() ? options_.cancel_margin : absl::ZeroDuration();
  const absl::Duration deadline = clock_.Monotonic() + grace + margin;
  const bool sooner = deadline < ending.deadline;
  ending.deadline = std::min(ending.deadline, deadline);
  if (!first) {
    if (sooner && ending.fenced) TryToEnd(key);
    return;
  }
  Run(
      key,
      [&file_system = file_system_, sandbox = job.sandbox, key] {
        return Fence(file_system, sandbox, key);
      },
      [this, key](absl::StatusOr<SandboxView> view) { OnFenced(key, std::move(view)); });
}

void HostBackend::OnFenced(const JobKey& key, absl::StatusOr<SandboxView> view) {
  if (!view.ok()) return AnswerCancel(key, view.status());
  HostJob& job = Get(key);
  job.folder_watches.clear();
  job.ending->fenced = true;
  if (view->process.has_value() && job.process != view->process) {
    job.process = view->process;
    job.exited = false;
  }
  // A script that finds its fence taken leaves by itself; the others are told.
  if (view->kind == Kind::kAlive && Signal(*job.process, SIGTERM).ok()) {
    WatchExit(key, job);
  } else {
    job.exited = true;
  }
  TryToEnd(key);
}

// Once the script has ended, or patience has: kills what is left.
void HostBackend::TryToEnd(const JobKey& key) {
  HostJob& job = Get(key);
  HostJob::Ending& ending = *job.ending;
  if (ending.demolishing || !ending.fenced) return;
  const absl::Duration left = ending.deadline - clock_.Monotonic();
  if (!job.exited && left > absl::ZeroDuration()) {
    ending.timer = loop_.RunAfter(left, [this, key] { TryToEnd(key); });
    return;
  }
  ending.demolishing = true;
  Run(
      key,
      [&file_system = file_system_, sandbox = job.sandbox, process = job.process] {
        return Demolish(file_system, sandbox, process);
      },
      [this, key](absl::Status status) { AnswerCancel(key, std::move(status)); });
}

void HostBackend::AnswerCancel(const JobKey& key, absl::Status status) {
  std::vector<absl::AnyInvocable<void(absl::Status)>> done = std::move(Get(key).ending->done);
  // A failed one is begun anew by who wants it; the fence stays in any case.
  Get(key).ending.reset();
  if (status.ok() && Get(key).queue.empty()) jobs_.erase(key);
  for (auto& answer : done) answer(status);
}

}  // namespace podferry
