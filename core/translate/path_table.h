// Which folder of the pool a volume of the cluster is, by the pool's own table ([paths] of its
// BuildConfig). What is in no row is nowhere. Pure, any thread.

#ifndef PODFERRY_CORE_TRANSLATE_PATH_TABLE_H_
#define PODFERRY_CORE_TRANSLATE_PATH_TABLE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/pod/pod.h"
#include "core/pool/build_config.h"
#include "core/translate/pool_folder.h"

namespace podferry {

class PathTable {
 public:
  PathTable(const PathOptions& paths, const ObjectMeta& pod) : paths_(paths), pod_(pod) {}

  // NOT_FOUND: no row has it. INVALID_ARGUMENT: the pod's path, or what a row asks of the pod, is
  // not as it must be. The words are for the pod's author.
  absl::StatusOr<PoolFolder> HostPath(absl::string_view path) const;
  absl::StatusOr<PoolFolder> Claim(absl::string_view name) const;
  absl::StatusOr<PoolFolder> Nfs(absl::string_view server, absl::string_view path) const;

 private:
  // The longest row that is `path` or a folder above it.
  absl::StatusOr<PoolFolder> FindPrefix(const StringMap& rows, absl::string_view path) const;
  absl::StatusOr<PoolFolder> Resolve(const std::string& row, absl::string_view rest,
                                     absl::string_view name) const;
  bool IsReadOnly(const std::string& row, const PoolFolder& folder) const;

  const PathOptions& paths_;
  const ObjectMeta& pod_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_PATH_TABLE_H_
