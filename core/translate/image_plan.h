// How a container's image is found at the pool, or fetched: the outcome of image_planner.h. Values.

#ifndef PODFERRY_CORE_TRANSLATE_IMAGE_PLAN_H_
#define PODFERRY_CORE_TRANSLATE_IMAGE_PLAN_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "core/pool/build_config.h"

namespace podferry {

struct PlannedImage {
  std::string name;   // as the pod has it, without "docker://"
  std::string place;  // a file or folder of the pool that is used as it is; all below is then empty
  std::string source;     // where it is fetched from: "docker://busybox:1.36", "oci-archive:/x.tar"
  std::string file;       // below the site cache: "library/busybox_latest"
  std::string site_file;  // below image_dir: the name as the pod has it, ':' as '_'
  std::string digest;     // "sha256:..." where the pod insists on one
  PullPolicy policy = PullPolicy::kIfNotPresent;  // never kPod
};

// What holds for all images of a plan.
struct ImagePlaces {
  std::string image_dir;
  std::string cvmfs_unpacked_path;
  std::string cache;        // the site's; no user's folder (label `user`) can have its name
  std::string proxy;        // host[:port]
  std::string proxy_token;  // secret
  std::string scratch_area;
  std::string architecture;  // "" is the machine's own
  int64_t pull_timeout_seconds = 0;
  int64_t pull_retries = 0;
  absl::Duration back_off_first = absl::Seconds(10);
  absl::Duration back_off_limit = absl::Seconds(300);
};

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_IMAGE_PLAN_H_
