// What the jobs of a submitter ask for together. Pure.

#ifndef PODFERRY_SUBMITTER_LOAD_H_
#define PODFERRY_SUBMITTER_LOAD_H_

#include <map>
#include <string>

#include "submitter/records.h"

namespace podferry {

// The sum over all jobs that have started and not ended, "pods" included. A quantity that cannot be
// read counts as nothing: the plugin has checked them long ago.
std::map<std::string, std::string> UsedResources(const Records& records);

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_LOAD_H_
