// The names Kubernetes allows, as its API server checks them (apimachinery's validation). Pure
// functions. A "label" has at most 63 characters, a "subdomain" 253.

#ifndef PODFERRY_CORE_POD_NAMES_H_
#define PODFERRY_CORE_POD_NAMES_H_

#include "absl/strings/string_view.h"

namespace podferry {

// RFC 1123: lower case letters, digits and '-', no '-' at the ends.
bool IsDnsLabel(absl::string_view name);

// DNS labels joined by dots: pods, ConfigMaps, Secrets.
bool IsDnsSubdomain(absl::string_view name);

// A label's value, so a pool's name: letters, digits, '-', '_', '.', alphanumeric at both ends. A
// Kubernetes label may be empty; a pool may not, so "" is refused.
bool IsPoolName(absl::string_view name);

// "cpu", "nvidia.com/gpu": an optional DNS subdomain and '/', then a name like a pool's.
bool IsQualifiedName(absl::string_view name);

// A pod's UID: a UUID in a cluster; letters, digits and '-' from anyone else, 63 at most.
bool IsPodUid(absl::string_view uid);

// An environment variable's name as Kubernetes 1.35 takes it: printable ASCII except '='.
bool IsEnvName(absl::string_view name);

// A key of a ConfigMap or Secret: letters, digits, '-', '_', '.'; not "." or "..", no leading "..".
bool IsObjectKey(absl::string_view key);

// A path that stays below the folder it is relative to: not empty, not absolute, no ".." element.
bool IsPathBelow(absl::string_view path);

}  // namespace podferry

#endif  // PODFERRY_CORE_POD_NAMES_H_
