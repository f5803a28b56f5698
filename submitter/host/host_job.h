// What the host backend knows of one sandbox. Private to it (host_backend.cc and
// host_backend_ending.cc).

#ifndef PODFERRY_SUBMITTER_HOST_HOST_JOB_H_
#define PODFERRY_SUBMITTER_HOST_HOST_JOB_H_

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/job/job_request.h"
#include "core/job/job_status.h"
#include "core/os/event_loop.h"
#include "core/os/exit_watcher.h"
#include "core/os/process.h"

namespace podferry {

struct HostJob {
  std::string sandbox;
  std::shared_ptr<const JobDescription> description;
  std::optional<ProcessIdentity> process;
  JobStatus status;  // as last told; unspecified: nothing was started yet
  ProcessExit exit;  // of our own child
  bool exited = false;
  // Its watch will tell how it ends: before that, nobody writes its end down.
  bool Watched() const { return process.has_value() && !exited; }
  bool look_queued = false;

  // One piece of work at a time touches the sandbox.
  bool working = false;
  std::list<absl::AnyInvocable<void()>> queue;

  Subscription exit_watch;
  std::vector<Subscription> folder_watches;

  // Being cancelled.
  struct Ending {
    absl::Duration deadline;  // by the monotonic clock: the end of patience
    bool fenced = false;
    bool demolishing = false;
    std::vector<absl::AnyInvocable<void(absl::Status)>> done;
    Timer timer;
  };
  std::optional<Ending> ending;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_HOST_HOST_JOB_H_
