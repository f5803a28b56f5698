// BuildConfig as TOML: reading, writing, the commented default file and the reference table. One
// table of keys (build_config_keys.h) drives all four, so that they cannot diverge. Files written
// for the Python original load. Pure functions, callable from any thread.

#ifndef PODFERRY_CORE_POOL_BUILD_CONFIG_TOML_H_
#define PODFERRY_CORE_POOL_BUILD_CONFIG_TOML_H_

#include <functional>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "core/base/issues.h"
#include "core/pool/build_config.h"

namespace podferry {

// Looks a variable up in the environment. The names that stand in for absent keys (SCRATCH_AREA,
// SHUB_PROXY_MASTER_TOKEN, ...) are in the reference table.
using EnvironmentLookup = std::function<std::optional<std::string>(const std::string& name)>;
std::optional<std::string> ProcessEnvironment(const std::string& name);
// For texts that a submitter has published: its own environment is already in them.
std::optional<std::string> NoEnvironment(const std::string& name);

struct BuildConfigReading {
  BuildConfig config;  // what could be read; to be used only if there are no errors
  Issues errors;       // "slurm.cpu: line 12, column 7: want an integer, got a string"
  Issues warnings;     // unknown section or key, with the nearest known one
};

// With `strict`, warnings are errors. Precedence: the text, the environment, the default.
BuildConfigReading ReadBuildConfig(absl::string_view toml,
                                   const EnvironmentLookup& environment = ProcessEnvironment,
                                   bool strict = false);

// Every key with its value; reads back equal with NoEnvironment. Holds secrets unless
// WithoutSecrets took them out.
std::string ToToml(const BuildConfig& config);

// The default file: every key with a comment, reading back as BuildConfig{}.
std::string GenerateBuildConfig();

// The same as a Markdown document with a table per section, for docs/build-config.md.
std::string BuildConfigReference();

}  // namespace podferry

#endif  // PODFERRY_CORE_POOL_BUILD_CONFIG_TOML_H_
