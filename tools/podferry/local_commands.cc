#include "tools/podferry/local_commands.h"

#include "absl/strings/str_cat.h"
#include "core/base/issues.h"
#include "core/pod/pod_validator.h"
#include "core/pool/build_config_toml.h"
#include "core/pool/python_regex.h"
#include "core/translate/translate.h"
#include "tools/podferry/manifest.h"

namespace podferry {
namespace {

constexpr int kUserError = 2;

void Print(std::ostream& err, absl::string_view kind, const Issues& issues) {
  for (const Issue& issue : issues) err << kind << ": " << issue << "\n";
}

// A create body begins with its "pod" (or is a list of one); all else is taken for a manifest.
bool IsCreateBody(absl::string_view text) {
  size_t key = text.find_first_not_of(" \t\r\n[{");
  return key != absl::string_view::npos && text.substr(key, 5) == "\"pod\"";
}

// The pool that is named, else the one that the pod tolerates.
std::string PoolFor(const TranslateCommandOptions& options, const Pod& pod) {
  if (!options.pool.empty()) return options.pool;
  return PoolOf(pod);
}

void UseRuntime(absl::string_view word, RuntimeKind& kind) {
  if (word == "apptainer") kind = RuntimeKind::kApptainer;
  if (word == "podman") kind = RuntimeKind::kPodman;
  if (word == "host") kind = RuntimeKind::kHost;
}

}  // namespace

int TranslateCommand(const TranslateCommandOptions& options, std::ostream& out, std::ostream& err) {
  std::string body = options.pod;
  if (!IsCreateBody(body)) {
    ResolvedManifest manifest = ResolveManifest(
        body, {.pool = options.pool, .uid = "00000000-0000-0000-0000-000000000000"});
    Print(err, "error", manifest.issues);
    if (!manifest.issues.empty()) return kUserError;
    body = manifest.create_body;
  }
  Issues issues;
  absl::StatusOr<RetrievedPod> pod =
      AdmitPod(body, &issues, options.pool.empty() ? PoolNeed::kRequired : PoolNeed::kOptional);
  if (!pod.ok()) {
    err << "error: " << pod.status().message() << "\n";
    return kUserError;
  }
  BuildConfigReading config = ReadBuildConfig(options.build_config);
  Print(err, "warning", config.warnings);
  Print(err, "error", config.errors);
  Print(err, "error", issues);
  if (!issues.empty() || !config.errors.empty()) return kUserError;
  UseRuntime(options.runtime, config.config.runtime.kind);
  Translation translation = Translate(*pod, {.origin = "local", .uid = pod->pod.metadata.uid},
                                      PoolFor(options, pod->pod), config.config);
  for (const std::string& warning : translation.warnings) err << "warning: " << warning << "\n";
  Print(err, "error", translation.issues);
  if (!translation.issues.empty()) return kUserError;
  out << translation.bundle.script;
  return 0;
}

int GenerateConfigCommand(std::ostream& out) {
  out << GenerateBuildConfig();
  return 0;
}

int CheckConfigCommand(absl::string_view name, absl::string_view text, bool strict,
                       std::ostream& out, std::ostream& err) {
  const BuildConfigReading reading = ReadBuildConfig(text, ProcessEnvironment, strict);
  Print(err, absl::StrCat(name, ": warning"), reading.warnings);
  Print(err, absl::StrCat(name, ": error"), reading.errors);
  if (!reading.errors.empty()) return kUserError;
  out << name << ": can be used\n";
  return 0;
}

int MatchCommand(absl::string_view expression, const std::vector<std::string>& names,
                 std::ostream& out, std::ostream& err) {
  absl::StatusOr<PythonRegex> regex = PythonRegex::Compile(expression);
  if (!regex.ok()) {
    err << "error: " << regex.status().message() << "\n";
    return kUserError;
  }
  for (const std::string& name : names) {
    absl::StatusOr<bool> found = regex->Search(name);
    if (!found.ok()) {
      err << "error: " << name << ": " << found.status().message() << "\n";
      return kUserError;
    }
    if (*found) out << name << "\n";
  }
  return 0;
}

}  // namespace podferry
