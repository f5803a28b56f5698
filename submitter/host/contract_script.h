// Scripts for tests of the host backend: small, written by hand, and keeping all that
// core/translate/sandbox.h asks of a script.

#ifndef PODFERRY_SUBMITTER_HOST_CONTRACT_SCRIPT_H_
#define PODFERRY_SUBMITTER_HOST_CONTRACT_SCRIPT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace podferry {

// One container, "main", which runs `body` (bash) in a subshell. SIGTERM ends it with code 143.
// Every run past the fence adds a line to the file `runs`.
std::string ContractScriptText(const std::string& runs, absl::string_view body);

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_HOST_CONTRACT_SCRIPT_H_
