// The runtimes that scripts are run under in tests: what tools/testenv has made, as a pool's
// BuildConfig. Stateless.

#ifndef PODFERRY_CORE_TRANSLATE_TESTING_TEST_RUNTIME_H_
#define PODFERRY_CORE_TRANSLATE_TESTING_TEST_RUNTIME_H_

#include <ostream>
#include <string>

#include "core/pool/build_config.h"
#include "core/translate/testing/script_run.h"

namespace podferry {

struct TestRuntime {
  RuntimeKind kind;
  std::string name;  // "host", "apptainer"
};

inline std::ostream& operator<<(std::ostream& out, const TestRuntime& runtime) {
  return out << runtime.name;
}

inline const TestRuntime kTestRuntimes[] = {{RuntimeKind::kHost, "host"},
                                            {RuntimeKind::kApptainer, "apptainer"},
                                            {RuntimeKind::kPodman, "podman"}};

// For a pool of this machine that has the images of tools/testenv. The test fails, and says what to
// do, if its environment does not name what the runtime needs.
BuildConfig ConfigOf(const TestRuntime& runtime);

// Before the script starts: what the runtime needs to work for root in a container.
void Prepare(const TestRuntime& runtime, ScriptRun* run);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_TESTING_TEST_RUNTIME_H_
