// A pool with a real Podman for tests: the program is PODFERRY_TEST_PODMAN (or podman), its images
// are the archives in PODFERRY_TEST_IMAGES, which tools/testenv makes. Not there: the test fails
// and says so. Containers of different tests never meet: each pod has a key of its own.

#ifndef PODFERRY_CORE_TRANSLATE_TESTING_PODMAN_POOL_H_
#define PODFERRY_CORE_TRANSLATE_TESTING_PODMAN_POOL_H_

#include <memory>
#include <string>
#include <vector>

#include "core/pod/testing/pod_builder.h"
#include "core/pool/build_config.h"
#include "core/translate/testing/script_run.h"

namespace podferry {

class PodmanPool {
 public:
  static constexpr char kBusybox[] = "docker.io/library/busybox:1.36";
  static constexpr char kEntrypoint[] = "docker.io/podferry/entrypoint:1";

  // Brings the images, once for each process.
  PodmanPool();

  BuildConfig& config() { return config_; }

  // A script for the pod, not started. Images of containers that name none of these are busybox.
  std::unique_ptr<ScriptRun> Script(PodBuilder& pod);
  // The key of the last one, as containers are labelled.
  const std::string& key() const { return key_; }

  // What podman prints, without the last newline.
  std::string Podman(const std::string& arguments) const;
  // The containers of the last script that there are.
  std::string Containers() const;
  // Processes that belong to containers of the last script: monitors, runtimes, and what they run.
  int CountMonitors() const;

 private:
  std::string program_;
  std::string conf_;
  BuildConfig config_;
  std::string key_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_TESTING_PODMAN_POOL_H_
