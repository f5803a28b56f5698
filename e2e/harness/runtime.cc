#include "e2e/harness/runtime.h"

namespace podferry::e2e {

Runtime HostRuntime() {
  return {.name = "host",
          .program = "bwrap",
          .build_config = "[runtime]\nkind = \"host\"\nbwrap_executable = \"%PROGRAM%\"\n",
          .missing = ""};
}

std::vector<Runtime> AllRuntimes() { return {HostRuntime()}; }

}  // namespace podferry::e2e
