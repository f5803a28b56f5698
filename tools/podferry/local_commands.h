#ifndef PODFERRY_TOOLS_PODFERRY_LOCAL_COMMANDS_H_
#define PODFERRY_TOOLS_PODFERRY_LOCAL_COMMANDS_H_

#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

// The commands that need no plugin. Each returns the program's exit code: 0, or 2 for what the user
// got wrong, which has then been said on `err`.
namespace podferry {

struct TranslateCommandOptions {
  std::string pod;           // the text of the file: a create body, or a manifest as for submit
  std::string build_config;  // the text of the file; empty: the defaults
  std::string pool;          // empty: the pod's toleration says it
  std::string runtime;       // instead of the BuildConfig's: "apptainer", "podman", "host"
};

// Prints the script that would be sent. Warnings and issues, with field paths, go to `err`.
int TranslateCommand(const TranslateCommandOptions& options, std::ostream& out, std::ostream& err);

// Prints a BuildConfig with every key, commented.
int GenerateConfigCommand(std::ostream& out);

// Says everything that is wrong with a BuildConfig, as its submitter would see it here and now (the
// environment stands in for keys it lacks). With `strict`, what is unknown is wrong, too. `name` is
// the file's.
int CheckConfigCommand(absl::string_view name, absl::string_view text, bool strict,
                       std::ostream& out, std::ostream& err);

// Prints the names that the expression (Python's `re`, searched anywhere) finds, one a line.
int MatchCommand(absl::string_view expression, const std::vector<std::string>& names,
                 std::ostream& out, std::ostream& err);

}  // namespace podferry

#endif  // PODFERRY_TOOLS_PODFERRY_LOCAL_COMMANDS_H_
