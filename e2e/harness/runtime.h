#ifndef PODFERRY_E2E_HARNESS_RUNTIME_H_
#define PODFERRY_E2E_HARNESS_RUNTIME_H_

#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace podferry::e2e {

// What a pool's containers run under: a real runtime of this machine, or the reason why it is not
// there, for which a test fails.
struct Runtime {
  std::string name;  // "host", "apptainer", "podman"
  std::string program;
  std::map<std::string, std::string> env = {};  // the program's, whatever it gets
  std::string build_config;  // the pool's, in TOML; %SITE% is the site's folder, %PROGRAM% above
  std::string missing;       // "" if it is there

  bool HasImages() const { return name != "host"; }
  friend std::ostream& operator<<(std::ostream& out, const Runtime& runtime) {
    return out << runtime.name;
  }
};

Runtime HostRuntime();
// All of them. Where they and their images lie is tools/testenv's to say.
std::vector<Runtime> AllRuntimes();
std::vector<Runtime> RuntimesWithImages();
// Loads the test images where the runtime keeps its own, once for each process.
void BringImages(const Runtime& runtime);

}  // namespace podferry::e2e

#endif  // PODFERRY_E2E_HARNESS_RUNTIME_H_
