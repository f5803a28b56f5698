// Makes scripts, and gives out those that are made: reads a job's body from the store and
// translates it on the worker pool, reads frozen scripts back.
//
// Owned by the daemon; event loop's thread only; callbacks come on the loop, never inline, and not
// at all once it is destroyed.

#ifndef PODFERRY_PLUGIN_BUNDLE_MAKER_H_
#define PODFERRY_PLUGIN_BUNDLE_MAKER_H_

#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/job/job_key.h"
#include "core/os/worker_pool.h"
#include "core/pod/retrieved_pod.h"
#include "core/pool/build_config.h"
#include "core/store/store.h"
#include "core/translate/translate.h"
#include "plugin/job_record.h"
#include "plugin/registry_proxy.h"

namespace podferry {

class BundleMaker {
 public:
  // Translate, in the daemon. Called on the worker pool.
  using Translator = Translation (*)(const RetrievedPod& pod, const JobKey& key,
                                     absl::string_view pool, const BuildConfig& config,
                                     const TranslateOptions& options);

  BundleMaker(Store& store, WorkerPool& workers, RegistryProxy& proxy, Translator translator)
      : store_(store), workers_(workers), proxy_(proxy), translator_(translator) {}

  // The translation of the job's body for its pool, with a token of the pool's registry proxy if it
  // has one; without one that can be had, its images come from the registry, and a warning says so.
  // NOT_FOUND, DATA_LOSS: the body is gone or cannot be read; otherwise the store's error.
  void Make(const JobRecord& record, std::shared_ptr<const BuildConfig> config,
            absl::AnyInvocable<void(absl::StatusOr<Translation>)> done);

  // A frozen script. NOT_FOUND, DATA_LOSS, or the store's error.
  void Load(absl::string_view uid, absl::AnyInvocable<void(absl::StatusOr<std::string>)> done);

 private:
  struct Request;

  void OnBody(std::shared_ptr<Request> request);
  void OnPod(std::shared_ptr<Request> request);
  void Translate(std::shared_ptr<Request> request);

  Store& store_;
  WorkerPool& workers_;
  RegistryProxy& proxy_;
  const Translator translator_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// Whether jobs of this pool ask a registry proxy for their images.
bool NeedsProxyToken(const BuildConfig& config);
// What is said to the pod when there is no token.
std::string NoProxyWarning(const absl::Status& status);

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_BUNDLE_MAKER_H_
