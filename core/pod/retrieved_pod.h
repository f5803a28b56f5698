// A pod together with the data of the objects it mounts: interLink's RetrievedPodData. It is what a
// job is made from, and secret: its Secrets and tokens lie here in clear. Values, no owner.

#ifndef PODFERRY_CORE_POD_RETRIEVED_POD_H_
#define PODFERRY_CORE_POD_RETRIEVED_POD_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/pod/pod.h"

namespace podferry {

// A ConfigMap, a Secret or a projected volume: bytes by key. A ConfigMap's binaryData and a
// Secret's data are already decoded.
struct ObjectData {
  std::string name;  // of the object; of the volume for a projected one
  std::map<std::string, std::string> files;
};

// What interLink fetched for one container; a container that does not mount a volume has none of
// its data.
struct ContainerData {
  std::string name;  // the container's
  std::vector<ObjectData> config_maps;
  std::vector<ObjectData> projected_volumes;
  std::vector<ObjectData> secrets;
};

// interLink's jobConfig: what its own script builder configuration holds. All zero unless a site
// uses JobScriptBuilderURL.
struct JobConfig {
  struct HubProxy {
    std::string server;
    std::string master_token;
    int64_t cache_validity_seconds = 0;
  } hub_proxy;
  struct Apptainer {
    std::string executable;
    std::string fuse_mode;
    bool fakeroot = false;
    bool containall = false;
    bool no_init = false;
    bool no_home = false;
    bool no_privs = false;
    bool nvidia_support = false;
    bool cleanenv = false;
    bool unsquash = false;
  } apptainer;
  struct Volumes {
    std::string scratch_area;
    std::string apptainer_cachedir;
    std::string image_dir;
    std::vector<std::string> additional_directories_in_path;
    int64_t fuse_sleep_seconds = 0;
  } volumes;
};

struct RetrievedPod {
  Pod pod;
  std::vector<ContainerData> containers;
  std::string job_script;  // replaces our translation when not empty
  std::optional<JobConfig> job_config;
};

// The object's data as any container received it, or nullptr if none did.
const ObjectData* FindConfigMap(const RetrievedPod& pod, absl::string_view name);
const ObjectData* FindSecret(const RetrievedPod& pod, absl::string_view name);
const ObjectData* FindProjectedVolume(const RetrievedPod& pod, absl::string_view volume_name);

}  // namespace podferry

#endif  // PODFERRY_CORE_POD_RETRIEVED_POD_H_
