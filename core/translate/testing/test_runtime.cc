#include "core/translate/testing/test_runtime.h"

#include <cstdlib>

#include "gtest/gtest.h"

namespace podferry {
namespace {

std::string FromTestenv(const char* variable) {
  const char* value = std::getenv(variable);
  if (value != nullptr && *value != '\0') return value;
  ADD_FAILURE() << variable << " is not set: use tools/test, or bazel test "
                << "$(tools/testenv/make --bazel) TARGET";
  return std::string("/nowhere/") + variable;
}

}  // namespace

BuildConfig ConfigOf(const TestRuntime& runtime) {
  BuildConfig config;
  config.runtime.kind = runtime.kind;
  if (runtime.kind == RuntimeKind::kApptainer) {
    config.apptainer.executable = FromTestenv("PODFERRY_TEST_APPTAINER");
    config.volumes.image_dir = FromTestenv("PODFERRY_TEST_APPTAINER_IMAGES") + "/image_dir";
    config.volumes.apptainer_cachedir = testing::TempDir() + "/apptainer";
  }
  return config;
}

}  // namespace podferry
