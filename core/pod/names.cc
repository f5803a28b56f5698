#include "core/pod/names.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"

namespace podferry {
namespace {

constexpr size_t kMaxLabel = 63;
constexpr size_t kMaxSubdomain = 253;

bool IsDnsCharacter(char c) { return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-'; }
bool IsKeyCharacter(char c) { return absl::ascii_isalnum(c) || c == '-' || c == '_' || c == '.'; }

template <typename Predicate>
bool All(absl::string_view text, const Predicate& predicate) {
  return std::all_of(text.begin(), text.end(), predicate);
}

bool IsDnsLabelOfAnySize(absl::string_view name) {
  return !name.empty() && All(name, IsDnsCharacter) && name.front() != '-' && name.back() != '-';
}

}  // namespace

bool IsDnsLabel(absl::string_view name) {
  return name.size() <= kMaxLabel && IsDnsLabelOfAnySize(name);
}

bool IsDnsSubdomain(absl::string_view name) {
  if (name.size() > kMaxSubdomain) return false;
  // Kubernetes limits the whole, not its labels.
  for (const absl::string_view label : absl::StrSplit(name, '.')) {
    if (!IsDnsLabelOfAnySize(label)) return false;
  }
  return true;
}

bool IsPoolName(absl::string_view name) {
  return !name.empty() && name.size() <= kMaxLabel && All(name, IsKeyCharacter) &&
         absl::ascii_isalnum(name.front()) && absl::ascii_isalnum(name.back());
}

bool IsQualifiedName(absl::string_view name) {
  const size_t slash = name.find('/');
  if (slash == name.npos) return IsPoolName(name);
  return IsDnsSubdomain(name.substr(0, slash)) && IsPoolName(name.substr(slash + 1));
}

bool IsPodUid(absl::string_view uid) {
  return !uid.empty() && uid.size() <= kMaxLabel &&
         All(uid, [](char c) { return absl::ascii_isalnum(c) || c == '-'; });
}

bool IsEnvName(absl::string_view name) {
  return !name.empty() && All(name, [](char c) { return absl::ascii_isprint(c) && c != '='; });
}

bool IsObjectKey(absl::string_view key) {
  return !key.empty() && key.size() <= kMaxSubdomain && All(key, IsKeyCharacter) && key != "." &&
         !absl::StartsWith(key, "..");
}

bool IsPathBelow(absl::string_view path) {
  if (path.empty() || path.front() == '/' || absl::StrContains(path, '\0')) return false;
  for (const absl::string_view element : absl::StrSplit(path, '/')) {
    if (element == "..") return false;
  }
  return true;
}

}  // namespace podferry
