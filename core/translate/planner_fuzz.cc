// Feeds pods to the planner and the renderer, for every kind of pool: a pod that is admitted is
// either refused with the fields' paths, or becomes a plan that stays inside its sandbox and a
// script that is ours.
//
// The input is the body of POST /create; a digit before it chooses the pool, without one all of
// them are tried.
//
//   bazel run --config=fuzz //core/translate:planner_fuzz -- -max_total_time=60 FOLDER

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "core/pod/pod_validator.h"
#include "core/pod/testing/fuzz_pods.h"
#include "core/translate/planner.h"
#include "core/translate/script_renderer.h"
#include "core/translate/translate.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size)
    __attribute__((weak));

namespace podferry {
namespace {

// Secrets shorter than this may stand elsewhere by chance.
constexpr size_t kTelling = 12;
constexpr absl::string_view kNul("\0", 1);

void Want(bool holds, absl::string_view what, absl::string_view detail = "") {
  if (holds) return;
  std::cerr << "does not hold: " << what << " " << detail << "\n";
  std::abort();
}

BuildConfig Generous(RuntimeKind kind) {
  BuildConfig config;
  config.runtime = {
      .kind = kind, .allow_privileged = true, .allow_pre_exec = true, .allow_tunnel = true};
  config.volumes = {.scratch_area = "/scratch/it's",
                    .apptainer_cachedir = "/cache dir",
                    .image_dir = "/images",
                    .cvmfs_unpacked_path = "/cvmfs/unpacked",
                    .additional_directories_in_path = {"/opt/bin"}};
  config.apptainer.fuse_mode = FuseMode::kHost;
  config.podman.extra_args = {"--runtime", "runc"};
  config.shub_proxy.server = "proxy:8080";
  config.paths.host_paths["/data"] = "/pool/%(namespace)s/%(user)s";
  config.paths.claims["*/*"] = "/pool/claims/%(namespace)s/%(name)s";
  config.paths.nfs["s:/export"] = "/nfs";
  config.paths.read_only = {"/nfs"};
  return config;
}

const std::vector<BuildConfig>& Pools() {
  static const auto& pools = *new std::vector<BuildConfig>([] {
    std::vector<BuildConfig> made;
    for (const RuntimeKind kind :
         {RuntimeKind::kHost, RuntimeKind::kApptainer, RuntimeKind::kPodman}) {
      made.emplace_back().runtime.kind = kind;
      made.push_back(Generous(kind));
    }
    return made;
  }());
  return pools;
}

bool StaysBelow(absl::string_view path) {
  if (path.empty() || path[0] == '/') return false;
  for (const absl::string_view part : absl::StrSplit(path, '/')) {
    if (part == "..") return false;
  }
  return true;
}

void CheckVolume(const PlannedVolume& volume) {
  for (const PlannedFile& file : volume.files) Want(StaysBelow(file.path), "file", file.path);
  for (const std::string& folder : volume.folders) Want(StaysBelow(folder), "folder", folder);
}

void CheckArguments(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    Want(argument.size() <= kMaxArgumentBytes, "an argument's length");
    Want(!absl::StrContains(argument, kNul), "no NUL in an argument");
  }
}

void CheckContainer(const PlannedContainer& container) {
  std::set<std::string> names;
  for (const auto& [name, value] : container.env) {
    Want(names.insert(name).second, "each variable once", name);
    Want(name.size() + 1 + value.size() <= kMaxArgumentBytes, "a variable's length", name);
    Want(!absl::StrContains(value, kNul), "no NUL in a variable", name);
  }
  CheckArguments(container.command);
  CheckArguments(container.args);
  for (const PlannedMount& mount : container.mounts) {
    Want(absl::StartsWith(mount.path, "/"), "mounts are absolute", mount.path);
  }
}

void CheckPlan(const RetrievedPod& pod, const JobPlan& plan) {
  const PodSpec& spec = pod.pod.spec;
  Want(plan.containers.size() == spec.containers.size() + spec.init_containers.size(),
       "all containers are planned");
  for (const PlannedVolume& volume : plan.volumes) CheckVolume(volume);
  for (const PlannedContainer& container : plan.containers) CheckContainer(container);
}

// A Secret's bytes in a text that people read. `json` is where they came from, in base64.
void CheckNothingSecret(const RetrievedPod& pod, absl::string_view json, absl::string_view text) {
  for (const ContainerData& container : pod.containers) {
    for (const ObjectData& secret : container.secrets) {
      for (const auto& [key, value] : secret.files) {
        if (value.size() < kTelling || absl::StrContains(json, value)) continue;
        Want(!absl::StrContains(text, value), "no Secret in a message", text);
      }
    }
  }
}

void CheckPool(const RetrievedPod& pod, absl::string_view json, const BuildConfig& config) {
  const JobKey key = {"3bd3a9e2-2d6c-4c1e-9f0b-0a4de3b4a0c1", pod.pod.metadata.uid};
  const Translation translation = Translate(pod, key, "pool-a", config);
  const PlanResult result = PlanJob(pod, key, "pool-a", config);
  Want(translation.issues == result.issues, "the same issues twice");
  for (const std::string& warning : translation.warnings) CheckNothingSecret(pod, json, warning);
  if (!translation.issues.empty()) {
    for (const Issue& issue : translation.issues) {
      Want(!issue.field.empty() && !issue.message.empty(), "an issue has a path", issue.ToString());
      CheckNothingSecret(pod, json, issue.ToString());
    }
    return;
  }
  CheckPlan(pod, result.plan);
  const std::string& script = translation.bundle.script;
  Want(IsOurScript(script), "the script is ours");
  Want(!absl::StrContains(script, kNul), "no NUL in the script");
  Want(translation.bundle.digest == Sha256Hex(script), "the digest is the script's");
  if (!IsOurScript(pod.job_script)) {
    Want(RenderScript(result.plan) == script, "the same script twice");
  }
}

void Check(absl::string_view input) {
  const std::vector<BuildConfig>& pools = Pools();
  size_t first = 0;
  size_t last = pools.size();
  if (!input.empty() && input[0] >= '0' && input[0] <= '9') {
    first = static_cast<size_t>(input[0] - '0') % pools.size();
    last = first + 1;
    input.remove_prefix(1);
  }
  Issues issues;
  const absl::StatusOr<RetrievedPod> pod = AdmitPod(input, &issues);
  if (!pod.ok() || !issues.empty()) return;
  for (size_t i = first; i < last; ++i) CheckPool(*pod, input, pools[i]);
}

}  // namespace
}  // namespace podferry

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  podferry::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}

// Almost always another pod: the parser has a target of its own.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  if (size == 0 || max_size < 2) return LLVMFuzzerMutate(data, size, max_size);
  if (data[0] < '0' || data[0] > '9') {
    const std::string json(reinterpret_cast<const char*>(data), size);
    size = std::min(size, max_size - 1);
    std::copy(json.begin(), json.begin() + static_cast<long>(size), data + 1);
    data[0] = static_cast<uint8_t>('0' + seed % 6);
    return size + 1;
  }
  if (seed % 16 == 0) data[0] = static_cast<uint8_t>('0' + seed / 16 % 6);
  const size_t changed =
      seed % 16 == 1 ? 0 : podferry::MutatePodJson(data + 1, size - 1, max_size - 1, seed);
  return changed != 0 ? changed + 1 : LLVMFuzzerMutate(data, size, max_size);
}
