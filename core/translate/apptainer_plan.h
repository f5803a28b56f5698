// What a plan says about the runtime `apptainer` alone. A value.

#ifndef PODFERRY_CORE_TRANSLATE_APPTAINER_PLAN_H_
#define PODFERRY_CORE_TRANSLATE_APPTAINER_PLAN_H_

#include <string>
#include <vector>

#include "core/pool/build_config.h"

namespace podferry {

struct ApptainerPlan {
  std::string executable;            // Apptainer's or Singularity's
  std::vector<std::string> options;  // of every container's `exec` or `run`
  bool clean_environment = true;
  bool no_privs = true;
  bool no_init = false;  // a container's own process is the first of its namespace
  TmpDirMode tmp_dir_mode = TmpDirMode::kScratch;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_APPTAINER_PLAN_H_
