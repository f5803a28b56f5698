// The embedded default: jobs are plain processes on this machine, of the submitter's own user, each
// in a session of its own. No batch system is needed, and nothing is queued: what arrives is run.
//
// The processes survive the submitter; the next one finds them by their sandboxes. Ends are seen by
// watching the process, progress by watching the status files, so both are told at once. What a
// sandbox holds is in host_sandbox.h. The submitter's state folder is locked, so no two submitters
// ever look after the same sandboxes. Loop thread only.

#ifndef PODFERRY_SUBMITTER_HOST_HOST_BACKEND_H_
#define PODFERRY_SUBMITTER_HOST_HOST_BACKEND_H_

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/base/clock.h"
#include "core/os/event_loop.h"
#include "core/os/exit_watcher.h"
#include "core/os/file_system.h"
#include "core/os/file_watcher.h"
#include "core/os/worker_pool.h"
#include "submitter/backend/backend.h"
#include "submitter/host/host_sandbox.h"
#include "submitter/lifetime.h"

namespace podferry {

struct HostJob;

class HostBackend final : public Backend {
 public:
  struct Options {
    std::string root;  // the folder of the sandboxes, absolute; made with mode 0700
    Environment environment;
    // What a script needs beyond its grace to write down how everything ended.
    absl::Duration cancel_margin = absl::Seconds(3);
  };

  HostBackend(Options options, FileSystem& file_system, FileWatcher& file_watcher,
              ExitWatcher& exit_watcher, WorkerPool& pool, const Clock& clock, EventLoop& loop);
  ~HostBackend() override;

  void Check(absl::AnyInvocable<void(BackendReport)> done) override;
  void Submit(std::vector<Submission> batch, absl::AnyInvocable<void(SubmitResult)> each) override;
  void Observe(Observer observer) override;
  void Cancel(const JobKey& key, absl::Duration grace,
              absl::AnyInvocable<void(absl::Status)> done) override;
  void Find(const JobKey& key,
            absl::AnyInvocable<void(absl::StatusOr<std::optional<ObservedJob>>)> done) override;
  void OpenLog(const LogQuery& query,
               absl::AnyInvocable<void(absl::StatusOr<std::unique_ptr<LogSource>>)> done) override;

 private:
  using SharedEach = std::shared_ptr<absl::AnyInvocable<void(SubmitResult)>>;

  std::string SandboxOf(const JobKey& key) const { return options_.root + "/" + key.FileName(); }

  // Work on one sandbox is done piece by piece, in the order it was asked for, off the loop.
  // `begin`, on the loop, must end in Launch(); `done` gets the work's result.
  void Enqueue(const JobKey& key, absl::AnyInvocable<void()> begin);
  template <typename Work, typename Done>
  void Launch(const JobKey& key, Work work, Done done) {
    RunOnPool(pool_, std::move(work),
              lifetime_.Bind([this, key, done = std::move(done)](auto result) mutable {
                WorkDone(key);
                done(std::move(result));
                RunNext(key);
              }));
  }
  template <typename Work, typename Done>
  void Run(const JobKey& key, Work work, Done done) {
    Enqueue(key, [this, key, work = std::move(work), done = std::move(done)]() mutable {
      Launch(key, std::move(work), std::move(done));
    });
  }
  void WorkDone(const JobKey& key);
  void RunNext(const JobKey& key);

  HostJob& Get(const JobKey& key);
  void Start(Submission submission, SharedEach each);
  void OnStarted(const JobKey& key, absl::StatusOr<SandboxView> view, SharedEach each);
  void Look(const JobKey& key);
  void Take(const JobKey& key, SandboxView view);
  void WatchJob(const JobKey& key, HostJob& job, const SandboxView& view);
  void WatchExit(const JobKey& key, HostJob& job);
  void OnExit(const JobKey& key, ProcessExit exit);
  void Tell(const HostJob& job);

  void OnScanned(std::vector<std::pair<JobKey, SandboxView>> found);
  void TellAll();

  void OnFenced(const JobKey& key, absl::StatusOr<SandboxView> view);
  void TryToEnd(const JobKey& key);
  void AnswerCancel(const JobKey& key, absl::Status status);
  void PruneLater();

  const Options options_;
  FileSystem& file_system_;
  FileWatcher& file_watcher_;
  ExitWatcher& exit_watcher_;
  WorkerPool& pool_;
  const Clock& clock_;
  EventLoop& loop_;
  absl::flat_hash_map<JobKey, std::unique_ptr<HostJob>> jobs_;
  Observer observer_;
  bool scanned_ = false;
  bool scanning_ = false;
  Timer prune_timer_;
  Lifetime lifetime_;
};

// Cores and memory of this machine, as Kubernetes quantities.
std::map<std::string, std::string> HostResources();

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_HOST_HOST_BACKEND_H_
