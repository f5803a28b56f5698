// The pods whose translation is kept as golden files: <name>.pod.json (or one of interLink's own
// requests) -> <name>.plan.txt -> <name>.sh -> <name>.result.txt, what running it comes to; or
// <name>.issues.txt, for a pod that is refused.

#ifndef PODFERRY_CORE_TRANSLATE_GOLDEN_CASES_H_
#define PODFERRY_CORE_TRANSLATE_GOLDEN_CASES_H_

#include <ostream>
#include <string>

#include "core/pool/build_config.h"

namespace podferry {

struct GoldenCase {
  std::string name;
  bool is_interlinks = false;  // core/testdata/interlink/create-<name>.json
  bool is_refused = false;
  RuntimeKind runtime = RuntimeKind::kHost;
};

inline std::ostream& operator<<(std::ostream& out, const GoldenCase& c) { return out << c.name; }

inline const GoldenCase kGoldenCases[] = {
    {"simple", true},
    {"indexed-0", true},
    {"volumes", true, true},
    {"lifecycle", true, true},
    {"arguments"},
    {"deadline"},
    {"files"},
    {"hooks"},
    {"hostname"},
    {"init-chain"},
    {"init-fails"},
    {"job-script"},
    {"large-files"},
    {"mounts"},
    {"outside"},
    {.name = "podman", .runtime = RuntimeKind::kPodman},
    {"probes"},
    {"restarts"},
    {"security"},
    {"siblings"},
    {"sidecar"},
};

// A pool that allows what the pods of the golden files ask for.
inline BuildConfig Generous(BuildConfig config) {
  config.runtime.allow_pre_exec = true;
  config.runtime.allow_tunnel = true;
  config.apptainer.fuse_mode = FuseMode::kHost;
  config.paths.claims["default/system"] = "/etc";
  return config;
}

inline std::string GoldenPath(const std::string& name) { return "core/translate/testdata/" + name; }
inline std::string PodPath(const GoldenCase& c) {
  return c.is_interlinks ? "core/testdata/interlink/create-" + c.name + ".json"
                         : GoldenPath(c.name + ".pod.json");
}
inline std::string GoldenName(const GoldenCase& c) {
  return c.is_interlinks ? "interlink-" + c.name : c.name;
}

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_GOLDEN_CASES_H_
