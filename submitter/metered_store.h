// A store that counts and times the writes of another: how long journalling takes.

#ifndef PODFERRY_SUBMITTER_METERED_STORE_H_
#define PODFERRY_SUBMITTER_METERED_STORE_H_

#include <string>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/store/store.h"
#include "submitter/submitter_metrics.h"

namespace podferry {

class MeteredStore final : public Store {
 public:
  MeteredStore(Store& store, const Clock& clock, SubmitterMetrics& metrics)
      : store_(store), clock_(clock), metrics_(metrics) {}

  void Write(std::vector<Mutation> batch, absl::AnyInvocable<void(absl::Status)> done) override {
    store_.Write(
        std::move(batch), [&clock = clock_, &metrics = metrics_, begin = clock_.Monotonic(),
                           done = std::move(done)](absl::Status status) mutable {
          metrics.journal_seconds.Observe(absl::ToDoubleSeconds(clock.Monotonic() - begin));
          if (!status.ok()) metrics.journal_errors.Increment();
          done(std::move(status));
        });
  }
  void Read(std::string key, absl::AnyInvocable<void(absl::StatusOr<std::string>)> done) override {
    store_.Read(std::move(key), std::move(done));
  }
  void Scan(std::string prefix, absl::AnyInvocable<void(absl::StatusOr<Entries>)> done) override {
    store_.Scan(std::move(prefix), std::move(done));
  }
  StoreHealth health() const override { return store_.health(); }

 private:
  Store& store_;
  const Clock& clock_;
  SubmitterMetrics& metrics_;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_METERED_STORE_H_
