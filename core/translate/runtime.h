// What a runtime decides about a plan. Each is a small file, runtime_<kind>.cc; how it is done
// stands in bash/<kind>.bash. Pure and stateless: one object of each for the whole process, any
// thread.

#ifndef PODFERRY_CORE_TRANSLATE_RUNTIME_H_
#define PODFERRY_CORE_TRANSLATE_RUNTIME_H_

#include <vector>

#include "core/pod/field_path.h"
#include "core/pod/pod.h"
#include "core/pool/build_config.h"
#include "core/translate/job_plan.h"
#include "core/translate/supported_fields.h"

namespace podferry {

class Runtime {
 public:
  virtual ~Runtime() = default;

  // Whether images come from the site's folders and cache (image_planner.h).
  virtual bool HasSiteImages() const { return false; }

  // Reports what this runtime cannot do for the container at `path`, beyond the table of supported
  // fields.
  virtual void CheckContainer(const BuildConfig& config, const Container& container,
                              const FieldPath& path, FieldReport* report) const = 0;

  // Fills in the runtime's own part of a plan whose containers and volumes are planned.
  virtual void Plan(const BuildConfig& config, JobPlan* plan, FieldReport* report) const = 0;
};

// Null for a runtime that this version does not have.
const Runtime* FindRuntime(RuntimeKind kind);

// Those it has.
std::vector<RuntimeKind> AvailableRuntimes();

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_RUNTIME_H_
