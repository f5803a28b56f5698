// BuildConfig: how one pool wants its scripts, what it offers, and how its batch system is called.
// The operator writes it as TOML (build_config_toml.h has the keys and their meaning); submitters
// publish it without its secrets; the plugin keeps the last one of each pool and plans with it.
// Values with Python-original defaults; anyone may copy them, no thread owns them.

#ifndef PODFERRY_CORE_POOL_BUILD_CONFIG_H_
#define PODFERRY_CORE_POOL_BUILD_CONFIG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/pod/retrieved_pod.h"
#include "core/pool/backend_options.h"

namespace podferry {

// How containers are run. kHost: on the pool's own file system, inside bubblewrap.
enum class RuntimeKind { kApptainer, kPodman, kHost };
enum class FuseMode { kContainer, kHost, kHostPrivileged };
enum class TmpDirMode { kBind, kScratch, kNone };
enum class PullPolicy { kPod, kAlways, kIfNotPresent, kNever };

struct RuntimeOptions {
  RuntimeKind kind = RuntimeKind::kApptainer;
  std::string bwrap_executable = "bwrap";
  // These let a pod's author run things on the pool's host, outside any container.
  bool allow_privileged = false;
  bool allow_pre_exec = false;  // annotation slurm-job.vk.io/pre-exec
  bool allow_tunnel = false;    // annotation interlink.eu/wstunnel-client-commands

  bool operator==(const RuntimeOptions&) const = default;
};

struct VolumeOptions {
  std::string scratch_area = "/tmp";
  std::string apptainer_cachedir = "/tmp/cache/apptainer";
  std::string image_dir;            // "<image with : as _>" below it; "" is none
  std::string cvmfs_unpacked_path;  // "" is none
  std::vector<std::string> additional_directories_in_path;
  int64_t fuse_sleep_seconds = 5;

  bool operator==(const VolumeOptions&) const = default;
};

struct ApptainerOptions {
  std::string executable = "/usr/bin/apptainer";
  bool fakeroot = false;
  bool userns = false;
  bool uts = false;
  bool sharens = false;
  bool containall = false;
  FuseMode fuse_mode = FuseMode::kContainer;
  bool no_init = false;
  bool no_home = true;
  bool no_privs = true;
  bool nvidia_support = false;
  bool cleanenv = true;
  bool unsquash = false;
  TmpDirMode tmp_dir_mode = TmpDirMode::kScratch;

  bool operator==(const ApptainerOptions&) const = default;
};

struct PodmanOptions {
  std::string executable = "podman";
  std::string url;  // of a remote socket; "" is local
  std::vector<std::string> extra_args;

  bool operator==(const PodmanOptions&) const = default;
};

struct ShubProxyOptions {
  std::string server;                    // host[:port], without a scheme; "" is none
  std::string master_token;              // secret: see WithoutSecrets
  int64_t cache_validity_seconds = 600;  // read, and ignored

  bool operator==(const ShubProxyOptions&) const = default;
};

struct NodeOptions {
  std::vector<std::string> labels;  // "key=value"
  std::vector<std::string> taints;  // "key=value:Effect"

  bool operator==(const NodeOptions&) const = default;
};

// Where volumes of the cluster lie at the pool. Nothing is allowed that is not listed. Longer
// prefixes win; the value may hold %(namespace)s, %(name)s (the claim's) and %(user)s.
struct PathOptions {
  StringMap host_paths;  // path prefix in the pod -> folder at the pool
  StringMap claims;      // "namespace/claim", "namespace/*" or "*/*" -> folder
  StringMap nfs;         // "server:/path" prefix -> folder
  std::vector<std::string>
      read_only;  // of the folders above: mounted readOnly whatever the pod says

  bool operator==(const PathOptions&) const = default;
};

struct ImageOptions {
  std::vector<std::string> allow;  // prefixes of image names; empty: all
  std::vector<std::string> deny;   // prefixes; wins over allow
  PullPolicy pull_policy = PullPolicy::kPod;
  int64_t pull_timeout_seconds = 3600;
  int64_t pull_retries = 5;
  std::string platform;  // "linux/arm64"; "" is the pool's own

  bool operator==(const ImageOptions&) const = default;
};

struct BuildConfig {
  RuntimeOptions runtime;
  VolumeOptions volumes;
  ApptainerOptions apptainer;
  PodmanOptions podman;
  ShubProxyOptions shub_proxy;
  StringMap resources;  // the pool's total: resource name -> quantity; "gpus" is nvidia.com/gpu
  NodeOptions node;
  SlurmOptions slurm;
  HtcondorOptions htcondor;
  KubernetesOptions kubernetes;
  FluxOptions flux;
  PathOptions paths;
  ImageOptions images;

  bool operator==(const BuildConfig&) const = default;
};

// The file read when none is named.
inline constexpr char kDefaultBuildConfigPath[] = "/etc/interlink/build.conf";

// What may leave the submitter: without master_token.
BuildConfig WithoutSecrets(BuildConfig config);

// interLink's jobConfig on top of `base`: its values replace those of apptainer, volumes and
// shub_proxy. Empty strings and lists and a zero wait are "not said"; flags are taken as sent.
BuildConfig WithJobConfig(BuildConfig base, const JobConfig& job_config);

}  // namespace podferry

#endif  // PODFERRY_CORE_POOL_BUILD_CONFIG_H_
