#include "core/pool/build_config.h"

#include <string>

namespace podferry {
namespace {

FuseMode FuseModeOf(const std::string& text, FuseMode otherwise) {
  if (text == "container") return FuseMode::kContainer;
  if (text == "host") return FuseMode::kHost;
  if (text == "host-privileged") return FuseMode::kHostPrivileged;
  return otherwise;
}

void TakeIfSaid(const std::string& value, std::string& target) {
  if (!value.empty()) target = value;
}

// interLink leaves no key out: a site that configures nothing of this sends zeroes.
bool SaysAnything(const JobConfig::Apptainer& from) {
  return !from.executable.empty() || !from.fuse_mode.empty() || from.fakeroot || from.containall ||
         from.no_init || from.no_home || from.no_privs || from.nvidia_support || from.cleanenv ||
         from.unsquash;
}

}  // namespace

BuildConfig WithoutSecrets(BuildConfig config) {
  config.shub_proxy.master_token.clear();
  return config;
}

BuildConfig WithJobConfig(BuildConfig base, const JobConfig& job_config) {
  const JobConfig::Apptainer& from = job_config.apptainer;
  ApptainerOptions& to = base.apptainer;
  TakeIfSaid(from.executable, to.executable);
  to.fuse_mode = FuseModeOf(from.fuse_mode, to.fuse_mode);
  if (SaysAnything(from)) {
    to.fakeroot = from.fakeroot;
    to.containall = from.containall;
    to.no_init = from.no_init;
    to.no_home = from.no_home;
    to.no_privs = from.no_privs;
    to.nvidia_support = from.nvidia_support;
    to.cleanenv = from.cleanenv;
    to.unsquash = from.unsquash;
  }

  const JobConfig::Volumes& volumes = job_config.volumes;
  TakeIfSaid(volumes.scratch_area, base.volumes.scratch_area);
  TakeIfSaid(volumes.apptainer_cachedir, base.volumes.apptainer_cachedir);
  TakeIfSaid(volumes.image_dir, base.volumes.image_dir);
  if (!volumes.additional_directories_in_path.empty()) {
    base.volumes.additional_directories_in_path = volumes.additional_directories_in_path;
  }
  if (volumes.fuse_sleep_seconds > 0) base.volumes.fuse_sleep_seconds = volumes.fuse_sleep_seconds;

  TakeIfSaid(job_config.hub_proxy.server, base.shub_proxy.server);
  TakeIfSaid(job_config.hub_proxy.master_token, base.shub_proxy.master_token);
  return base;
}

}  // namespace podferry
