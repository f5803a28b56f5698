// The second step of translation: a plan as one bash script (4.2 or later, coreutils, gzip,
// util-linux). What the script does for every pod stands in bash/*.bash; this writes the job's own
// part: its data, and the functions that lay out its files and describe its containers. Together
// they are all that knows bash. sandbox.h is the contract they fulfil. Pure, any thread.

#ifndef PODFERRY_CORE_TRANSLATE_SCRIPT_RENDERER_H_
#define PODFERRY_CORE_TRANSLATE_SCRIPT_RENDERER_H_

#include <string>

#include "absl/strings/string_view.h"
#include "core/translate/job_plan.h"

namespace podferry {

std::string RenderScript(const JobPlan& plan);

// Whether a script was made by RenderScript (any version): it keeps its own fence and statuses, and
// must not be wrapped again.
bool IsOurScript(absl::string_view script);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_SCRIPT_RENDERER_H_
