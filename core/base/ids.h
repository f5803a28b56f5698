// Names that nobody else makes up.

#ifndef PODFERRY_CORE_BASE_IDS_H_
#define PODFERRY_CORE_BASE_IDS_H_

#include <string>

#include "absl/strings/string_view.h"

namespace podferry {

// A random UUID, version 4 (RFC 9562), in lower case: what Kubernetes gives to objects. The bits
// are the kernel's, so two processes (or two forks of one) never get the same. Any thread.
std::string NewUuid();

// Whether `text` has the form of a UUID of any version, in lower or upper case.
bool IsUuid(absl::string_view text);

}  // namespace podferry

#endif  // PODFERRY_CORE_BASE_IDS_H_
