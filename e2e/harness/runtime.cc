#include "e2e/harness/runtime.h"

#include <cstdlib>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "glog/logging.h"
#include "gtest/gtest.h"

namespace podferry::e2e {
namespace {

// What tools/testenv/README.md names; adds to `missing` what is not there.
std::string FromTestenv(const char* variable, std::string* missing) {
  const char* value = std::getenv(variable);
  if (value != nullptr) return value;
  absl::StrAppend(missing, missing->empty() ? "" : ", ", variable,
                  " is not set: bazel test $(tools/testenv/make --bazel)");
  return "";
}

// Root in a container may lack what Podman's defaults take: see tools/testenv/README.md.
Runtime PodmanRuntime() {
  Runtime runtime{.name = "podman"};
  runtime.program = FromTestenv("PODFERRY_TEST_PODMAN", &runtime.missing);
  FromTestenv("PODFERRY_TEST_IMAGES", &runtime.missing);
  const std::string conf = testing::TempDir() + "/containers.conf";
  std::ofstream(conf) << "[engine]\nruntime = \"runc\"\n[containers]\n"
                         "default_ulimits = [\"nofile=1000:1000\", \"nproc=1000:1000\"]\n";
  runtime.env["CONTAINERS_CONF"] = conf;
  runtime.build_config =
      "[runtime]\nkind = \"podman\"\n[podman]\nexecutable = \"%PROGRAM%\"\n"
      "[volumes]\nscratch_area = \"%SITE%/scratch\"\n";
  return runtime;
}

Runtime ApptainerRuntime() {
  Runtime runtime{.name = "apptainer"};
  runtime.program = FromTestenv("PODFERRY_TEST_APPTAINER", &runtime.missing);
  const std::string images = FromTestenv("PODFERRY_TEST_APPTAINER_IMAGES", &runtime.missing);
  runtime.build_config = absl::StrCat(
      "[runtime]\nkind = \"apptainer\"\n[apptainer]\nexecutable = \"%PROGRAM%\"\n"
      "[volumes]\nscratch_area = \"%SITE%/scratch\"\napptainer_cachedir = \"%SITE%/cache\"\n"
      "image_dir = \"",
      images, "/image_dir\"\n");
  return runtime;
}

}  // namespace

Runtime HostRuntime() {
  return {.name = "host",
          .program = "bwrap",
          .build_config = "[runtime]\nkind = \"host\"\nbwrap_executable = \"%PROGRAM%\"\n"};
}

std::vector<Runtime> AllRuntimes() { return {HostRuntime(), ApptainerRuntime(), PodmanRuntime()}; }

std::vector<Runtime> RuntimesWithImages() {
  std::vector<Runtime> some;
  for (const Runtime& runtime : AllRuntimes()) {
    if (runtime.HasImages()) some.push_back(runtime);
  }
  return some;
}

void BringImages(const Runtime& runtime) {
  if (runtime.env.count("CONTAINERS_CONF") == 0 || !runtime.missing.empty()) return;
  static const bool brought = [&runtime] {
    setenv("CONTAINERS_CONF", runtime.env.at("CONTAINERS_CONF").c_str(), 1);
    const std::string podman = std::getenv("PODFERRY_TEST_PODMAN");
    // Even if their names are there: those may be older ones of this machine's.
    for (const char* image : {"busybox", "debian", "entrypoint", "command", "user"}) {
      const std::string archive = absl::StrCat(
          "docker-archive:", std::getenv("PODFERRY_TEST_IMAGES"), "/", image, ".docker.tar");
      const std::string command = absl::StrCat(podman, " pull --quiet ", archive, " >/dev/null");
      CHECK_EQ(std::system(command.c_str()), 0) << command;
    }
    return true;
  }();
  (void)brought;
}

}  // namespace podferry::e2e
