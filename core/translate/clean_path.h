// Paths as they are written in pods, made plain. Pure, any thread.

#ifndef PODFERRY_CORE_TRANSLATE_CLEAN_PATH_H_
#define PODFERRY_CORE_TRANSLATE_CLEAN_PATH_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace podferry {

// "a//b/." is "a/b"; nothing where it holds ".." or NUL.
std::optional<std::string> CleanPath(absl::string_view path);

// "//a/./b/" is "/a/b". Nothing for a path that is not absolute, or holds ".." or NUL.
std::optional<std::string> CleanAbsolutePath(absl::string_view path);

// Whether a value names one folder or file below another: nothing but what Kubernetes takes for the
// value of a label, and not empty.
bool IsFolderName(absl::string_view name);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_CLEAN_PATH_H_
