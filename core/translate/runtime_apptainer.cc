#include "core/translate/runtime_apptainer.h"

#include "absl/strings/match.h"

namespace podferry {
namespace {

// Always: a process namespace, so that one kill ends all of a container; no shell evaluates words
// of the pod; the umask is a container's, not the submitter's.
std::vector<std::string> Options(const ApptainerOptions& options, const std::string& hostname) {
  std::vector<std::string> words = {"--pid", "--no-eval", "--no-umask"};
  const struct {
    bool is_set;
    const char* word;
  } flags[] = {
      {options.fakeroot, "--fakeroot"}, {options.userns, "--userns"},
      {options.sharens, "--sharens"},   {options.containall, "--containall"},
      {options.no_init, "--no-init"},   {options.no_home, "--no-home"},
      {options.no_privs, "--no-privs"}, {options.nvidia_support, "--nv"},
      {options.unsquash, "--unsquash"},
  };
  for (const auto& flag : flags) {
    if (flag.is_set) words.push_back(flag.word);
  }
  if (options.uts) words.insert(words.end(), {"--uts", "--hostname", hostname});
  // A folder of ours takes its place, or nothing does.
  if (options.tmp_dir_mode != TmpDirMode::kBind) words.insert(words.end(), {"--no-mount", "tmp"});
  return words;
}

bool IsApptainersOwn(absl::string_view variable) {
  return variable == "APPTAINER_NAME" || variable == "APPTAINER_CONTAINER" ||
         variable == "APPTAINER_INSTANCE";
}

class Apptainer : public Runtime {
 public:
  bool HasSiteImages() const override { return true; }

  void CheckContainer(const BuildConfig& /*config*/, const Container& container,
                      const FieldPath& path, FieldReport* report) const override {
    const FieldPath env = path / "env";
    for (size_t i = 0; i < container.env.size(); ++i) {
      if (!IsApptainersOwn(container.env[i].name)) continue;
      report->Warn(env[i].ToString(), "Apptainer sets this variable itself");
    }
    const FieldPath mounts = path / "volumeMounts";
    for (size_t i = 0; i < container.volume_mounts.size(); ++i) {
      const VolumeMount& mount = container.volume_mounts[i];
      if (absl::StrContains(mount.mount_path + mount.sub_path, "\r\n")) {
        report->Refuse(mounts[i].ToString(),
                       "Apptainer drops a carriage return that stands before a newline in a path");
      }
    }
  }

  void Plan(const BuildConfig& config, JobPlan* plan, FieldReport* /*report*/) const override {
    for (PlannedContainer& container : plan->containers) {
      // /dev is the machine's, in which nothing can be mounted that is not there.
      if (absl::StartsWith(container.message.path, "/dev/")) container.message.path.clear();
    }
    const ApptainerOptions& options = config.apptainer;
    plan->apptainer = {.executable = options.executable,
                       .options = Options(options, plan->hostname),
                       .clean_environment = options.cleanenv,
                       .no_privs = options.no_privs,
                       .no_init = options.no_init,
                       .tmp_dir_mode = options.tmp_dir_mode};
  }
};

}  // namespace

const Runtime* ApptainerRuntime() {
  static const Apptainer* const kApptainer = new Apptainer();
  return kApptainer;
}

}  // namespace podferry
