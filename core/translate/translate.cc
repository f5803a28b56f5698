#include "core/translate/translate.h"

#include <utility>

#include "core/translate/script_renderer.h"

namespace podferry {

Translation Translate(const RetrievedPod& pod, const JobKey& key, absl::string_view pool,
                      const BuildConfig& config, const TranslateOptions& options) {
  Translation translation;
  PlanResult result = PlanJob(pod, key, pool, config, options);
  translation.warnings = std::move(result.warnings);
  translation.issues = std::move(result.issues);
  if (!translation.issues.empty()) return translation;
  JobBundle& bundle = translation.bundle;
  bundle.script = IsOurScript(pod.job_script) ? pod.job_script : RenderScript(result.plan);
  bundle.digest = Sha256Hex(bundle.script);
  bundle.job = std::move(result.plan.job);
  return translation;
}

}  // namespace podferry
