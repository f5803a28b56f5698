#include "core/resources/resource_list.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace podferry {

ResourceList ParseResourceList(const StringMap& text, absl::string_view path, Issues* issues) {
  ResourceList list;
  for (const auto& [name, amount] : text) {
    const absl::StatusOr<Quantity> quantity = Quantity::Parse(amount);
    if (!quantity.ok()) {
      issues->Add(JoinFieldPath(path, name), quantity.status().message());
    } else if (quantity->IsNegative()) {
      issues->Add(JoinFieldPath(path, name), absl::StrCat("is negative: ", amount));
    } else {
      list[name == "gpus" ? kNvidiaGpu : name] = *quantity;
    }
  }
  return list;
}

StringMap ToText(const ResourceList& list) {
  StringMap text;
  for (const auto& [name, amount] : list) text.emplace(name, amount.ToString());
  return text;
}

std::string ToString(const ResourceList& list) {
  if (list.empty()) return "nothing";
  return absl::StrJoin(list, ", ", [](std::string* out, const auto& entry) {
    absl::StrAppend(out, entry.first, "=", entry.second.ToString());
  });
}

Quantity AmountOf(const ResourceList& list, const std::string& name) {
  const auto found = list.find(name);
  return found == list.end() ? Quantity() : found->second;
}

void Add(const ResourceList& more, ResourceList& sum) {
  for (const auto& [name, amount] : more) sum[name] += amount;
}

void RaiseTo(const ResourceList& other, ResourceList& list) {
  for (const auto& [name, amount] : other) {
    const auto [entry, added] = list.emplace(name, amount);
    if (!added) entry->second = std::max(entry->second, amount);
  }
}

ResourceList Without(const ResourceList& whole, const ResourceList& part) {
  ResourceList left;
  for (const auto& [name, amount] : whole) {
    const Quantity rest = amount - AmountOf(part, name);
    left[name] = rest.IsNegative() ? Quantity() : rest;
  }
  return left;
}

}  // namespace podferry
