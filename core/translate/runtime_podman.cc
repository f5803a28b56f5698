#include "core/translate/runtime_podman.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace podferry {
namespace {

// Longest line of a file of variables: the programs read at most 64 KiB.
constexpr size_t kMaxLine = 60000;

// What means something to the loader, to bash, or to Podman, Docker and what these start; whatever
// the case of its letters.
constexpr absl::string_view kTakenNames[] = {"ALL_PROXY",
                                             "DIRSTACK",
                                             "DOCKER_API_VERSION",
                                             "DOCKER_CERT_PATH",
                                             "DOCKER_CONFIG",
                                             "DOCKER_CONTEXT",
                                             "DOCKER_HOST",
                                             "DOCKER_TLS",
                                             "DOCKER_TLS_VERIFY",
                                             "EUID",
                                             "FTP_PROXY",
                                             "FUNCNAME",
                                             "GETCONF_DIR",
                                             "GNUPGHOME",
                                             "GOCOVERDIR",
                                             "GODEBUG",
                                             "GOGC",
                                             "GOMAXPROCS",
                                             "GOMEMLIMIT",
                                             "GORACE",
                                             "GOTRACEBACK",
                                             "GROUPS",
                                             "HOME",
                                             "HOSTALIASES",
                                             "HTTPS_PROXY",
                                             "HTTP_PROXY",
                                             "IFS",
                                             "LANG",
                                             "LANGUAGE",
                                             "LINENO",
                                             "LOCALDOMAIN",
                                             "LOCPATH",
                                             "LOGNAME",
                                             "NLSPATH",
                                             "NO_PROXY",
                                             "OPTARG",
                                             "OPTERR",
                                             "OPTIND",
                                             "PATH",
                                             "PIPESTATUS",
                                             "POSIXLY_CORRECT",
                                             "PPID",
                                             "RANDOM",
                                             "SECONDS",
                                             "SHELL",
                                             "SHELLOPTS",
                                             "SRANDOM",
                                             "SSH_ASKPASS",
                                             "SSH_AUTH_SOCK",
                                             "SSL_CERT_DIR",
                                             "SSL_CERT_FILE",
                                             "TEMP",
                                             "TMP",
                                             "TMPDIR",
                                             "TZ",
                                             "TZDIR",
                                             "UID",
                                             "USER",
                                             "USERNAME"};
constexpr absl::string_view kTakenBeginnings[] = {
    "_",          "BASH",    "BUILDAH", "CNI_",    "COMP_",    "CONTAINER", "CRUN",     "DBUS_",
    "DOCKER_CLI", "EPOCH",   "FUSE_",   "GCONV",   "GLIBC_",   "HIST",      "IPTABLES", "LC_",
    "LD_",        "LIBPOD",  "LISTEN_", "MALLOC_", "NETAVARK", "NOTIFY_",   "OCI_",     "PODFERRY",
    "PODMAN",     "REGISTR", "RES_",    "RUNC",    "STORAGE_", "SYSTEMD_",  "XDG_",     "XTABLES"};

bool IsTaken(absl::string_view name) {
  return std::any_of(
             std::begin(kTakenNames), std::end(kTakenNames),
             [name](absl::string_view taken) { return absl::EqualsIgnoreCase(name, taken); }) ||
         std::any_of(
             std::begin(kTakenBeginnings), std::end(kTakenBeginnings),
             [name](absl::string_view taken) { return absl::StartsWithIgnoreCase(name, taken); });
}

// Where the container stands in the spec.
std::string PathOf(const JobPlan& plan, size_t index) {
  const size_t inits = static_cast<size_t>(std::count_if(
      plan.containers.begin(), plan.containers.end(),
      [](const PlannedContainer& container) { return container.role != Role::kMain; }));
  return index < inits ? absl::StrCat("spec.initContainers[", index, "]")
                       : absl::StrCat("spec.containers[", index - inits, "]");
}

void CheckVariables(const PlannedContainer& container, const std::string& path,
                    FieldReport* report) {
  for (const auto& [name, value] : container.env) {
    if (RouteOf(name, value) != VariableRoute::kNone) continue;
    report->Refuse(absl::StrCat(path, ".env"),
                   absl::StrCat("a value of several lines or more than ", kMaxLine,
                                " bytes cannot be given to Podman under the name ", name,
                                ", nor any value under one that begins with a space"));
  }
}

void CheckMounts(const PlannedContainer& container, const std::string& path, FieldReport* report) {
  for (const PlannedMount& mount : container.mounts) {
    if (!absl::StrContains(mount.path, ':')) continue;
    report->Refuse(absl::StrCat(path, ".volumeMounts"),
                   absl::StrCat("Podman takes no ':' in a mount path: ", mount.path));
  }
}

bool IsNetworkOption(const std::string& argument) {
  return argument == "--network" || argument == "--net" ||
         absl::StartsWith(argument, "--network=") || absl::StartsWith(argument, "--net=");
}

bool IsArchive(absl::string_view image) {
  return absl::StartsWith(image, "docker-archive:") || absl::StartsWith(image, "oci-archive:");
}

// A name as registries know it: with its registry, and a tag or digest.
std::string FullImageName(absl::string_view image) {
  absl::ConsumePrefix(&image, "docker://");
  if (IsArchive(image)) return std::string(image);
  const absl::string_view first = image.substr(0, image.find('/'));
  const bool has_registry =
      first.size() < image.size() &&
      (first.find_first_of(".:") != absl::string_view::npos || first == "localhost");
  std::string name;
  if (!has_registry) name = first.size() < image.size() ? "docker.io/" : "docker.io/library/";
  absl::StrAppend(&name, image);
  const absl::string_view last = image.substr(image.rfind('/') + 1);
  if (last.find_first_of(":@") == absl::string_view::npos) absl::StrAppend(&name, ":latest");
  return name;
}

class Podman : public Runtime {
 public:
  bool HasSiteImages() const override { return true; }

  void CheckContainer(const BuildConfig& /*config*/, const Container& container,
                      const FieldPath& path, FieldReport* report) const override {
    for (const absl::string_view other : {"library://", "oras://", "/"}) {
      if (!absl::StartsWith(container.image, other)) continue;
      const FieldPath at = path / "image";
      report->Refuse(at.ToString(),
                     "Podman takes images of registries, docker-archive:/file and "
                     "oci-archive:/file");
    }
  }

  void Plan(const BuildConfig& config, JobPlan* plan, FieldReport* report) const override {
    PodmanPlan& podman = plan->podman;
    podman.executable = config.podman.executable;
    podman.url = config.podman.url;
    podman.options = config.podman.extra_args;
    podman.shares_memory = plan->containers.size() > 1;
    if (std::none_of(podman.options.begin(), podman.options.end(), IsNetworkOption)) {
      podman.options.insert(podman.options.begin(), {"--network", "host"});
    } else if (podman.shares_memory) {
      report->Warn("spec.containers",
                   "this pool gives each container a network of its own (podman.extra_args), so "
                   "they do not share localhost");
    }
    podman.platform = config.images.platform;
    for (size_t i = 0; i < plan->containers.size(); ++i) {
      podman.images.push_back(FullImageName(plan->containers[i].image_plan.source));
      const std::string path = PathOf(*plan, i);
      CheckVariables(plan->containers[i], path, report);
      CheckMounts(plan->containers[i], path, report);
    }
  }
};

}  // namespace

VariableRoute RouteOf(absl::string_view name, absl::string_view value) {
  const bool is_line = value.find_first_of("\n\r") == absl::string_view::npos &&
                       name.size() + value.size() <= kMaxLine;
  const bool is_plain_name =
      !absl::StartsWith(name, "#") && name.find_first_of(" \t\v\f") == absl::string_view::npos;
  if (is_line && is_plain_name) return VariableRoute::kFile;
  const bool is_trimmed =
      absl::StartsWith(name, " ") || name.find_first_of("\t\v\f") != absl::string_view::npos;
  return is_trimmed || IsTaken(name) ? VariableRoute::kNone : VariableRoute::kEnvironment;
}

const Runtime* PodmanRuntime() {
  static const Podman* const kPodman = new Podman();
  return kPodman;
}

}  // namespace podferry
