// Where the plugin keeps things in its store. Pure.

#ifndef PODFERRY_PLUGIN_STORE_KEYS_H_
#define PODFERRY_PLUGIN_STORE_KEYS_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace podferry {

inline constexpr char kOriginKey[] = "origin";
inline constexpr char kEpochKey[] = "epoch";
inline constexpr char kJobPrefix[] = "job/";
inline constexpr char kPoolPrefix[] = "pool/";

// The small record (job_record.h).
inline std::string JobStoreKey(absl::string_view uid) { return absl::StrCat(kJobPrefix, uid); }
// The request as it came, until the script is frozen.
inline std::string BodyStoreKey(absl::string_view uid) { return absl::StrCat("body/", uid); }
// The frozen script.
inline std::string BundleStoreKey(absl::string_view uid) { return absl::StrCat("bundle/", uid); }
// What is kept of a pool (pool_record.h).
inline std::string PoolStoreKey(absl::string_view pool) { return absl::StrCat(kPoolPrefix, pool); }

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_STORE_KEYS_H_
