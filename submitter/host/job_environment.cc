#include "submitter/host/job_environment.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"

namespace podferry {
namespace {

constexpr absl::string_view kNames[] = {
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "CONTAINER_HOST",
    "MODULEPATH",
    "MODULESHOME",
    "LD_LIBRARY_PATH",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
};
constexpr absl::string_view kPrefixes[] = {"LC_", "APPTAINER_", "SINGULARITY_", "CUDA_", "NVIDIA_"};
// Logins to registries, among those of the prefixes.
constexpr absl::string_view kSecrets[] = {"PASSWORD", "TOKEN", "SECRET"};

}  // namespace

bool IsPassedOn(absl::string_view name) {
  if (std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames)) return true;
  const bool ours = std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                                [&](auto prefix) { return absl::StartsWith(name, prefix); });
  const bool secret = std::any_of(std::begin(kSecrets), std::end(kSecrets),
                                  [&](auto word) { return absl::StrContains(name, word); });
  return ours && !secret;
}

Environment JobEnvironment() {
  Environment environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const absl::string_view text(*entry);
    const size_t equals = text.find('=');
    if (equals == absl::string_view::npos || !IsPassedOn(text.substr(0, equals))) continue;
    environment.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  const bool has_path = std::any_of(environment.begin(), environment.end(),
                                    [](const auto& entry) { return entry.first == "PATH"; });
  if (!has_path) environment.emplace_back("PATH", "/usr/local/bin:/usr/bin:/bin");
  return environment;
}

}  // namespace podferry
