#include "core/translate/testing/test_runtime.h"

#include <cstdlib>
#include <fstream>

#include "absl/strings/str_cat.h"
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

// See "Root's quirks" in tools/testenv/README.md.
std::string ContainersConf() {
  std::string path = testing::TempDir() + "/containers.conf";
  std::ofstream(path) << "[engine]\nruntime = \"runc\"\n[containers]\n"
                         "default_ulimits = [\"nofile=1000:1000\", \"nproc=1000:1000\"]\n";
  return path;
}

void LoadImages(const std::string& podman) {
  const std::string images = FromTestenv("PODFERRY_TEST_IMAGES");
  for (const char* image : {"busybox", "debian", "entrypoint"}) {
    const std::string command = absl::StrCat(podman, " load --quiet --input ", images, "/", image,
                                             ".docker.tar >/dev/null");
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
}

}  // namespace

BuildConfig ConfigOf(const TestRuntime& runtime) {
  BuildConfig config;
  config.runtime.kind = runtime.kind;
  config.images.pull_policy = PullPolicy::kIfNotPresent;
  if (runtime.kind == RuntimeKind::kApptainer) {
    config.apptainer.executable = FromTestenv("PODFERRY_TEST_APPTAINER");
    config.apptainer.uts = true;  // else containers have this machine's name
    config.volumes.image_dir = FromTestenv("PODFERRY_TEST_APPTAINER_IMAGES") + "/image_dir";
    config.volumes.apptainer_cachedir = testing::TempDir() + "/apptainer";
  }
  if (runtime.kind == RuntimeKind::kPodman) {
    static const std::string podman = FromTestenv("PODFERRY_TEST_PODMAN");
    static const bool loaded = (LoadImages(podman), true);
    EXPECT_TRUE(loaded);
    config.podman.executable = podman;
  }
  return config;
}

void Prepare(const TestRuntime& runtime, ScriptRun* run) {
  if (runtime.kind == RuntimeKind::kPodman) run->variables()["CONTAINERS_CONF"] = ContainersConf();
}

}  // namespace podferry
