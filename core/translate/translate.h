// Translation as its callers see it: a pod in, a script out. The steps are planner.h (all
// decisions) and script_renderer.h (bash).

#ifndef PODFERRY_CORE_TRANSLATE_TRANSLATE_H_
#define PODFERRY_CORE_TRANSLATE_TRANSLATE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/base/issues.h"
#include "core/job/job_key.h"
#include "core/job/job_request.h"
#include "core/pod/retrieved_pod.h"
#include "core/pool/build_config.h"
#include "core/translate/job_description.h"
#include "core/translate/planner.h"

namespace podferry {

// A pod as the script that runs it at a pool, or all the reasons why it cannot be.
struct Translation {
  JobBundle bundle;                   // meaningful when issues is empty
  std::vector<std::string> warnings;  // what was ignored safely, with its field path
  Issues issues;                      // what the pool cannot honour, with field paths
};

// Plans the pod for the pool, then writes the script. Pure: the same pod, pool and configuration
// give the same bytes. The script holds the pod's Secrets. Any thread.
Translation Translate(const RetrievedPod& pod, const JobKey& key, absl::string_view pool,
                      const BuildConfig& config, const TranslateOptions& options = {});

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_TRANSLATE_H_
