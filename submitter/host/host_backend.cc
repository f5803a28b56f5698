#include "submitter/host/host_backend.h"

#include <glog/logging.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "submitter/backend/sandbox_log.h"
#include "submitter/host/host_job.h"

namespace podferry {
namespace {

using Kind = SandboxView::Kind;

// Kubernetes' own limit of pods on one node, for lack of anything better.
constexpr int kPods = 110;
constexpr absl::Duration kPruneEvery = absl::Hours(1);
// bash is there within this, or the submission never happened.
constexpr absl::Duration kLookupInterval = absl::Milliseconds(200);

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "localhost";
}

}  // namespace

std::map<std::string, std::string> HostResources() {
  // The cores that we may use, not those of the machine: a site may have pinned us.
  cpu_set_t set;
  CPU_ZERO(&set);
  const bool pinned = sched_getaffinity(0, sizeof(set), &set) == 0;
  const long cores = pinned ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
  const int64_t memory = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  return {{"cpu", absl::StrCat(cores)},
          {"memory", absl::StrCat(memory / 1024, "Ki")},
          {"pods", absl::StrCat(kPods)}};
}

HostBackend::HostBackend(Options options, FileSystem& file_system, FileWatcher& file_watcher,
                         ExitWatcher& exit_watcher, WorkerPool& pool, const Clock& clock,
                         EventLoop& loop)
    : options_(std::move(options)),
      file_system_(file_system),
      file_watcher_(file_watcher),
      exit_watcher_(exit_watcher),
      pool_(pool),
      clock_(clock),
      loop_(loop) {}

HostBackend::~HostBackend() = default;

HostJob& HostBackend::Get(const JobKey& key) {
  std::unique_ptr<HostJob>& job = jobs_[key];
  if (job == nullptr) {
    job = std::make_unique<HostJob>();
    job->sandbox = SandboxOf(key);
    job->status.key = key;
  }
  return *job;
}

void HostBackend::Enqueue(const JobKey& key, absl::AnyInvocable<void()> begin) {
  Get(key).queue.push_back(std::move(begin));
  RunNext(key);
}

void HostBackend::WorkDone(const JobKey& key) { Get(key).working = false; }

void HostBackend::RunNext(const JobKey& key) {
  const auto found = jobs_.find(key);
  if (found == jobs_.end() || found->second->working || found->second->queue.empty()) return;
  found->second->working = true;
  absl::AnyInvocable<void()> next = std::move(found->second->queue.front());
  found->second->queue.pop_front();
  next();
}

void HostBackend::Check(absl::AnyInvocable<void(BackendReport)> done) {
  RunOnPool(
      pool_,
      [&file_system = file_system_, root = options_.root] {
        BackendReport report;
        const absl::Status made = file_system.MakeDirs(root, 0700);
        const absl::StatusOr<ProcessIdentity> own = OwnIdentity();
        report.usable = made.ok() && own.ok();
        if (!made.ok()) {
          report.findings.push_back(
              absl::StrCat("the folder of the jobs cannot be made: ", made.message()));
        }
        if (!own.ok()) {
          report.findings.push_back(absl::StrCat("/proc cannot be read: ", own.status().message()));
        }
        report.capabilities = {.name = "host",
                               .id = absl::StrCat("host:", HostName(), ":", root),
                               .pushes = true,
                               .lookup_interval = kLookupInterval,
                               .forgets_at_boot = true};
        const auto resources = HostResources();
        report.findings.push_back(absl::StrCat("jobs run as processes of user ", getuid(), " on ",
                                               HostName(), " (", resources.at("cpu"), " cores, ",
                                               resources.at("memory"), " of memory)"));
        report.findings.push_back(absl::StrCat("their sandboxes are in ", root));
        return report;
      },
      lifetime_.Bind(
          [done = std::move(done)](BackendReport report) mutable { done(std::move(report)); }));
}

// --- Starting.

void HostBackend::Submit(std::vector<Submission> batch,
                         absl::AnyInvocable<void(SubmitResult)> each) {
  auto shared = std::make_shared<absl::AnyInvocable<void(SubmitResult)>>(std::move(each));
  for (Submission& submission : batch) Start(std::move(submission), shared);
}

void HostBackend::Start(Submission submission, SharedEach each) {
  const JobKey key = submission.job.key;
  const std::string sandbox = Get(key).sandbox;
  Run(
      key,
      [&file_system = file_system_, sandbox, submission = std::move(submission),
       environment = options_.environment] {
        return StartIn(file_system, sandbox, submission, environment);
      },
      [this, key, each](absl::StatusOr<SandboxView> view) {
        OnStarted(key, std::move(view), each);
      });
}

void HostBackend::OnStarted(const JobKey& key, absl::StatusOr<SandboxView> view, SharedEach each) {
  SubmitResult result{.key = key};
  if (!view.ok()) {
    result.outcome = SubmitOutcome::kNotNow;
    result.message = absl::StrCat("the job cannot be started now: ", view.status().message());
  } else if (view->kind == Kind::kDeleted) {
    result.outcome = SubmitOutcome::kRejected;
    result.message = "the job was deleted";
  } else {
    result.outcome = SubmitOutcome::kAccepted;
    result.backend_job_id = view->status.backend_job_id;
    Take(key, *std::move(view));
    // What happened before the watches were in place.
    Look(key);
  }
  (*each)(std::move(result));
}

// --- Watching.

void HostBackend::Look(const JobKey& key) {
  const auto found = jobs_.find(key);
  // One that has not begun yet will see this change, too.
  if (found == jobs_.end() || std::exchange(found->second->look_queued, true)) return;
  Enqueue(key, [this, key] {
    HostJob& job = Get(key);
    job.look_queued = false;
    Launch(
        key,
        [&file_system = file_system_, sandbox = job.sandbox, key, description = job.description,
         exit = job.exit, watched = job.Watched()] {
          return watched ? LookAt(file_system, sandbox, key, description)
                         : Settle(file_system, sandbox, key, description, exit);
        },
        [this, key](SandboxView view) { Take(key, std::move(view)); });
  });
}

void HostBackend::Take(const JobKey& key, SandboxView view) {
  HostJob& job = Get(key);
  if (job.ending.has_value()) return;
  if (view.job != nullptr) job.description = view.job;
  JobStatus status = view.status;
  switch (view.kind) {
    case Kind::kDeleted:
      return;
    case Kind::kNothing:
      // Somebody has removed the sandbox of a job that we know.
      if (job.status.phase == JobPhase::kUnspecified || IsFinal(job.status.phase)) return;
      status.phase = JobPhase::kFailed;
      status.failure = FailureReason::kNodeLost;
      status.message = "the job's sandbox has been removed by somebody else";
      break;
    case Kind::kDied:
      // How it died its watch will tell; or it could not be closed, and is seen again later.
      return;
    case Kind::kAlive:
    case Kind::kEnded:
      break;
  }
  WatchJob(key, job, view);
  if (job.status == status) return;
  job.status = std::move(status);
  Tell(job);
}

void HostBackend::WatchJob(const JobKey& key, HostJob& job, const SandboxView& view) {
  if (view.kind != Kind::kAlive) {
    job.exit_watch.Cancel();
    job.folder_watches.clear();
    return;
  }
  if (job.process != view.process) {
    job.process = view.process;
    job.exited = false;
    WatchExit(key, job);
  }
  if (!job.folder_watches.empty()) return;
  for (const std::string& folder : {job.sandbox, job.sandbox + "/status"}) {
    absl::StatusOr<Subscription> watch = file_watcher_.Watch(
        folder, lifetime_.Bind([this, key](const std::vector<std::string>&) { Look(key); }));
    if (watch.ok()) job.folder_watches.push_back(*std::move(watch));
  }
}

void HostBackend::WatchExit(const JobKey& key, HostJob& job) {
  // First ended, then begun: there is one watch per process.
  job.exit_watch.Cancel();
  job.exit_watch = exit_watcher_.Watch(
      *job.process, lifetime_.Bind([this, key](ProcessExit exit) { OnExit(key, exit); }));
}

void HostBackend::OnExit(const JobKey& key, ProcessExit exit) {
  HostJob& job = Get(key);
  job.exit = exit;
  job.exited = true;
  if (job.ending.has_value()) return TryToEnd(key);
  Look(key);
}

void HostBackend::Tell(const HostJob& job) {
  if (!observer_ || !scanned_) return;
  Observation change;
  ObservedJob& observed = change.jobs.emplace_back();
  observed.status = job.status;
  if (job.description != nullptr) observed.job = *job.description;
  observer_(std::move(change));
}

void HostBackend::Observe(Observer observer) {
  observer_ = std::move(observer);
  if (scanned_) return loop_.Post(lifetime_.Bind([this] { TellAll(); }));
  if (std::exchange(scanning_, true)) return;
  using Found = std::vector<std::pair<JobKey, SandboxView>>;
  absl::flat_hash_set<JobKey> in_use;
  for (const auto& [key, job] : jobs_) in_use.insert(key);
  RunOnPool(
      pool_,
      [&file_system = file_system_, root = options_.root, in_use]() -> absl::StatusOr<Found> {
        absl::StatusOr<std::vector<std::string>> names = file_system.ListDir(root);
        if (!names.ok()) return names.status();
        Found found;
        for (const std::string& name : *names) {
          absl::StatusOr<JobKey> key = ParseJobKey(name);
          if (!key.ok() || in_use.contains(*key)) continue;
          // Only looked at: what has died is settled in its turn, like everything else.
          SandboxView view = LookAt(file_system, absl::StrCat(root, "/", name), *key, nullptr);
          found.emplace_back(*std::move(key), std::move(view));
        }
        return found;
      },
      lifetime_.Bind([this](absl::StatusOr<Found> found) {
        scanning_ = false;
        if (!found.ok()) return observer_(found.status());
        OnScanned(*std::move(found));
      }));
}

void HostBackend::OnScanned(std::vector<std::pair<JobKey, SandboxView>> found) {
  for (auto& [key, view] : found) {
    if (jobs_.contains(key) || view.kind == Kind::kNothing || view.kind == Kind::kDeleted) continue;
    Take(key, std::move(view));
    Look(key);
  }
  scanned_ = true;
  PruneLater();
  TellAll();
}

void HostBackend::TellAll() {
  Observation all{.complete = true, .resources = HostResources()};
  for (const auto& [key, job] : jobs_) {
    if (job->status.phase == JobPhase::kUnspecified) continue;
    ObservedJob& observed = all.jobs.emplace_back();
    observed.status = job->status;
    if (job->description != nullptr) observed.job = *job->description;
  }
  observer_(std::move(all));
}

void HostBackend::Find(const JobKey& key,
                       absl::AnyInvocable<void(absl::StatusOr<std::optional<ObservedJob>>)> done) {
  const HostJob& job = Get(key);
  Run(
      key,
      [&file_system = file_system_, sandbox = job.sandbox, key, exit = job.exit,
       watched = job.Watched()] {
        return watched ? LookAt(file_system, sandbox, key, nullptr)
                       : Settle(file_system, sandbox, key, nullptr, exit);
      },
      [this, key, done = std::move(done)](SandboxView view) mutable {
        if (view.kind == Kind::kDied) {
          return done(absl::UnavailableError("the end of the job is just being noted"));
        }
        std::optional<ObservedJob> found;
        if (view.kind == Kind::kAlive || view.kind == Kind::kEnded) {
          found.emplace();
          found->status = view.status;
          if (view.job != nullptr) found->job = *view.job;
        }
        Take(key, std::move(view));
        const auto job = jobs_.find(key);
        const bool idle = job->second->queue.empty() && !job->second->ending.has_value();
        if (!found.has_value() && idle) jobs_.erase(job);
        done(std::move(found));
      });
}

void HostBackend::OpenLog(
    const LogQuery& query,
    absl::AnyInvocable<void(absl::StatusOr<std::unique_ptr<LogSource>>)> done) {
  SandboxLogQuery log{.sandbox = SandboxOf(query.key),
                      .index = query.container_index,
                      .container = query.container,
                      .attempt = query.attempt};
  RunOnPool(
      pool_,
      [&file_system = file_system_, log] {
        // The fence of a deleted job has none.
        const absl::Status there = file_system.Stat(log.sandbox + "/logs").status();
        // Also says whether there is an attempt before this one, if that is asked for.
        return there.ok() ? ReadSandboxLog(file_system, log, {.max_bytes = 0}).status() : there;
      },
      lifetime_.Bind([this, log, done = std::move(done)](absl::Status status) mutable {
        if (!status.ok()) return done(std::move(status));
        done(NewSandboxLog(log, file_system_, pool_, file_watcher_));
      }));
}

void HostBackend::PruneLater() {
  absl::flat_hash_set<JobKey> in_use;
  for (const auto& [key, job] : jobs_) in_use.insert(key);
  pool_.Run([&file_system = file_system_, root = options_.root, in_use = std::move(in_use),
             now = clock_.Now()] { PruneSandboxes(file_system, root, in_use, now); },
            lifetime_.Bind(
                [this] { prune_timer_ = loop_.RunAfter(kPruneEvery, [this] { PruneLater(); }); }));
}

}  // namespace podferry
