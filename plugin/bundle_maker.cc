#include "plugin/bundle_maker.h"

#include <utility>

#include "plugin/pod_body.h"
#include "plugin/store_keys.h"

namespace podferry {
namespace {

absl::StatusOr<Translation> TranslateBody(BundleMaker::Translator translator,
                                          const std::string& body, JobSource source,
                                          const JobDescription& job, const BuildConfig& config) {
  absl::StatusOr<RetrievedPod> pod = ReadStoredBody(body, source, job);
  if (!pod.ok()) return pod.status();
  return translator(*pod, job.key, job.pool, config);
}

}  // namespace

void BundleMaker::Make(const JobRecord& record, std::shared_ptr<const BuildConfig> config,
                       absl::AnyInvocable<void(absl::StatusOr<Translation>)> done) {
  const std::string& uid = record.job.key.uid;
  store_.Read(BodyStoreKey(uid),
              [this, source = record.source, job = record.job, config = std::move(config),
               done = std::move(done),
               alive = std::weak_ptr<bool>(alive_)](absl::StatusOr<std::string> body) mutable {
                if (alive.expired()) return;
                if (!body.ok()) return done(body.status());
                RunOnPool(
                    workers_,
                    [translator = translator_, body = *std::move(body), source,
                     job = std::move(job), config = std::move(config)] {
                      return TranslateBody(translator, body, source, job, *config);
                    },
                    [alive, done = std::move(done)](absl::StatusOr<Translation> made) mutable {
                      if (!alive.expired()) done(std::move(made));
                    });
              });
}

void BundleMaker::Load(absl::string_view uid,
                       absl::AnyInvocable<void(absl::StatusOr<std::string>)> done) {
  store_.Read(BundleStoreKey(uid), [alive = std::weak_ptr<bool>(alive_), done = std::move(done)](
                                       absl::StatusOr<std::string> script) mutable {
    if (!alive.expired()) done(std::move(script));
  });
}

}  // namespace podferry
