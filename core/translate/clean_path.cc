#include "core/translate/clean_path.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace podferry {

std::optional<std::string> CleanPath(absl::string_view path) {
  std::string clean;
  for (const absl::string_view part : absl::StrSplit(path, '/', absl::SkipEmpty())) {
    if (part == ".." || absl::StrContains(part, '\0')) return std::nullopt;
    if (part == ".") continue;
    absl::StrAppend(&clean, clean.empty() ? "" : "/", part);
  }
  return clean;
}

std::optional<std::string> CleanAbsolutePath(absl::string_view path) {
  if (!absl::StartsWith(path, "/")) return std::nullopt;
  const std::optional<std::string> clean = CleanPath(path);
  if (!clean.has_value()) return std::nullopt;
  return absl::StrCat("/", *clean);
}

bool IsFolderName(absl::string_view name) {
  return !name.empty() && name.size() <= 63 && absl::ascii_isalnum(name.front()) &&
         absl::ascii_isalnum(name.back()) && std::all_of(name.begin(), name.end(), [](char c) {
           return absl::ascii_isalnum(c) || c == '-' || c == '_' || c == '.';
         });
}

}  // namespace podferry
