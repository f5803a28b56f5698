#include "core/pool/build_config_keys.h"

#include <utility>

namespace podferry {

template <>
absl::Span<const absl::string_view> WordsOf<RuntimeKind>() {
  static constexpr absl::string_view kWords[] = {"apptainer", "podman", "host"};
  return kWords;
}
template <>
absl::Span<const absl::string_view> WordsOf<FuseMode>() {
  static constexpr absl::string_view kWords[] = {"container", "host", "host-privileged"};
  return kWords;
}
template <>
absl::Span<const absl::string_view> WordsOf<TmpDirMode>() {
  static constexpr absl::string_view kWords[] = {"bind", "scratch", "none"};
  return kWords;
}
template <>
absl::Span<const absl::string_view> WordsOf<PullPolicy>() {
  static constexpr absl::string_view kWords[] = {"Pod", "Always", "IfNotPresent", "Never"};
  return kWords;
}

namespace {

ConfigSection RuntimeSection() {
  using O = RuntimeOptions;
  constexpr auto S = &BuildConfig::runtime;
  return {"runtime",
          "How the containers of a pod are run.",
          {
              {"kind", SectionField<S, &O::kind>,
               "apptainer (Singularity, too), podman, or host: the pool's own file "
               "system inside bubblewrap, without images."},
              {"bwrap_executable", SectionField<S, &O::bwrap_executable>,
               "Name or path of bubblewrap, for the host runtime."},
              {"allow_privileged", SectionField<S, &O::allow_privileged>,
               "Take pods with privileged containers instead of refusing them."},
              {"allow_pre_exec", SectionField<S, &O::allow_pre_exec>,
               "Run the annotation slurm-job.vk.io/pre-exec on the host, outside any container."},
              {"allow_tunnel", SectionField<S, &O::allow_tunnel>,
               "Run the annotation interlink.eu/wstunnel-client-commands on the host, outside any "
               "container."},
          }};
}

ConfigSection VolumesSection() {
  using O = VolumeOptions;
  constexpr auto S = &BuildConfig::volumes;
  return {
      "volumes",
      "Folders of the machines that run the jobs.",
      {
          {"scratch_area", SectionField<S, &O::scratch_area>, "For the temporary files of jobs.",
           "SCRATCH_AREA"},
          {"apptainer_cachedir", SectionField<S, &O::apptainer_cachedir>,
           "Where images are cached, and where users' /cache folders lie.", "APPTAINER_CACHEDIR"},
          {"image_dir", SectionField<S, &O::image_dir>,
           "Where images lie ready: below it the image's name, ':' written as '_'. Empty: "
           "nowhere.",
           "IMAGE_DIR"},
          {"cvmfs_unpacked_path", SectionField<S, &O::cvmfs_unpacked_path>,
           "Where CVMFS has unpacked images, by their unchanged names. Empty: nowhere."},
          {"additional_directories_in_path", SectionField<S, &O::additional_directories_in_path>,
           "Folders put before PATH, to find the runtime and mount programs.",
           "ADDITIONAL_DIRECTORIES_IN_PATH"},
          {"fuse_sleep_seconds", SectionField<S, &O::fuse_sleep_seconds>,
           "How long a FUSE mount may take to appear before the job fails.", "FUSE_SLEEP_WAIT"},
      }};
}

ConfigSection ApptainerSection() {
  using O = ApptainerOptions;
  constexpr auto S = &BuildConfig::apptainer;
  return {
      "apptainer",
      "How Apptainer (or Singularity) is called.",
      {
          {"executable", SectionField<S, &O::executable>, "Name or path of the program."},
          {"fakeroot", SectionField<S, &O::fakeroot>, "--fakeroot: seem to be root.",
           "APPTAINER_FAKEROOT"},
          {"userns", SectionField<S, &O::userns>, "--userns: run in a user namespace."},
          {"uts", SectionField<S, &O::uts>, "--uts: a host name of the container's own."},
          {"sharens", SectionField<S, &O::sharens>,
           "--sharens: containers of one parent share namespace and image."},
          {"containall", SectionField<S, &O::containall>,
           "--containall: share nothing with the host."},
          {"fuse_mode", SectionField<S, &O::fuse_mode>,
           "Where fuse.vk.io scripts run: in the container; on the host without privileges; on the "
           "host as a user who may mount.",
           "FUSE_MODE"},
          {"no_init", SectionField<S, &O::no_init>, "--no-init: no init process in the container."},
          {"no_home", SectionField<S, &O::no_home>, "--no-home: do not bind the home folder."},
          {"no_privs", SectionField<S, &O::no_privs>,
           "--no-privs: drop all of root's privileges in the container."},
          {"nvidia_support", SectionField<S, &O::nvidia_support>,
           "--nv also for pods that ask for no GPU. Those that do always get it."},
          {"cleanenv", SectionField<S, &O::cleanenv>,
           "--cleanenv: nothing of the host's environment gets in."},
          {"unsquash", SectionField<S, &O::unsquash>,
           "--unsquash: unpack an image before running it."},
          {"tmp_dir_mode", SectionField<S, &O::tmp_dir_mode>,
           "What /tmp and /var/tmp are: bind the host's; a folder in scratch_area; none: the "
           "image's."},
      }};
}

ConfigSection PodmanSection() {
  using O = PodmanOptions;
  constexpr auto S = &BuildConfig::podman;
  return {"podman",
          "How Podman is called.",
          {
              {"executable", SectionField<S, &O::executable>, "Name or path of the program."},
              {"url", SectionField<S, &O::url>,
               "The socket of a remote Podman. Empty: local. Published: no password may be in it."},
              {"extra_args", SectionField<S, &O::extra_args>, "Further arguments of podman run."},
          }};
}

ConfigSection ShubProxySection() {
  using O = ShubProxyOptions;
  constexpr auto S = &BuildConfig::shub_proxy;
  return {"shub_proxy",
          "A registry proxy that hands out images already built.",
          {
              {"server", SectionField<S, &O::server>,
               "Host and port, without a scheme. Empty: no proxy.", "SHUB_PROXY"},
              {"master_token", SectionField<S, &O::master_token>,
               "Secret from which the plugin gets tokens for jobs. Read for old files and never "
               "published: give it to the plugin (--shub-proxy-token-file).",
               "SHUB_PROXY_MASTER_TOKEN", 0, true},
              {"cache_validity_seconds", SectionField<S, &O::cache_validity_seconds>,
               "Read for old files, and ignored: sums are compared instead."},
          }};
}

ConfigSection ResourcesSection() {
  return {"resources",
          "What the whole pool offers (not one submitter): cpu, memory, pods, gpus (written "
          "nvidia.com/gpu) and any other resource, as Kubernetes quantities. What is not named "
          "comes from the command line, else from the batch system.",
          {},
          [](BuildConfig& config) { return &config.resources; }};
}

ConfigSection NodeSection() {
  using O = NodeOptions;
  constexpr auto S = &BuildConfig::node;
  return {"node",
          "What the pool's ResourceFlavor shows to Kueue.",
          {
              {"labels", SectionField<S, &O::labels>, "Labels, as \"key=value\"."},
              {"taints", SectionField<S, &O::taints>, "Taints, as \"key=value:Effect\"."},
          }};
}

ConfigSection PathsSection() {
  using O = PathOptions;
  constexpr auto S = &BuildConfig::paths;
  return {
      "paths",
      "Where volumes of the cluster lie at the pool. What is not listed is refused. The longest "
      "prefix wins; %(namespace)s, %(name)s and %(user)s are replaced in folders.",
      {
          {"host_paths", SectionField<S, &O::host_paths>,
           "hostPath volumes: a path or its beginning -> a folder at the pool."},
          {"claims", SectionField<S, &O::claims>,
           "PersistentVolumeClaims: \"namespace/claim\", \"namespace/*\" or \"*/*\" -> a "
           "folder."},
          {"nfs", SectionField<S, &O::nfs>, "NFS volumes: \"server:/path\" -> a folder."},
          {"read_only", SectionField<S, &O::read_only>,
           "Folders of these tables that are never mounted writable."},
      }};
}

ConfigSection ImagesSection() {
  using O = ImageOptions;
  constexpr auto S = &BuildConfig::images;
  return {"images",
          "Which images may run, and how they are fetched.",
          {
              {"allow", SectionField<S, &O::allow>,
               "Beginnings of image names that may run. Empty: all."},
              {"deny", SectionField<S, &O::deny>,
               "Beginnings of image names that may not, whatever allow says."},
              {"pull_policy", SectionField<S, &O::pull_policy>,
               "Pod: what the pod says; else this, for every pod."},
              {"pull_timeout_seconds", SectionField<S, &O::pull_timeout_seconds>,
               "How long one attempt may take."},
              {"pull_retries", SectionField<S, &O::pull_retries>,
               "How often a registry is asked again that is busy or failing."},
              {"platform", SectionField<S, &O::platform>,
               "As \"linux/arm64\". Empty: that of the machine."},
          }};
}

std::vector<ConfigSection> AllSections() {
  std::vector<ConfigSection> sections = RuntimeSections();
  for (ConfigSection& section : BackendSections()) sections.push_back(std::move(section));
  return sections;
}

}  // namespace

std::vector<ConfigSection> RuntimeSections() {
  return {RuntimeSection(), VolumesSection(),   ApptainerSection(),
          PodmanSection(),  ShubProxySection(), ImagesSection(),
          PathsSection(),   ResourcesSection(), NodeSection()};
}

const std::vector<ConfigSection>& BuildConfigSections() {
  static const auto* const kSections = new std::vector<ConfigSection>(AllSections());
  return *kSections;
}

}  // namespace podferry
