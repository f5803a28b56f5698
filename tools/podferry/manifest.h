#ifndef PODFERRY_TOOLS_PODFERRY_MANIFEST_H_
#define PODFERRY_TOOLS_PODFERRY_MANIFEST_H_

#include <string>

#include "absl/strings/string_view.h"
#include "core/base/issues.h"

namespace podferry {

struct ManifestOptions {
  std::string pool;  // becomes the toleration pool.vk.io=<pool>, unless the pod has it
  std::string uid;   // used when the manifest has none
};

// What a virtual node would make of the manifest: the JSON body of a create (interLink's
// RetrievedPodData), or what is wrong with it.
struct ResolvedManifest {
  std::string create_body;  // meaningful when issues is empty
  std::string uid;
  std::string pod_namespace;
  std::string name;
  Issues issues;
};

// Reads YAML (or JSON) documents: one Pod, and the ConfigMaps and Secrets it refers to. Does what
// the kubelet's side of the API does before a plugin sees a pod: env and envFrom are resolved to
// plain values, $(VAR) in them expanded, volumes get their data. What refers to an object that is
// not in the file is an issue with its path.
ResolvedManifest ResolveManifest(absl::string_view yaml, const ManifestOptions& options);

}  // namespace podferry

#endif  // PODFERRY_TOOLS_PODFERRY_MANIFEST_H_
