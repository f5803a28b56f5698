#include "submitter/backend/fake_backend.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace podferry {
namespace {

using Kind = ContainerState::Kind;

// A script may say what it is to do: "#fake exit=3 log=words"; without a code it never ends.
constexpr absl::string_view kDirective = "#fake exit=";

void SetContainers(const JobDescription& job, Kind kind, int exit_code, absl::Time now,
                   JobStatus& status) {
  status.containers.resize(job.containers.size());
  for (size_t i = 0; i < job.containers.size(); ++i) {
    ContainerStatus& container = status.containers[i];
    container.name = job.containers[i].name;
    container.image = job.containers[i].image;
    container.init = job.containers[i].init;
    container.sidecar = job.containers[i].sidecar;
    if (container.state.kind == Kind::kUnspecified) container.state.started_at = now;
    container.state.kind = kind;
    container.ready = kind == Kind::kRunning;
    if (kind != Kind::kTerminated) continue;
    container.state.exit_code = exit_code;
    container.state.reason = exit_code == 0 ? "Completed" : "Error";
    container.state.finished_at = now;
  }
}

// A log that is read where the world keeps it.
class FakeLog final : public LogSource {
 public:
  FakeLog(std::shared_ptr<FakeBackend::World> world, JobKey key, EventLoop& loop)
      : world_(std::move(world)), key_(std::move(key)), loop_(loop) {}

  void Read(LogRange range, absl::AnyInvocable<void(absl::StatusOr<LogPiece>)> done) override {
    loop_.Post(lifetime_.Bind([this, range, done = std::move(done)]() mutable {
      auto last = std::move(done);
      last(Piece(range));
    }));
  }
  Subscription OnChange(absl::AnyInvocable<void()>) override { return Subscription(); }

 private:
  absl::StatusOr<LogPiece> Piece(const LogRange& range) const {
    const FakeBackend::Job* job = world_->Find(key_);
    if (job == nullptr) return absl::NotFoundError("no such job");
    const int64_t size = static_cast<int64_t>(job->log.size());
    LogPiece piece{.exists = true, .offset = std::min(range.offset, size)};
    if (range.tail_lines >= 0) {
      piece.offset = size;
      for (int64_t lines = range.tail_lines; piece.offset > 0; --piece.offset) {
        const bool line =
            piece.offset < size && job->log[static_cast<size_t>(piece.offset) - 1] == '\n';
        if (line && --lines == 0) break;
        if (range.tail_lines == 0) break;
      }
    }
    piece.bytes =
        job->log.substr(static_cast<size_t>(piece.offset), static_cast<size_t>(range.max_bytes));
    piece.next_offset = piece.offset + static_cast<int64_t>(piece.bytes.size());
    piece.end = IsFinal(job->status.phase) && piece.next_offset == size;
    return piece;
  }

  const std::shared_ptr<FakeBackend::World> world_;
  const JobKey key_;
  EventLoop& loop_;
  Lifetime lifetime_;
};

}  // namespace

FakeBackend::Job* FakeBackend::World::Find(const JobKey& key) {
  const auto found = jobs_.find(key);
  return found == jobs_.end() || found->second.deleted ? nullptr : &found->second;
}

FakeBackend::FakeBackend(Options options, std::shared_ptr<World> world, const Clock& clock,
                         EventLoop& loop)
    : options_(std::move(options)), world_(std::move(world)), clock_(clock), loop_(loop) {
  // The world has gone on without us.
  for (const auto& [key, job] : world_->jobs_) {
    for (int i = 0; i < job.pending; ++i) AwaitEffect(key);
    if (job.status.phase == JobPhase::kRunning) AwaitEnd(key, job);
  }
}

void FakeBackend::Later(absl::Duration delay, absl::AnyInvocable<void()> task) {
  if (delay <= absl::ZeroDuration()) {
    return loop_.Post(lifetime_.Bind([task = std::move(task)]() mutable { task(); }));
  }
  const uint64_t id = ++last_timer_;
  timers_[id] = loop_.RunAfter(delay, [this, id, task = std::move(task)]() mutable {
    auto running = timers_.extract(id);
    task();
  });
}

void FakeBackend::Check(absl::AnyInvocable<void(BackendReport)> done) {
  BackendReport report{.usable = true,
                       .capabilities = {.name = "fake",
                                        .id = options_.id,
                                        .pushes = options_.pushes,
                                        .lookup_interval = options_.lookup_interval,
                                        .forgets_at_boot = options_.forgets_at_boot},
                       .findings = {"nothing is really run"}};
  Later(options_.latency, [done = std::move(done), report = std::move(report)]() mutable {
    done(std::move(report));
  });
}

FakeBackend::Answer FakeBackend::NextAnswer() {
  if (answers_.empty()) return Answer();
  Answer answer = std::move(answers_.front());
  answers_.pop_front();
  return answer;
}

void FakeBackend::Submit(std::vector<Submission> batch,
                         absl::AnyInvocable<void(SubmitResult)> each) {
  auto shared = std::make_shared<absl::AnyInvocable<void(SubmitResult)>>(std::move(each));
  for (Submission& submission : batch) {
    const JobKey key = submission.job.key;
    Job& job = world_->jobs_[key];
    SubmitResult result{.key = key, .outcome = SubmitOutcome::kAccepted};
    if (job.deleted) {
      result.outcome = SubmitOutcome::kRejected;
      result.message = "the job was deleted";
    } else if (job.status.phase != JobPhase::kUnspecified) {
      result.backend_job_id = job.status.backend_job_id;
    } else {
      Answer answer = NextAnswer();
      result.outcome = answer.outcome;
      result.message = std::move(answer.message);
      job.job = std::move(submission.job);
      job.script = std::move(submission.script);
      if (answer.takes_effect && answer.outcome != SubmitOutcome::kRejected) {
        ++job.submissions;
        result.backend_job_id = absl::StrCat("fake-", world_->next_id_++);
        job.status.backend_job_id = result.backend_job_id;
        ++job.pending;
        AwaitEffect(key);
      }
    }
    Later(options_.latency,
          [shared, result = std::move(result)]() mutable { (*shared)(std::move(result)); });
  }
}

void FakeBackend::AwaitEffect(const JobKey& key) {
  if (options_.start_delay <= absl::ZeroDuration()) return TakeEffect(key);
  Later(options_.start_delay, [this, key] { TakeEffect(key); });
}

void FakeBackend::TakeEffect(const JobKey& key) {
  Job& job = world_->jobs_[key];
  --job.pending;
  if (std::exchange(job.fence, true)) return;
  job.deleted = false;
  ++job.bodies;
  job.status.key = key;
  job.status.phase = JobPhase::kRunning;
  SetContainers(job.job, Kind::kRunning, 0, clock_.Now(), job.status);
  const size_t words = job.script.find(" log=");
  if (absl::StartsWith(job.script, kDirective) && words != std::string::npos) {
    job.log = job.script.substr(words + 5);
  }
  Changed(job);
  AwaitEnd(key, job);
  if (!options_.keep_scripts) std::string().swap(job.script);
}

void FakeBackend::AwaitEnd(const JobKey& key, const Job& job) {
  absl::string_view rest = job.script;
  int exit_code = 0;
  absl::Duration time = options_.run_time;
  if (absl::ConsumePrefix(&rest, kDirective)) {
    const absl::string_view code = rest.substr(0, rest.find_first_of(" \n"));
    const bool ends = absl::SimpleAtoi(code, &exit_code);
    time = ends ? absl::ZeroDuration() : absl::InfiniteDuration();
  }
  if (time == absl::InfiniteDuration()) return;
  Later(time, [this, key, exit_code] { End(key, exit_code); });
}

void FakeBackend::Write(const JobKey& key, absl::string_view text) {
  if (Job* job = world_->Find(key)) absl::StrAppend(&job->log, text);
}

void FakeBackend::End(const JobKey& key, int exit_code) {
  Job* job = world_->Find(key);
  if (job == nullptr || job->status.phase != JobPhase::kRunning) return;
  job->status.phase = exit_code == 0 ? JobPhase::kSucceeded : JobPhase::kFailed;
  if (exit_code != 0) job->status.failure = FailureReason::kError;
  SetContainers(job->job, Kind::kTerminated, exit_code, clock_.Now(), job->status);
  Changed(*job);
}

void FakeBackend::Changed(const Job& job) {
  if (!options_.pushes) return;
  Later(options_.latency,
        [this, seen = ObservedJob{.status = job.status, .job = job.job}]() mutable {
          if (!observer_) return;
          Observation change;
          change.jobs.push_back(std::move(seen));
          observer_(std::move(change));
        });
}

void FakeBackend::Observe(Observer observer) {
  observer_ = std::move(observer);
  Later(options_.latency, [this] {
    if (!query_error_.ok()) return observer_(query_error_);
    Observation all{.complete = true, .resources = options_.resources};
    for (const auto& [key, job] : world_->jobs_) {
      if (job.deleted || job.status.phase == JobPhase::kUnspecified) continue;
      all.jobs.push_back({.status = job.status, .job = job.job});
    }
    observer_(std::move(all));
  });
}

void FakeBackend::Cancel(const JobKey& key, absl::Duration,
                         absl::AnyInvocable<void(absl::Status)> done) {
  Job& job = world_->jobs_[key];
  job.fence = true;
  job.deleted = true;
  job.log.clear();
  job.script.clear();
  job.status = JobStatus{.key = key, .phase = JobPhase::kDeleted};
  Later(options_.latency, [done = std::move(done)]() mutable { done(absl::OkStatus()); });
}

void FakeBackend::Find(const JobKey& key,
                       absl::AnyInvocable<void(absl::StatusOr<std::optional<ObservedJob>>)> done) {
  Later(options_.latency, [this, key, done = std::move(done)]() mutable {
    if (!query_error_.ok()) return done(query_error_);
    std::optional<ObservedJob> found;
    const Job* job = world_->Find(key);
    if (job != nullptr && job->status.phase != JobPhase::kUnspecified) {
      found = ObservedJob{.status = job->status, .job = job->job};
    }
    done(std::move(found));
  });
}

void FakeBackend::OpenLog(
    const LogQuery& query,
    absl::AnyInvocable<void(absl::StatusOr<std::unique_ptr<LogSource>>)> done) {
  Later(options_.latency, [this, query, done = std::move(done)]() mutable {
    const Job* job = world_->Find(query.key);
    if (job == nullptr || job->status.phase == JobPhase::kUnspecified) {
      return done(absl::NotFoundError("the backend has no such job"));
    }
    if (query.attempt == -2) return done(absl::NotFoundError("it has run only once"));
    done(std::make_unique<FakeLog>(world_, query.key, loop_));
  });
}

}  // namespace podferry
