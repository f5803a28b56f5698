#include "submitter/load.h"

#include <utility>

#include "core/quantity/quantity.h"

namespace podferry {

std::map<std::string, std::string> UsedResources(const Records& records) {
  std::map<std::string, Quantity> sums;
  int64_t pods = 0;
  records.ForEach([&](const JobRecord& record) {
    if (!IsLive(record)) return;
    ++pods;
    for (const auto& [name, text] : record.job.resources) {
      const absl::StatusOr<Quantity> quantity = Quantity::Parse(text);
      if (quantity.ok() && name != "pods") sums[name] += *quantity;
    }
  });
  std::map<std::string, std::string> used;
  for (const auto& [name, sum] : sums) used[name] = sum.ToString();
  used["pods"] = Quantity::FromInt(pods).ToString();
  return used;
}

}  // namespace podferry
