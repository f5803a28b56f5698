// What a pod has the pool run outside of its containers: mount scripts of FUSE volumes, and
// commands before and beside the containers. Values.

#ifndef PODFERRY_CORE_TRANSLATE_OUTSIDE_PLAN_H_
#define PODFERRY_CORE_TRANSLATE_OUTSIDE_PLAN_H_

#include <string>
#include <vector>

#include "absl/time/time.h"

namespace podferry {

// Where the texts of all these are put: files of a volume that no container mounts.
inline constexpr char kCommandsVolume[] = ".commands";
// The folder at /cache of every container that has mounts.
inline constexpr char kCacheVolume[] = ".cache";

struct OutsidePlan {
  std::string pre_exec;  // the name of a file of kCommandsVolume; "" is none
  std::string tunnel;    // the same
  absl::Duration fuse_wait = absl::Seconds(5);
  // When volumes with a limit are measured: some time after the start, and then again and again.
  absl::Duration first_measure = absl::Seconds(10);
  absl::Duration measure_every = absl::Seconds(60);
  std::vector<std::string> path_folders;  // before the pool's own PATH
};

// A file system that a script of the pod's mounts.
struct FuseMount {
  std::string volume;         // the pod's, which may be mounted with several sub paths
  std::string script;         // the name of a file of kCommandsVolume
  std::string sub_path;       // what it is told to show
  bool in_container = false;  // by the runtime, in each container that mounts it; else at the pool
};

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_OUTSIDE_PLAN_H_
