// A pod's volumes as plain data. The variant holds exactly one source; a source we do not know
// keeps its type's name, so that a refusal can say it. Values, no owner, no thread.

#ifndef PODFERRY_CORE_POD_VOLUME_H_
#define PODFERRY_CORE_POD_VOLUME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/pod/container.h"

namespace podferry {

// One key of a ConfigMap or Secret as a file. Modes are permission bits (0644 is 420 in JSON).
struct KeyToPath {
  std::string key;
  std::string path;
  std::optional<int32_t> mode;
};

// One file of a downwardAPI volume; exactly one of field_path and resource is set.
struct DownwardApiItem {
  std::string path;
  std::string field_path;
  std::string resource_container;
  std::string resource;
  std::string divisor;
  std::optional<int32_t> mode;
};

inline constexpr int32_t kDefaultVolumeMode = 0644;

struct EmptyDirVolume {
  std::string medium;      // "", "Memory" or "HugePages..."
  std::string size_limit;  // a quantity, or ""
};
struct ConfigMapVolume {
  std::string name;              // the ConfigMap's
  std::vector<KeyToPath> items;  // empty: every key, under its own name
  int32_t default_mode = kDefaultVolumeMode;
  bool optional = false;
};
struct SecretVolume {
  std::string secret_name;
  std::vector<KeyToPath> items;
  int32_t default_mode = kDefaultVolumeMode;
  bool optional = false;
};
struct DownwardApiVolume {
  std::vector<DownwardApiItem> items;
  int32_t default_mode = kDefaultVolumeMode;
};

struct ProjectedConfigMap {
  std::string name;
  std::vector<KeyToPath> items;
  bool optional = false;
};
struct ProjectedSecret {
  std::string name;
  std::vector<KeyToPath> items;
  bool optional = false;
};
struct ProjectedDownwardApi {
  std::vector<DownwardApiItem> items;
};
struct ProjectedServiceAccountToken {
  std::string path;
  std::string audience;
  int64_t expiration_seconds = 3600;
};
struct ProjectedUnknown {
  std::string type;  // the JSON key of the source, or "" if there was none
};
using ProjectedSource = std::variant<ProjectedUnknown, ProjectedConfigMap, ProjectedSecret,
                                     ProjectedDownwardApi, ProjectedServiceAccountToken>;
struct ProjectedVolume {
  std::vector<ProjectedSource> sources;
  int32_t default_mode = kDefaultVolumeMode;
};

struct HostPathVolume {
  std::string path;
  std::string type;  // "", "Directory", "DirectoryOrCreate", "File", ...
};
struct PersistentVolumeClaimVolume {
  std::string claim_name;
  bool read_only = false;
};
struct NfsVolume {
  std::string server;
  std::string path;
  bool read_only = false;
};
struct CsiVolume {
  std::string driver;
  bool read_only = false;
  std::string fs_type;
  StringMap attributes;
};
// A generic ephemeral volume: a claim made for this pod.
struct EphemeralVolume {
  std::string storage_class_name;
  std::string storage_request;  // a quantity, or ""
};
struct UnknownVolume {
  std::string type;  // "gcePersistentDisk", "image", ...; "" when no source was named
};
using VolumeSource =
    std::variant<UnknownVolume, EmptyDirVolume, ConfigMapVolume, SecretVolume, ProjectedVolume,
                 DownwardApiVolume, HostPathVolume, PersistentVolumeClaimVolume, NfsVolume,
                 CsiVolume, EphemeralVolume>;

struct Volume {
  std::string name;
  VolumeSource source;
};

// The source's key in JSON ("emptyDir"), for messages.
const std::string& VolumeTypeName(const VolumeSource& source);

}  // namespace podferry

#endif  // PODFERRY_CORE_POD_VOLUME_H_
