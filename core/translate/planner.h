// The first step of translation: what a pool is to do for a pod. Pure: the same pod, pool and
// configuration give the same plan. Any thread.

#ifndef PODFERRY_CORE_TRANSLATE_PLANNER_H_
#define PODFERRY_CORE_TRANSLATE_PLANNER_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/base/issues.h"
#include "core/job/job_key.h"
#include "core/pod/retrieved_pod.h"
#include "core/pool/build_config.h"
#include "core/translate/job_plan.h"

namespace podferry {

struct PlanResult {
  JobPlan plan;                       // meaningful when issues is empty
  std::vector<std::string> warnings;  // "field: what is ignored"
  Issues issues;                      // paths start with "spec" or "metadata", or "runtime.kind"
};

// What translation needs beside the pod and its pool.
struct TranslateOptions {
  // Secret, short-lived: with it a job may ask the pool's registry proxy. "" is none.
  std::string registry_proxy_token;
};

PlanResult PlanJob(const RetrievedPod& pod, const JobKey& key, absl::string_view pool,
                   const BuildConfig& config, const TranslateOptions& options = {});

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_PLANNER_H_
