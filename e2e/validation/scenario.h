#ifndef PODFERRY_E2E_VALIDATION_SCENARIO_H_
#define PODFERRY_E2E_VALIDATION_SCENARIO_H_

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "e2e/harness/pod_request.h"

namespace podferry::e2e {

// Stand-ins for the images of the suite, which come from registries: tools/testenv makes them.
inline constexpr char kBusybox[] = "docker.io/library/busybox:1.36";
inline constexpr char kDebian[] = "docker.io/library/debian:12";  // bash, Python 3.11; CMD bash
inline constexpr char kEntrypoint[] = "docker.io/podferry/entrypoint:1";  // ENTRYPOINT and CMD
inline constexpr char kCommand[] = "docker.io/podferry/command:1";        // CMD, USER, WORKDIR
inline constexpr char kUser[] = "docker.io/podferry/user:1";              // ENTRYPOINT, USER

// One pod of interLink's validation suite (interlink-hq/vk-test-set), in its shape, not its words:
// what it asks for, and what a user must see of it.
struct Scenario {
  std::string name;  // "000_hello_world": the number is the suite's
  PodRequest pod;
  std::string phase = "Succeeded";                    // "Failed", "Running"
  std::multimap<std::string, std::string> logs = {};  // container -> POSIX regular expressions
  std::map<std::string, int> exit_codes = {};         // of those it matters for
  bool needs_images = false;                          // it is about what is in the image

  friend std::ostream& operator<<(std::ostream& out, const Scenario& scenario) {
    return out << scenario.name;
  }
};

// A container for the tables below.
ContainerRequest Bash(const std::string& name, const std::string& script);
ContainerRequest Python(const std::string& name, const std::string& script);

std::vector<Scenario> BasicScenarios();
std::vector<Scenario> VolumeScenarios();
std::vector<Scenario> InitScenarios();
std::vector<Scenario> FailureScenarios();
std::vector<Scenario> ImageScenarios();
std::vector<Scenario> RunningScenarios();

}  // namespace podferry::e2e

#endif  // PODFERRY_E2E_VALIDATION_SCENARIO_H_
