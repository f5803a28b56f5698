// The batch systems' sections of BuildConfig: how each is called and what it may be asked for.
// Absent strings are ""; the TOML keys are the members' names. Values, no owner, no thread.

#ifndef PODFERRY_CORE_POOL_BACKEND_OPTIONS_H_
#define PODFERRY_CORE_POOL_BACKEND_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/pod/container.h"

namespace podferry {

// What happens to a pod that fits no [[slurm.flavors]].
enum class NoFlavor { kPlain, kRefuse };

// What a Kubernetes pool creates in its cluster: the pod itself, or a pilot pod with our script.
enum class KubernetesMode { kNative, kPilot };

struct SlurmFlavor {
  std::string account;
  std::string partition;
  std::string qos;
  std::vector<std::string> generic_resources;
  std::optional<int64_t> max_time_seconds;
  StringMap max_resources;  // resource name -> quantity; not named: no limit, but no GPU either
  std::string memory;       // a floor under the pod's request, like cpu
  std::optional<int64_t> cpu;
  std::optional<int64_t> ntasks;
  std::string reservation;
  std::string nodelist;

  bool operator==(const SlurmFlavor&) const = default;
};

struct SlurmOptions {
  std::string sbatch_executable = "sbatch";
  std::string squeue_executable = "squeue";
  std::string sacct_executable = "sacct";
  std::string scancel_executable = "scancel";
  std::string scontrol_executable = "scontrol";
  std::string sinfo_executable = "sinfo";
  std::string bash_executable = "/bin/bash";
  std::string partition;
  std::string qos;
  std::string account;
  std::optional<int64_t> time;              // hours
  std::optional<int64_t> max_time_seconds;  // the smallest of both and the pod's deadline wins
  int64_t nodes = 1;
  int64_t ntasks = 1;
  int64_t cpu = 1;            // a floor under the pod's request
  std::string memory = "4G";  // a floor under the pod's request
  std::string mem_per_cpu;
  std::optional<int64_t> cpus_per_task;
  std::vector<std::string> generic_resources;
  std::string reservation;
  std::string nodelist;
  std::string mail_user;
  std::string mail_type;
  std::string job_name;  // a prefix of the key that names the job
  std::string sandbox = "/tmp";
  std::string output = "%(sandbox)s/stdout.log";
  std::string error = "%(sandbox)s/stderr.log";
  std::vector<std::string> flags;  // as for sbatch
  std::string header;              // bash lines before the job; see SANDBOX
  std::string footer;
  bool allow_pod_flags = false;  // annotation slurm-job.vk.io/flags
  NoFlavor no_flavor = NoFlavor::kPlain;
  std::vector<SlurmFlavor> flavors;  // the first whose limits the pod fits

  bool operator==(const SlurmOptions&) const = default;
};

struct HtcondorOptions {
  std::string submit_executable = "condor_submit";
  std::string q_executable = "condor_q";
  std::string history_executable = "condor_history";
  std::string rm_executable = "condor_rm";
  std::string transfer_data_executable = "condor_transfer_data";
  std::string tail_executable = "condor_tail";
  std::string status_executable = "condor_status";
  std::string pool;            // -pool
  std::string scheduler_name;  // -name
  bool spool = true;           // no shared file system
  bool computing_element = false;
  std::string requirements;
  std::string accounting_group;
  StringMap attributes;  // further lines of the submit description
  std::string token_file;
  std::string token_command;  // renews token_file

  bool operator==(const HtcondorOptions&) const = default;
};

struct KubernetesOptions {
  KubernetesMode mode = KubernetesMode::kNative;
  std::string kubeconfig;  // "" is the ServiceAccount's
  std::string context;
  std::string namespace_name = "default";
  StringMap annotations;
  StringMap labels;
  std::vector<std::string> tolerations;  // "key=value:Effect", "key:Effect"
  StringMap node_selector;
  std::string local_queue;  // kueue.x-k8s.io/queue-name of the remote cluster
  bool start_suspended = false;
  bool privileged = false;
  std::string pilot_image;

  bool operator==(const KubernetesOptions&) const = default;
};

struct FluxOptions {
  std::string executable = "flux";
  std::string queue;
  std::string bank;
  int64_t nodes = 1;
  std::vector<std::string> flags;

  bool operator==(const FluxOptions&) const = default;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_POOL_BACKEND_OPTIONS_H_
