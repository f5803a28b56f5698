#include "submitter/backend/metered_backend.h"

#include <utility>

namespace podferry {

MeteredBackend::MeteredBackend(std::unique_ptr<Backend> backend, const Clock& clock,
                               SubmitterMetrics& metrics)
    : backend_(std::move(backend)), clock_(clock), metrics_(metrics) {}

void MeteredBackend::Check(absl::AnyInvocable<void(BackendReport)> done) {
  backend_->Check(std::move(done));
}

void MeteredBackend::Submit(std::vector<Submission> batch,
                            absl::AnyInvocable<void(SubmitResult)> each) {
  backend_->Submit(std::move(batch), [this, begin = clock_.Monotonic(),
                                      each = std::move(each)](SubmitResult result) mutable {
    metrics_.submit_seconds.Observe(absl::ToDoubleSeconds(clock_.Monotonic() - begin));
    const bool accepted = result.outcome == SubmitOutcome::kAccepted;
    (accepted ? metrics_.submissions : metrics_.submissions_failed).Increment();
    each(std::move(result));
  });
}

void MeteredBackend::Observe(Observer observer) {
  backend_->Observe(
      [this, observer = std::move(observer)](absl::StatusOr<Observation> observation) mutable {
        if (!observation.ok()) metrics_.observe_errors.Increment();
        observer(std::move(observation));
      });
}

void MeteredBackend::Cancel(const JobKey& key, absl::Duration grace,
                            absl::AnyInvocable<void(absl::Status)> done) {
  backend_->Cancel(key, grace, [this, done = std::move(done)](absl::Status status) mutable {
    if (status.ok()) metrics_.cancels.Increment();
    done(std::move(status));
  });
}

void MeteredBackend::Find(
    const JobKey& key, absl::AnyInvocable<void(absl::StatusOr<std::optional<ObservedJob>>)> done) {
  backend_->Find(key, std::move(done));
}

void MeteredBackend::OpenLog(
    const LogQuery& query,
    absl::AnyInvocable<void(absl::StatusOr<std::unique_ptr<LogSource>>)> done) {
  backend_->OpenLog(query, std::move(done));
}

}  // namespace podferry
