#include "tools/podferry/local_commands.h"

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

}  // namespace

int TranslateCommand(const TranslateOptions& options, std::ostream& out, std::ostream& err) {
  std::string body = options.pod;
  if (!IsCreateBody(body)) {
    ResolvedManifest manifest = ResolveManifest(
        body, {.pool = options.pool, .uid = "00000000-0000-0000-0000-000000000000"});
    Print(err, "error", manifest.issues);
    if (!manifest.issues.empty()) return kUserError;
    body = manifest.create_body;
  }
  Issues issues;
  absl::StatusOr<RetrievedPod> pod = AdmitPod(body, &issues);
  if (!pod.ok()) {
    err << "error: " << pod.status().message() << "\n";
    return kUserError;
  }
  BuildConfigReading config = ReadBuildConfig(options.build_config);
  Print(err, "warning", config.warnings);
  Print(err, "error", config.errors);
  Print(err, "error", issues);
  if (!issues.empty() || !config.errors.empty()) return kUserError;
  Translation translation = Translate(*pod, {.origin = "local", .uid = pod->pod.metadata.uid},
                                      options.pool, config.config);
  for (const std::string& warning : translation.warnings) err << "warning: " << warning << "\n";
  Print(err, "error", translation.issues);
  if (!translation.issues.empty()) return kUserError;
  out << translation.bundle.script;
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
