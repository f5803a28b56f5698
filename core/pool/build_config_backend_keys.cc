// The keys of the batch systems' sections; see build_config_keys.h.

#include <utility>

#include "core/pool/build_config_keys.h"

namespace podferry {

template <>
absl::Span<const absl::string_view> WordsOf<NoFlavor>() {
  static constexpr absl::string_view kWords[] = {"plain", "refuse"};
  return kWords;
}
template <>
absl::Span<const absl::string_view> WordsOf<KubernetesMode>() {
  static constexpr absl::string_view kWords[] = {"native", "pilot"};
  return kWords;
}

namespace {

std::vector<ConfigKey<BuildConfig>> SlurmCommands() {
  using O = SlurmOptions;
  constexpr auto S = &BuildConfig::slurm;
  return {
      {"sbatch_executable", SectionField<S, &O::sbatch_executable>, "Name or path of sbatch."},
      {"squeue_executable", SectionField<S, &O::squeue_executable>, "Name or path of squeue."},
      {"sacct_executable", SectionField<S, &O::sacct_executable>,
       "Name or path of sacct. Empty: there is no accounting."},
      {"scancel_executable", SectionField<S, &O::scancel_executable>, "Name or path of scancel."},
      {"scontrol_executable", SectionField<S, &O::scontrol_executable>,
       "Name or path of scontrol."},
      {"sinfo_executable", SectionField<S, &O::sinfo_executable>, "Name or path of sinfo."},
      {"bash_executable", SectionField<S, &O::bash_executable>, "The script's interpreter."},
  };
}

std::vector<ConfigKey<BuildConfig>> SlurmRequests() {
  using O = SlurmOptions;
  constexpr auto S = &BuildConfig::slurm;
  return {
      {"partition", SectionField<S, &O::partition>, "--partition"},
      {"qos", SectionField<S, &O::qos>, "--qos"},
      {"account", SectionField<S, &O::account>, "--account"},
      {"time", SectionField<S, &O::time>, "The longest a job may run, in hours.", "", 1},
      {"max_time_seconds", SectionField<S, &O::max_time_seconds>,
       "The same in seconds. The smallest of these and the pod's activeDeadlineSeconds is "
       "--time.",
       "", 1},
      {"nodes", SectionField<S, &O::nodes>, "--nodes", "", 1},
      {"ntasks", SectionField<S, &O::ntasks>, "--ntasks", "", 1},
      {"cpu", SectionField<S, &O::cpu>,
       "The least --cpus-per-task; a pod that asks for more gets it.", "", 1},
      {"memory", SectionField<S, &O::memory>, "The least --mem; a pod that asks for more gets it."},
      {"mem_per_cpu", SectionField<S, &O::mem_per_cpu>, "--mem-per-cpu, instead of --mem."},
      {"cpus_per_task", SectionField<S, &O::cpus_per_task>,
       "--cpus-per-task whatever the pod asks for.", "", 1},
      {"generic_resources", SectionField<S, &O::generic_resources>,
       "--gres, joined by commas; a pod's GPUs are added."},
      {"reservation", SectionField<S, &O::reservation>, "--reservation"},
      {"nodelist", SectionField<S, &O::nodelist>, "--nodelist"},
      {"mail_user", SectionField<S, &O::mail_user>, "--mail-user"},
      {"mail_type", SectionField<S, &O::mail_type>, "--mail-type"},
      {"job_name", SectionField<S, &O::job_name>, "What the job's name begins with."},
      {"sandbox", SectionField<S, &O::sandbox>,
       "A folder that login and compute nodes share; each job gets one below it.", "LOCAL_SANDBOX"},
      {"output", SectionField<S, &O::output>,
       "--output; %(sandbox)s and %(job_name)s are replaced."},
      {"error", SectionField<S, &O::error>, "--error; likewise."},
      {"flags", SectionField<S, &O::flags>, "Further arguments of sbatch.", "SLURM_FLAGS"},
      {"header", SectionField<S, &O::header>, "Bash lines before the job; SANDBOX is set."},
      {"footer", SectionField<S, &O::footer>, "Bash lines after the job; SANDBOX is set."},
      {"allow_pod_flags", SectionField<S, &O::allow_pod_flags>,
       "Pass the annotation slurm-job.vk.io/flags to sbatch."},
      {"no_flavor", SectionField<S, &O::no_flavor>,
       "A pod that fits no flavor: plain: use this section alone; refuse."},
  };
}

ConfigSection SlurmSection() {
  std::vector<ConfigKey<BuildConfig>> keys = SlurmCommands();
  for (const ConfigKey<BuildConfig>& key : SlurmRequests()) keys.push_back(key);
  return {"slurm", "How jobs are submitted to Slurm.", std::move(keys), nullptr,
          [](BuildConfig& config) { return &config.slurm.flavors; }};
}

ConfigSection HtcondorSection() {
  using O = HtcondorOptions;
  constexpr auto S = &BuildConfig::htcondor;
  return {
      "htcondor",
      "How jobs are submitted to HTCondor.",
      {
          {"submit_executable", SectionField<S, &O::submit_executable>,
           "Name or path of condor_submit."},
          {"q_executable", SectionField<S, &O::q_executable>, "Name or path of condor_q."},
          {"history_executable", SectionField<S, &O::history_executable>,
           "Name or path of condor_history."},
          {"rm_executable", SectionField<S, &O::rm_executable>, "Name or path of condor_rm."},
          {"transfer_data_executable", SectionField<S, &O::transfer_data_executable>,
           "Name or path of condor_transfer_data."},
          {"tail_executable", SectionField<S, &O::tail_executable>, "Name or path of condor_tail."},
          {"status_executable", SectionField<S, &O::status_executable>,
           "Name or path of condor_status."},
          {"pool", SectionField<S, &O::pool>, "-pool: the collector of a remote pool."},
          {"scheduler_name", SectionField<S, &O::scheduler_name>, "-name: a remote scheduler."},
          {"spool", SectionField<S, &O::spool>,
           "Send the bundle along, as there is no shared file system."},
          {"computing_element", SectionField<S, &O::computing_element>,
           "The scheduler is an HTCondor-CE (+Owner = undefined)."},
          {"requirements", SectionField<S, &O::requirements>, "The job's requirements."},
          {"accounting_group", SectionField<S, &O::accounting_group>,
           "The job's accounting_group."},
          {"attributes", SectionField<S, &O::attributes>,
           "Further lines of the submit description."},
          {"token_file", SectionField<S, &O::token_file>, "A bearer token's file."},
          {"token_command", SectionField<S, &O::token_command>, "A command that renews it."},
      }};
}

ConfigSection KubernetesSection() {
  using O = KubernetesOptions;
  constexpr auto S = &BuildConfig::kubernetes;
  return {
      "kubernetes",
      "How pods are created in another cluster.",
      {
          {"mode", SectionField<S, &O::mode>,
           "native: the pod itself is created; pilot: a pod that runs our script."},
          {"kubeconfig", SectionField<S, &O::kubeconfig>,
           "A kubeconfig file. Empty: the submitter's ServiceAccount."},
          {"context", SectionField<S, &O::context>, "A context of it. Empty: the current one."},
          {"namespace", SectionField<S, &O::namespace_name>, "Where the pods are created."},
          {"annotations", SectionField<S, &O::annotations>, "Added to every pod."},
          {"labels", SectionField<S, &O::labels>, "Added to every pod."},
          {"tolerations", SectionField<S, &O::tolerations>,
           "Added to every pod, as \"key=value:Effect\" or \"key:Effect\"."},
          {"node_selector", SectionField<S, &O::node_selector>, "Added to every pod."},
          {"local_queue", SectionField<S, &O::local_queue>, "A Kueue LocalQueue of that cluster."},
          {"start_suspended", SectionField<S, &O::start_suspended>,
           "Create jobs suspended, for that cluster's Kueue to start."},
          {"privileged", SectionField<S, &O::privileged>, "Run pilot pods privileged."},
          {"pilot_image", SectionField<S, &O::pilot_image>, "The image of pilot pods."},
      }};
}

ConfigSection FluxSection() {
  using O = FluxOptions;
  constexpr auto S = &BuildConfig::flux;
  return {"flux",
          "How jobs are submitted to Flux.",
          {
              {"executable", SectionField<S, &O::executable>, "Name or path of the program."},
              {"queue", SectionField<S, &O::queue>, "--queue"},
              {"bank", SectionField<S, &O::bank>, "--bank"},
              {"nodes", SectionField<S, &O::nodes>, "--nodes", "", 1},
              {"flags", SectionField<S, &O::flags>, "Further arguments of flux submit."},
          }};
}

template <auto member>
ConfigField FlavorField(SlurmFlavor& flavor) {
  return FieldOf(flavor.*member);
}

ConfigField MaxResources(SlurmFlavor& flavor) { return QuantityMap{&flavor.max_resources}; }

}  // namespace

std::vector<ConfigSection> BackendSections() {
  return {SlurmSection(), HtcondorSection(), KubernetesSection(), FluxSection()};
}

const std::vector<ConfigKey<SlurmFlavor>>& SlurmFlavorKeys() {
  using F = SlurmFlavor;
  static const auto* const kKeys = new std::vector<ConfigKey<SlurmFlavor>>{
      {"max_resources", MaxResources,
       "Limits of the pods it takes, as Kubernetes quantities: cpu, memory, nvidia.com/gpu. What "
       "is "
       "not named has no limit, but a GPU that is not named is none."},
      {"max_time_seconds", FlavorField<&F::max_time_seconds>,
       "The longest activeDeadlineSeconds of the pods it takes, and their --time.", "", 1},
      {"account", FlavorField<&F::account>, "Instead of the section's, like all below."},
      {"partition", FlavorField<&F::partition>, "--partition"},
      {"qos", FlavorField<&F::qos>, "--qos"},
      {"generic_resources", FlavorField<&F::generic_resources>, "--gres"},
      {"memory", FlavorField<&F::memory>, "The least --mem."},
      {"cpu", FlavorField<&F::cpu>, "The least --cpus-per-task.", "", 1},
      {"ntasks", FlavorField<&F::ntasks>, "--ntasks", "", 1},
      {"reservation", FlavorField<&F::reservation>, "--reservation"},
      {"nodelist", FlavorField<&F::nodelist>, "--nodelist"},
  };
  return *kKeys;
}

}  // namespace podferry
