// What a plan says about the runtime `podman` alone. A value.

#ifndef PODFERRY_CORE_TRANSLATE_PODMAN_PLAN_H_
#define PODFERRY_CORE_TRANSLATE_PODMAN_PLAN_H_

#include <string>
#include <vector>

namespace podferry {

struct PodmanPlan {
  std::string executable;            // one that is called docker... is Docker
  std::string url;                   // of a remote one; "" is local
  std::vector<std::string> options;  // of each container's run, after those of the container's own
  bool shares_memory = false;        // several containers, one /dev/shm
  std::vector<std::string> images;   // of each container, in full
  std::string platform;              // of the images; "" is the pool's own
};

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_PODMAN_PLAN_H_
