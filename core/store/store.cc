#include "core/store/store.h"

#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"

namespace podferry {
namespace {

constexpr size_t kMaxKeyBytes = 1024;
constexpr size_t kMaxValueBytes = 512 << 20;
constexpr size_t kMaxBatch = 10000;

}  // namespace

absl::Status CheckBatch(const std::vector<Mutation>& batch) {
  if (batch.size() > kMaxBatch) {
    return absl::InvalidArgumentError(absl::StrCat("a batch of ", batch.size(), " mutations"));
  }
  for (const Mutation& mutation : batch) {
    if (mutation.key.empty() || mutation.key.size() > kMaxKeyBytes) {
      return absl::InvalidArgumentError(absl::StrCat("a key of ", mutation.key.size(), " bytes"));
    }
    if (mutation.value.size() > kMaxValueBytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("a value of ", mutation.value.size(), " bytes"));
    }
  }
  return absl::OkStatus();
}

}  // namespace podferry
