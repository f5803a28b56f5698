#include "core/pool/build_config_check.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/excerpt.h"
#include "core/pod/names.h"
#include "core/resources/resource_list.h"

namespace podferry {
namespace {

bool IsLabelValue(absl::string_view value) { return value.empty() || IsPoolName(value); }

void CheckLabels(const std::vector<std::string>& labels, Issues* issues) {
  for (size_t i = 0; i < labels.size(); ++i) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(labels[i], absl::MaxSplits('=', 1));
    if (absl::StrContains(labels[i], '=') && IsQualifiedName(parts.first) &&
        IsLabelValue(parts.second)) {
      continue;
    }
    issues->Add(
        absl::StrCat("node.labels[", i, "]"),
        absl::StrCat("want a Kubernetes label, \"key=value\", got ", QuotedExcerpt(labels[i])));
  }
}

// HOST, HOST:PORT, [IPv6]:PORT. What was written is not quoted: there may be a password in it.
void CheckProxy(const std::string& server, Issues* issues) {
  const bool good = std::all_of(server.begin(), server.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || absl::StrContains(".-_:[]", c);
  });
  if (good) return;
  issues->Add("shub_proxy.server",
              "want HOST or HOST:PORT, without a scheme, a path or a user: example.org:8080");
}

void CheckTaints(const std::vector<std::string>& taints, Issues* issues) {
  for (size_t i = 0; i < taints.size(); ++i) {
    const size_t colon = taints[i].rfind(':');
    const absl::string_view taint = taints[i];
    const absl::string_view effect =
        colon == std::string::npos ? absl::string_view() : taint.substr(colon + 1);
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(taint.substr(0, colon), absl::MaxSplits('=', 1));
    const bool effective =
        effect == "NoSchedule" || effect == "PreferNoSchedule" || effect == "NoExecute";
    if (effective && IsQualifiedName(parts.first) && IsLabelValue(parts.second)) continue;
    issues->Add(absl::StrCat("node.taints[", i, "]"),
                absl::StrCat("want \"key=value:Effect\", the effect being NoSchedule, "
                             "PreferNoSchedule or NoExecute, got ",
                             QuotedExcerpt(taint)));
  }
}

}  // namespace

void CheckBuildConfig(const BuildConfig& config, Issues* issues) {
  ParseResourceList(config.resources, "resources", issues);
  CheckLabels(config.node.labels, issues);
  CheckTaints(config.node.taints, issues);
  CheckProxy(config.shub_proxy.server, issues);
  for (size_t i = 0; i < config.slurm.flavors.size(); ++i) {
    ParseResourceList(config.slurm.flavors[i].max_resources,
                      absl::StrCat("slurm.flavors[", i, "].max_resources"), issues);
  }
}

}  // namespace podferry
