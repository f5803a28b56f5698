// What a pool has, what its jobs hold of it, and whether one more fits. Owned by whoever runs jobs
// (the submitter); one thread at a time.

#ifndef PODFERRY_CORE_RESOURCES_POOL_ACCOUNTING_H_
#define PODFERRY_CORE_RESOURCES_POOL_ACCOUNTING_H_

#include <map>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "core/resources/resource_list.h"

namespace podferry {

struct Fit {
  bool now = false;   // it fits beside what is held
  bool ever = false;  // it would fit if nothing were held
  // Why not, for people: "cpu: wants 4, 1 of 8 is free; nvidia.com/gpu: wants 1, the pool has
  // none".
  std::string reason;
};

class PoolAccounting {
 public:
  explicit PoolAccounting(ResourceList capacity) : capacity_(std::move(capacity)) {}

  // A resource that the capacity does not name is one the pool has none of, except for
  // ephemeral-storage: pools do not count it.
  Fit Fits(const ResourceList& demand) const;

  // Notes that `key` holds `demand`, whether it fits or not; again for a key replaces what it held.
  void Take(const std::string& key, ResourceList demand);
  // Does nothing for a key that holds nothing.
  void Release(const std::string& key);

  // A smaller capacity leaves holders as they are.
  void SetCapacity(ResourceList capacity) { capacity_ = std::move(capacity); }

  const ResourceList& capacity() const { return capacity_; }
  const ResourceList& used() const { return used_; }
  ResourceList Free() const { return Without(capacity_, used_); }
  size_t holders() const { return held_.size(); }

 private:
  ResourceList capacity_;
  ResourceList used_;
  std::map<std::string, ResourceList> held_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_RESOURCES_POOL_ACCOUNTING_H_
