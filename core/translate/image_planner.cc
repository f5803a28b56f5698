#include "core/translate/image_planner.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"

namespace podferry {
namespace {

constexpr size_t kMaxImageName = 1024;

// A registry's name for an image: repository, then a tag, a digest, or both.
struct Reference {
  absl::string_view repository;
  absl::string_view tag;
  absl::string_view digest;
};

Reference Split(absl::string_view name) {
  Reference reference;
  const size_t at = name.find('@');
  if (at != absl::string_view::npos) {
    reference.digest = name.substr(at + 1);
    name = name.substr(0, at);
  }
  const size_t colon = name.rfind(':');
  const size_t slash = name.rfind('/');
  // The colon of "host:5000/image" is not a tag's.
  if (colon != absl::string_view::npos && (slash == absl::string_view::npos || colon > slash)) {
    reference.tag = name.substr(colon + 1);
    name = name.substr(0, colon);
  }
  reference.repository = name;
  return reference;
}

bool IsPlainName(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           absl::StrContains("-._/:@+", absl::string_view(&c, 1));
  });
}

bool HasDots(absl::string_view path) {
  return absl::StrContains(absl::StrCat("/", path, "/"), "/../") ||
         absl::StrContains(absl::StrCat("/", path, "/"), "/./");
}

bool IsBelow(absl::string_view folder, absl::string_view path) {
  return !folder.empty() && absl::ConsumePrefix(&path, absl::StripSuffix(folder, "/")) &&
         absl::StartsWith(path, "/") && path.size() > 1;
}

bool HasPrefixOf(const std::vector<std::string>& prefixes, absl::string_view name) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [name](const std::string& prefix) { return absl::StartsWith(name, prefix); });
}

PullPolicy PolicyOf(const BuildConfig& config, const Container& container,
                    const Reference& reference) {
  if (config.images.pull_policy != PullPolicy::kPod) return config.images.pull_policy;
  if (container.image_pull_policy == "Always") return PullPolicy::kAlways;
  if (container.image_pull_policy == "Never") return PullPolicy::kNever;
  if (container.image_pull_policy == "IfNotPresent") return PullPolicy::kIfNotPresent;
  const bool may_move = reference.tag.empty() || reference.tag == "latest";
  return may_move && reference.digest.empty() ? PullPolicy::kAlways : PullPolicy::kIfNotPresent;
}

class Planner {
 public:
  Planner(const BuildConfig& config, const Container& container, const FieldPath& path,
          FieldReport* report)
      : config_(config), container_(container), path_(path / "image"), report_(report) {}

  PlannedImage Plan() {
    absl::string_view name = container_.image;
    absl::ConsumePrefix(&name, "docker://");
    image_.name = std::string(name);
    image_.site_file = absl::StrReplaceAll(name, {{":", "_"}});
    if (!MayRun()) return image_;
    if (absl::StartsWith(image_.name, "/")) {
      PlanLocal(image_.name);
      image_.place = image_.name;
    } else if (absl::ConsumePrefix(&name, "oci-archive:") ||
               absl::ConsumePrefix(&name, "docker-archive:")) {
      PlanLocal(name);
      image_.source = image_.name;
      image_.file = absl::StrCat("archives", absl::StrReplaceAll(name, {{":", "_"}}));
      image_.policy = PullPolicy::kIfNotPresent;
    } else {
      PlanRemote();
    }
    return std::move(image_);
  }

 private:
  void Refuse(absl::string_view words) { report_->Refuse(path_.ToString(), words); }

  bool MayRun() {
    const ImageOptions& images = config_.images;
    if (image_.name.empty()) {
      Refuse("missing: this pool runs containers from images");
    } else if (image_.name.size() > kMaxImageName) {
      Refuse("is too long for the name of an image");
    } else if (HasPrefixOf(images.deny, image_.name) ||
               (!images.allow.empty() && !HasPrefixOf(images.allow, image_.name))) {
      Refuse(absl::StrCat("the pool's images.allow and images.deny keep out ", image_.name));
    } else {
      return true;
    }
    return false;
  }

  // What the submitter's user can read, a pod's author must not be able to run as an image.
  void PlanLocal(absl::string_view file) {
    const VolumeOptions& volumes = config_.volumes;
    if (!absl::StartsWith(file, "/") || HasDots(file) || !IsPlainName(file)) {
      Refuse("want an absolute path of letters, digits and -._/+@");
    } else if (!IsBelow(volumes.image_dir, file) && !IsBelow(volumes.cvmfs_unpacked_path, file) &&
               config_.images.allow.empty()) {
      Refuse(
          "a file of the pool is taken as an image only below its volumes.image_dir or "
          "volumes.cvmfs_unpacked_path, or where images.allow names it");
    }
  }

  void PlanRemote() {
    absl::string_view name = image_.name;
    absl::string_view scheme = "docker://";
    for (const absl::string_view other : {"oras://", "library://"}) {
      if (absl::ConsumePrefix(&name, other)) scheme = other;
    }
    const Reference reference = Split(name);
    if (!IsPlainName(name) || HasDots(name) || absl::StartsWith(name, "/") ||
        absl::StrContains(name, "//") || reference.repository.empty() ||
        absl::StartsWith(name, "-") || absl::StrContains(reference.digest, '@') ||
        absl::StrContains(reference.digest, '/')) {
      Refuse(
          "want [registry/]name[:tag][@sha256:...], docker://, oras://, library://, "
          "oci-archive:/file, docker-archive:/file, or the path of a .sif or an unpacked folder");
      return;
    }
    const absl::string_view tag = reference.tag.empty() ? "latest" : reference.tag;
    image_.digest = std::string(reference.digest);
    image_.policy = PolicyOf(config_, container_, reference);
    const std::string version =
        reference.digest.empty() ? absl::StrCat(":", tag) : absl::StrCat("@", reference.digest);
    image_.source = absl::StrCat(scheme, reference.repository, version);
    image_.file = absl::StrReplaceAll(absl::StrCat(reference.repository, version), {{":", "_"}});
  }

  const BuildConfig& config_;
  const Container& container_;
  const FieldPath path_;
  FieldReport* report_;
  PlannedImage image_;
};

}  // namespace

PlannedImage PlanImage(const BuildConfig& config, const Container& container, const FieldPath& path,
                       FieldReport* report) {
  return Planner(config, container, path, report).Plan();
}

ImagePlaces PlanImagePlaces(const BuildConfig& config, const std::string& proxy_token) {
  absl::string_view platform = config.images.platform;
  const size_t slash = platform.find('/');
  if (slash != absl::string_view::npos) platform.remove_prefix(slash + 1);
  return {
      .image_dir = config.volumes.image_dir,
      .cvmfs_unpacked_path = config.volumes.cvmfs_unpacked_path,
      .cache = absl::StrCat(config.volumes.apptainer_cachedir, "/.images"),
      .proxy = proxy_token.empty() ? "" : config.shub_proxy.server,
      .proxy_token = config.shub_proxy.server.empty() ? "" : proxy_token,
      .scratch_area = config.volumes.scratch_area,
      .architecture = std::string(platform),
      .pull_timeout_seconds = config.images.pull_timeout_seconds,
      .pull_retries = config.images.pull_retries,
  };
}

}  // namespace podferry
