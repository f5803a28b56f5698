// The translation for others: a pod as interLink sends it, with its jobConfig, becomes a script
// that any plugin of interLink's can run, without a submitter of ours (interLink's
// JobScriptBuilderURL). The script runs under Apptainer, in a sandbox that it makes in the current
// folder.
//
// Owned by the daemon; event loop's thread only. Pods are read and translated on the worker pool.

#ifndef PODFERRY_PLUGIN_SCRIPT_BUILDER_H_
#define PODFERRY_PLUGIN_SCRIPT_BUILDER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "core/base/issues.h"
#include "core/os/worker_pool.h"
#include "core/pod/retrieved_pod.h"
#include "core/translate/translate.h"
#include "plugin/bundle_maker.h"
#include "plugin/pool_directory.h"
#include "plugin/registry_proxy.h"

namespace podferry {

struct BuiltScript {
  absl::Status status;                // not OK: the body cannot be read at all
  Issues issues;                      // why there is no script, with field paths
  std::vector<std::string> warnings;  // what of the pod is ignored
  std::string script;                 // holds the pod's Secrets
};

class ScriptBuilder {
 public:
  using Done = absl::AnyInvocable<void(BuiltScript)>;

  ScriptBuilder(WorkerPool& workers, const PoolDirectory& directory, RegistryProxy& proxy,
                BundleMaker::Translator translator, std::string origin)
      : workers_(workers),
        directory_(directory),
        proxy_(proxy),
        translator_(translator),
        origin_(std::move(origin)) {}

  // `body`: RetrievedPodData. The configuration is that of the pool that the pod tolerates, if
  // there is one and it is known, else the default, with jobConfig on top. `done` on the loop,
  // once; not at all once this is destroyed.
  void Build(std::string body, Done done);

 private:
  struct Request;

  void OnRead(std::shared_ptr<Request> request);
  void GetToken(std::shared_ptr<Request> request);
  void Translate(std::shared_ptr<Request> request);

  WorkerPool& workers_;
  const PoolDirectory& directory_;
  RegistryProxy& proxy_;
  const BundleMaker::Translator translator_;
  const std::string origin_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_SCRIPT_BUILDER_H_
