// What a pool will do for one pod, as plain data: the step between the pod (planner.h) and bash
// (script_renderer.h). All decisions are made here, in terms of folders, files and processes, and
// nothing knows bash. Values, no owner, no thread.

#ifndef PODFERRY_CORE_TRANSLATE_JOB_PLAN_H_
#define PODFERRY_CORE_TRANSLATE_JOB_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "core/job/job_request.h"
#include "core/pool/build_config.h"
#include "core/translate/apptainer_plan.h"
#include "core/translate/host_plan.h"
#include "core/translate/image_plan.h"
#include "core/translate/outside_plan.h"
#include "core/translate/podman_plan.h"
#include "core/translate/pool_folder.h"
#include "core/translate/probe_plan.h"
#include "core/translate/security_plan.h"

namespace podferry {

// A file of a volume: its path below the volume's folder, and its bytes.
struct PlannedFile {
  std::string path;
  int32_t mode = 0644;
  std::string content;
};

enum class Medium {
  kFiles,    // what the plan lists, never changed by a container
  kScratch,  // an empty folder that all may write
  kMemory,   // the same, in memory
  kPool,     // a folder or file of the pool
  kFuse,     // mounted at the pool by a script of the pod's
};

struct PlannedVolume {
  std::string name;  // a DNS label, as in the pod
  Medium medium = Medium::kFiles;
  std::vector<std::string> folders;  // below it, parents first
  std::vector<PlannedFile> files;    // in the order of their paths
  std::string size_limit;            // as written; "" is none
  int64_t size_bytes = 0;            // the same; 0 is none
  PoolFolder pool;                   // of kPool
  FuseMount fuse;                    // of kFuse
};

struct PlannedMount {
  std::string path;  // absolute, clean
  int volume = 0;    // index into JobPlan::volumes
  std::string sub_path;
  bool read_only = false;
};

enum class Role { kInit, kSidecar, kMain };

struct PlannedContainer {
  std::string name;
  std::string image;
  PlannedImage image_plan;  // for runtimes with images
  Role role = Role::kMain;
  std::vector<std::string> command;  // takes the place of the image's entrypoint; empty: that runs
  std::vector<std::string> args;     // after the command, or in the place of the image's own
  std::vector<std::pair<std::string, std::string>> env;  // each name once
  std::string working_dir;                               // "": the image's own
  std::vector<PlannedMount> mounts;                      // what contains another comes before it
  bool stdin_open = false;
  bool tty = false;
  bool read_only_root = false;
  PlannedSecurity security;
  int64_t memory_limit = 0;  // bytes; 0 is none
  int64_t cpu_limit = 0;     // thousandths of a processor; 0 is none
  PlannedCare care;
  PlannedMessage message;
  bool nvidia_gpu = false;  // asked for
  bool amd_gpu = false;
};

enum class RestartPolicy { kNever, kOnFailure, kAlways };

// The pause before a restart: none before the first, then `first`, doubling up to `limit`.
struct BackOff {
  absl::Duration first = absl::Seconds(10);
  absl::Duration limit = absl::Seconds(300);
};

struct JobPlan {
  JobDescription job;  // with grace and deadline
  RuntimeKind runtime = RuntimeKind::kHost;
  ImagePlaces image_places;               // for runtimes with images
  ApptainerPlan apptainer;                // of a plan for that runtime
  HostPlan host;                          // of a plan for that runtime
  PodmanPlan podman;                      // the same
  std::vector<std::string> path_folders;  // before the pool's own PATH
  std::string hostname;
  std::vector<std::string> host_lines;  // for the containers' /etc/hosts
  std::optional<int64_t> fs_group;      // the volumes' group
  RestartPolicy restart_policy = RestartPolicy::kNever;
  BackOff back_off;
  OutsidePlan outside;
  std::vector<PlannedVolume> volumes;
  std::vector<PlannedContainer> containers;  // init containers first, in the order of the spec
  std::string job_script;  // runs in place of the containers, of which it has names and roles only
};

// The plan in lines for a reviewer. File contents and values show as they are: for tests only.
std::string Describe(const JobPlan& plan);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_JOB_PLAN_H_
