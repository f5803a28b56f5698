// A backend without processes: it behaves, records, is as slow as it is told and lies when it is
// told to. Tests drive it; `submitter fake` serves it to measure everything around a backend.
//
// What would outlive the submitter is in a World of its own, so that a second FakeBackend on the
// same World plays a restart. In it a job's script "begins" only when no fence stands, as a real
// one does, however often and however late its submissions take effect. Loop thread only.

#ifndef PODFERRY_SUBMITTER_BACKEND_FAKE_BACKEND_H_
#define PODFERRY_SUBMITTER_BACKEND_FAKE_BACKEND_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/os/event_loop.h"
#include "submitter/backend/backend.h"
#include "submitter/lifetime.h"

namespace podferry {

class FakeBackend final : public Backend {
 public:
  struct Options {
    std::string id = "fake";
    bool pushes = true;
    absl::Duration lookup_interval = absl::Milliseconds(200);
    bool forgets_at_boot = false;
    // To look at afterwards; a measurement of ten thousand jobs does not want them in memory.
    bool keep_scripts = true;
    absl::Duration latency;      // of every answer
    absl::Duration start_delay;  // from a submission to its taking effect
    // From a job's begin to its end; infinite: until the test ends it.
    absl::Duration run_time = absl::InfiniteDuration();
    std::map<std::string, std::string> resources = {
        {"cpu", "4"}, {"memory", "8Gi"}, {"pods", "110"}};
  };

  // What a submission is answered with, and whether it takes effect all the same.
  struct Answer {
    SubmitOutcome outcome = SubmitOutcome::kAccepted;
    bool takes_effect = true;
    std::string message;
  };

  struct Job {
    JobDescription job;
    std::string script;
    int submissions = 0;  // that the world was asked for
    int pending = 0;      // of these, not in effect yet: they will be, whoever is there to see it
    int bodies = 0;       // how often the script went past its fence
    bool fence = false;
    bool deleted = false;
    JobStatus status;  // Unspecified: nothing has begun
    std::string log;
  };

  class World {
   public:
    // The job, or null when it was never submitted or cancelled.
    Job* Find(const JobKey& key);
    const std::map<JobKey, Job>& jobs() const { return jobs_; }

   private:
    friend class FakeBackend;
    std::map<JobKey, Job> jobs_;
    int next_id_ = 1;
  };

  FakeBackend(Options options, std::shared_ptr<World> world, const Clock& clock, EventLoop& loop);

  // --- For tests.
  void AnswerNext(Answer answer) { answers_.push_back(std::move(answer)); }
  void FailQueries(absl::Status status) { query_error_ = std::move(status); }
  // As if the job's script did it.
  void Write(const JobKey& key, absl::string_view text);
  void End(const JobKey& key, int exit_code);
  World& world() { return *world_; }

  // --- Backend.
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
  // Answers later, but never after the backend's end.
  void Later(absl::Duration delay, absl::AnyInvocable<void()> task);
  Answer NextAnswer();
  void AwaitEffect(const JobKey& key);
  void AwaitEnd(const JobKey& key, const Job& job);
  void TakeEffect(const JobKey& key);
  void Changed(const Job& job);

  const Options options_;
  const std::shared_ptr<World> world_;
  const Clock& clock_;
  EventLoop& loop_;
  std::deque<Answer> answers_;
  absl::Status query_error_;
  Observer observer_;
  std::map<uint64_t, Timer> timers_;
  uint64_t last_timer_ = 0;
  Lifetime lifetime_;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_BACKEND_FAKE_BACKEND_H_
