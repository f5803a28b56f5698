// The part of a script that differs between runtimes: variables of the runtime's own, and the
// pieces of bash/ that define prepare_runtime, run_container, was_created, terminate_container and
// kill_container. A script holds those of one runtime. Bash, like script_renderer.h, whose part it
// is. Pure.

#ifndef PODFERRY_CORE_TRANSLATE_SCRIPT_RUNTIME_H_
#define PODFERRY_CORE_TRANSLATE_SCRIPT_RUNTIME_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/translate/job_plan.h"

namespace podferry {

struct RuntimeScript {
  std::string variables;                        // lines
  std::vector<absl::string_view> pieces;        // read before the first container starts
  std::vector<absl::string_view> later_pieces;  // and after
  bool has_site_images = false;                 // with bash/images.bash among the pieces
};

RuntimeScript RenderRuntime(const JobPlan& plan);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_SCRIPT_RUNTIME_H_
