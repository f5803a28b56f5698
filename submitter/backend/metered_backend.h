// A backend that counts and times what another does.

#ifndef PODFERRY_SUBMITTER_BACKEND_METERED_BACKEND_H_
#define PODFERRY_SUBMITTER_BACKEND_METERED_BACKEND_H_

#include <memory>
#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "submitter/backend/backend.h"
#include "submitter/submitter_metrics.h"

namespace podferry {

class MeteredBackend final : public Backend {
 public:
  MeteredBackend(std::unique_ptr<Backend> backend, const Clock& clock, SubmitterMetrics& metrics);

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
  const std::unique_ptr<Backend> backend_;
  const Clock& clock_;
  SubmitterMetrics& metrics_;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_BACKEND_METERED_BACKEND_H_
