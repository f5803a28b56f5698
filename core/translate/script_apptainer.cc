#include "core/translate/script_apptainer.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "core/translate/shell_quote.h"

namespace podferry {
namespace {

std::string Array(absl::string_view name, const std::vector<std::string>& words) {
  std::string line = absl::StrCat(name, "=(");
  for (const std::string& word : words) {
    line.push_back(' ');
    AppendShellQuoted(word, &line);
  }
  return absl::StrCat(line, ")\n");
}

std::string ImageArray(const JobPlan& plan, absl::string_view name,
                       std::string PlannedImage::*member) {
  std::vector<std::string> words;
  for (const PlannedContainer& container : plan.containers) {
    words.push_back(container.image_plan.*member);
  }
  return Array(name, words);
}

std::string Variable(absl::string_view name, absl::string_view value) {
  return absl::StrCat(name, "=", ShellQuote(value), "\n");
}

const char* Name(PullPolicy policy) {
  switch (policy) {
    case PullPolicy::kAlways:
      return "Always";
    case PullPolicy::kNever:
      return "Never";
    case PullPolicy::kIfNotPresent:
    case PullPolicy::kPod:
      break;
  }
  return "IfNotPresent";
}

const char* Name(TmpDirMode mode) {
  switch (mode) {
    case TmpDirMode::kBind:
      return "bind";
    case TmpDirMode::kScratch:
      return "scratch";
    case TmpDirMode::kNone:
      break;
  }
  return "none";
}

int64_t Hundredths(absl::Duration duration) { return absl::ToInt64Milliseconds(duration) / 10; }

}  // namespace

std::string ApptainerVariables(const JobPlan& plan) {
  const ApptainerPlan& apptainer = plan.apptainer;
  return absl::StrCat(
      Variable("apptainer", apptainer.executable), Array("apptainer_options", apptainer.options),
      "clean_environment=", apptainer.clean_environment ? 1 : 0,
      " no_init=", apptainer.no_init ? 1 : 0, " no_privs=", apptainer.no_privs ? 1 : 0,
      " tmp_dir_mode=", Name(apptainer.tmp_dir_mode), "\n");
}

std::string FetchVariables(const JobPlan& plan) {
  const ImagePlaces& places = plan.image_places;
  std::vector<std::string> policies;
  for (const PlannedContainer& container : plan.containers) {
    policies.push_back(Name(container.image_plan.policy));
  }
  return absl::StrCat(
      ImageArray(plan, "image_names", &PlannedImage::name), Array("image_policies", policies),
      "pull_timeout=", places.pull_timeout_seconds, " pull_retries=", places.pull_retries,
      "\nimage_back_off_first=", Hundredths(places.back_off_first),
      " image_back_off_limit=", Hundredths(places.back_off_limit), "\n");
}

std::string ImageVariables(const JobPlan& plan) {
  const ImagePlaces& places = plan.image_places;
  return absl::StrCat(
      FetchVariables(plan), ImageArray(plan, "image_places", &PlannedImage::place),
      ImageArray(plan, "image_sources", &PlannedImage::source),
      ImageArray(plan, "image_files", &PlannedImage::file),
      ImageArray(plan, "image_site_files", &PlannedImage::site_file),
      ImageArray(plan, "image_digests", &PlannedImage::digest),
      Variable("image_dir", places.image_dir), Variable("cvmfs", places.cvmfs_unpacked_path),
      Variable("image_cache", places.cache), Variable("proxy", places.proxy),
      Variable("proxy_token", places.proxy_token), Variable("scratch_area", places.scratch_area),
      Variable("image_architecture", places.architecture));
}

}  // namespace podferry
