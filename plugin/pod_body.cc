#include "plugin/pod_body.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/base/status_macros.h"
#include "core/pod/names.h"
#include "core/pod/pod_parser.h"
#include "core/pod/pod_validator.h"

namespace podferry {
namespace {

// Deterministic, so that reading the stored manifest again gives the same name.
std::string NameFor(const ObjectMeta& metadata, absl::string_view uid) {
  if (!metadata.name.empty() || metadata.generate_name.empty()) return metadata.name;
  return absl::StrCat(metadata.generate_name, uid.substr(0, 5));
}

void Complete(Pod& pod, absl::string_view pool, absl::string_view uid) {
  ObjectMeta& metadata = pod.metadata;
  metadata.uid = std::string(uid);
  metadata.name = NameFor(metadata, uid);
  if (metadata.namespace_name.empty()) metadata.namespace_name = "default";
  std::erase_if(pod.spec.tolerations,
                [](const Toleration& toleration) { return toleration.key == kPoolTolerationKey; });
  pod.spec.tolerations.push_back({.key = kPoolTolerationKey,
                                  .op = "Equal",
                                  .value = std::string(pool),
                                  .effect = "NoSchedule",
                                  .toleration_seconds = std::nullopt});
}

// Something at, below or above the field has been reported.
bool Reported(const Issues& issues, absl::string_view field) {
  return std::any_of(issues.begin(), issues.end(), [field](const Issue& issue) {
    return absl::StartsWith(field, issue.field) || absl::StartsWith(issue.field, field);
  });
}

// The pod is the user's own file: there its paths do not start with "pod".
absl::string_view UsersPath(absl::string_view field) {
  absl::ConsumePrefix(&field, "pod.");
  return field;
}

}  // namespace

absl::StatusOr<RetrievedPod> AdmitManifest(absl::string_view json, absl::string_view pool,
                                           absl::string_view uid, Issues* issues) {
  Issues unreadable;
  PODFERRY_ASSIGN_OR_RETURN(RetrievedPod retrieved, ParseRetrievedPod(json, &unreadable));
  Complete(retrieved.pod, pool, uid);
  Issues invalid;
  ValidateRetrievedPod(retrieved, &invalid);
  for (const Issue& issue : unreadable) issues->Add(UsersPath(issue.field), issue.message);
  if (!IsPoolName(pool)) {
    issues->Add("pool", absl::StrCat("is no pool's name (letters, digits, '-', '_' and '.', at "
                                     "most 63): ",
                                     pool.substr(0, 300)));
  }
  for (const Issue& issue : invalid) {
    // The toleration is ours.
    if (absl::StartsWith(issue.field, "pod.spec.tolerations")) continue;
    if (!Reported(unreadable, issue.field)) issues->Add(UsersPath(issue.field), issue.message);
  }
  return retrieved;
}

absl::StatusOr<RetrievedPod> ReadStoredBody(absl::string_view body, JobSource source,
                                            const JobDescription& job) {
  Issues issues;
  absl::StatusOr<RetrievedPod> pod = ParseRetrievedPod(body, &issues);
  if (!pod.ok()) return absl::DataLossError(pod.status().message());
  if (source == JobSource::kCli) Complete(pod->pod, job.pool, job.key.uid);
  return pod;
}

}  // namespace podferry
