// Scripts of jobs that are reserved, so that a start need not read them back from the store.
// Bounded: what does not fit is simply not kept. Owned by the job server; loop thread only.

#ifndef PODFERRY_SUBMITTER_SCRIPT_CACHE_H_
#define PODFERRY_SUBMITTER_SCRIPT_CACHE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "core/job/job_key.h"

namespace podferry {

class ScriptCache {
 public:
  explicit ScriptCache(size_t max_bytes) : max_bytes_(max_bytes) {}

  void Put(const JobKey& key, std::string script) {
    Take(key);
    if (script.empty() || bytes_ + script.size() > max_bytes_) return;
    bytes_ += script.size();
    scripts_.emplace(key, std::move(script));
  }

  std::optional<std::string> Take(const JobKey& key) {
    const auto found = scripts_.find(key);
    if (found == scripts_.end()) return std::nullopt;
    std::string script = std::move(found->second);
    scripts_.erase(found);
    bytes_ -= script.size();
    return script;
  }

 private:
  const size_t max_bytes_;
  size_t bytes_ = 0;
  absl::flat_hash_map<JobKey, std::string> scripts_;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_SCRIPT_CACHE_H_
