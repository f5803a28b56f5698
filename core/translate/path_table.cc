#include "core/translate/path_table.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "core/translate/clean_path.h"

namespace podferry {
namespace {

// Nothing where `path` is not `folder` or below it; both are clean.
std::optional<absl::string_view> Below(absl::string_view folder, absl::string_view path) {
  if (!absl::ConsumePrefix(&path, absl::StripSuffix(folder, "/"))) return std::nullopt;
  if (path.empty() || absl::ConsumePrefix(&path, "/")) return path;
  return std::nullopt;
}

absl::Status NotListed(absl::string_view what, absl::string_view table) {
  return absl::NotFoundError(absl::StrCat("this pool has no folder for ", what,
                                          "; its operator can list one in [paths] ", table,
                                          " of its BuildConfig"));
}

}  // namespace

absl::StatusOr<PoolFolder> PathTable::HostPath(absl::string_view path) const {
  const std::optional<std::string> clean = CleanAbsolutePath(path);
  if (!clean.has_value()) {
    return absl::InvalidArgumentError("want an absolute path without ..");
  }
  absl::StatusOr<PoolFolder> found = FindPrefix(paths_.host_paths, *clean);
  return absl::IsNotFound(found.status()) ? NotListed(*clean, "host_paths") : std::move(found);
}

absl::StatusOr<PoolFolder> PathTable::Claim(absl::string_view name) const {
  const std::string& space = pod_.namespace_name;
  for (const std::string& key :
       {absl::StrCat(space, "/", name), absl::StrCat(space, "/*"), std::string("*/*")}) {
    const auto row = paths_.claims.find(key);
    if (row == paths_.claims.end()) continue;
    absl::StatusOr<PoolFolder> folder = Resolve(row->second, "", name);
    // A claim that was bound is there, and a new folder in its place would only look like it.
    if (folder.ok()) folder->type = "Directory";
    return folder;
  }
  return NotListed(absl::StrCat("claim ", space, "/", name), "claims");
}

absl::StatusOr<PoolFolder> PathTable::Nfs(absl::string_view server, absl::string_view path) const {
  const std::optional<std::string> clean = CleanAbsolutePath(path);
  if (!clean.has_value()) {
    return absl::InvalidArgumentError("want an absolute path without ..");
  }
  StringMap rows;
  for (const auto& [key, folder] : paths_.nfs) {
    absl::string_view exported = key;
    if (!absl::ConsumePrefix(&exported, absl::StrCat(server, ":"))) continue;
    rows[std::string(exported)] = folder;
  }
  absl::StatusOr<PoolFolder> found = FindPrefix(rows, *clean);
  if (absl::IsNotFound(found.status())) return NotListed(absl::StrCat(server, ":", *clean), "nfs");
  if (found.ok()) found->type = "Directory";
  return found;
}

absl::StatusOr<PoolFolder> PathTable::FindPrefix(const StringMap& rows,
                                                 absl::string_view path) const {
  const std::string* best = nullptr;
  size_t length = 0;
  absl::string_view rest;
  for (const auto& [key, row] : rows) {
    const std::optional<std::string> folder = CleanAbsolutePath(key);
    if (!folder.has_value()) continue;
    const std::optional<absl::string_view> below = Below(*folder, path);
    if (!below.has_value() || (best != nullptr && folder->size() <= length)) continue;
    best = &row;
    length = folder->size();
    rest = *below;
  }
  if (best == nullptr) return absl::NotFoundError("");
  return Resolve(*best, rest, "");
}

absl::StatusOr<PoolFolder> PathTable::Resolve(const std::string& row, absl::string_view rest,
                                              absl::string_view name) const {
  const auto user = pod_.labels.find("user");
  const bool has_user = user != pod_.labels.end() && IsFolderName(user->second);
  if (absl::StrContains(row, "%(user)s") && !has_user) {
    return absl::InvalidArgumentError(
        "this pool keeps a folder for each user: give the pod a label \"user\"");
  }
  const std::optional<std::string> base =
      CleanAbsolutePath(absl::StrReplaceAll(row, {{"%(namespace)s", pod_.namespace_name},
                                                  {"%(name)s", name},
                                                  {"%(user)s", has_user ? user->second : ""}}));
  if (!base.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("[paths] of the pool's BuildConfig names no absolute folder: ", row));
  }
  PoolFolder folder{.base = *base, .rest = std::string(rest)};
  // A link could lead from a writable folder to one of these.
  folder.has_links = paths_.read_only.empty();
  folder.read_only = IsReadOnly(row, folder);
  return folder;
}

bool PathTable::IsReadOnly(const std::string& row, const PoolFolder& folder) const {
  const std::string path = *CleanAbsolutePath(folder.Path());
  return std::any_of(paths_.read_only.begin(), paths_.read_only.end(), [&](const auto& entry) {
    if (entry == row) return true;
    const std::optional<std::string> clean = CleanAbsolutePath(entry);
    // What is above a folder would show it, too.
    return clean.has_value() &&
           (Below(*clean, path).has_value() || Below(path, *clean).has_value());
  });
}

}  // namespace podferry
