// The runtimes that scripts are run under in tests: what tools/testenv has made, as a pool's
// BuildConfig. Stateless.

#ifndef PODFERRY_CORE_TRANSLATE_TESTING_TEST_RUNTIME_H_
#define PODFERRY_CORE_TRANSLATE_TESTING_TEST_RUNTIME_H_

#include <ostream>
#include <string>
#include <vector>

#include "core/pool/build_config.h"

namespace podferry {

struct TestRuntime {
  RuntimeKind kind;
  std::string name;  // "host", "apptainer"
};

inline std::ostream& operator<<(std::ostream& out, const TestRuntime& runtime) {
  return out << runtime.name;
}

inline const TestRuntime kTestRuntimes[] = {{RuntimeKind::kHost, "host"}};

// For a pool of this machine. The test fails, and says what to do, if its environment does not name
// what the runtime needs.
BuildConfig ConfigOf(const TestRuntime& runtime);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_TESTING_TEST_RUNTIME_H_
