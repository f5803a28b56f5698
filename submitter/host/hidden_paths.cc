#include "submitter/host/hidden_paths.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace podferry {
namespace {

std::string Physical(const std::string& path) {
  std::error_code error;
  std::filesystem::path absolute = std::filesystem::absolute(path, error).lexically_normal();
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(absolute, error);
  std::string physical = (error ? absolute : resolved).string();
  while (absl::EndsWith(physical, "/")) physical.pop_back();
  return physical;
}

}  // namespace

std::string HiddenPaths(const std::vector<std::string>& paths) {
  std::vector<std::string> physical;
  for (const std::string& path : paths) {
    if (!path.empty()) physical.push_back(Physical(path));
  }
  std::sort(physical.begin(), physical.end(),
            [](const auto& a, const auto& b) { return a.size() < b.size(); });
  std::vector<std::string> lines;
  std::vector<std::string> taken;
  for (const std::string& path : physical) {
    const bool covered = std::any_of(taken.begin(), taken.end(), [&path](const auto& other) {
      return path == other || absl::StartsWith(path, absl::StrCat(other, "/"));
    });
    if (path.empty() || covered) continue;
    taken.push_back(path);
    lines.push_back(absl::StrReplaceAll(path, {{"%", "%25"}, {"\n", "%0A"}}));
  }
  return absl::StrJoin(lines, "\n");
}

}  // namespace podferry
