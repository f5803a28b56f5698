#include "core/resources/pool_accounting.h"

#include "absl/strings/str_cat.h"

namespace podferry {

Fit PoolAccounting::Fits(const ResourceList& demand) const {
  Fit fit{true, true, ""};
  for (const auto& [name, wanted] : demand) {
    if (wanted.IsZero()) continue;
    const bool counted = capacity_.count(name) > 0;
    if (!counted && name == kEphemeralStorage) continue;
    const Quantity all = AmountOf(capacity_, name);
    const Quantity rest = all - AmountOf(used_, name);
    const Quantity free = rest.IsNegative() ? Quantity() : rest;
    if (wanted <= free) continue;
    fit.now = false;
    fit.ever = fit.ever && wanted <= all;
    absl::StrAppend(&fit.reason, fit.reason.empty() ? "" : "; ", name, ": wants ",
                    wanted.ToString(), ", ");
    if (all.IsZero()) {
      absl::StrAppend(&fit.reason, "the pool has none");
    } else {
      absl::StrAppend(&fit.reason, free.ToString(), " of ", all.ToString(), " is free");
    }
  }
  return fit;
}

void PoolAccounting::Take(const std::string& key, ResourceList demand) {
  Release(key);
  Add(demand, used_);
  held_[key] = std::move(demand);
}

void PoolAccounting::Release(const std::string& key) {
  const auto found = held_.find(key);
  if (found == held_.end()) return;
  for (const auto& [name, amount] : found->second) {
    Quantity& used = used_[name];
    used -= amount;
    if (used.IsZero()) used_.erase(name);
  }
  held_.erase(found);
}

}  // namespace podferry
