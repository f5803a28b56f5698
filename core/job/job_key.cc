#include "core/job/job_key.h"

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace podferry {
namespace {

constexpr size_t kMaxPart = 63;  // a Kubernetes label value

}  // namespace

std::string JobKey::ToString() const { return absl::StrCat(origin, "/", uid); }

std::string JobKey::FileName() const { return absl::StrCat(origin, ".", uid); }

bool IsKeyPart(absl::string_view text) {
  if (text.empty() || text.size() > kMaxPart) return false;
  for (const char c : text) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '-') return false;
  }
  return true;
}

absl::StatusOr<JobKey> ParseJobKey(absl::string_view text) {
  const size_t separator = text.find_first_of("/.");
  if (separator == absl::string_view::npos) {
    return absl::InvalidArgumentError(absl::StrCat("job key \"",
                                                   absl::CHexEscape(text.substr(0, 2 * kMaxPart)),
                                                   "\" has no '/' between origin and UID"));
  }
  const absl::string_view origin = text.substr(0, separator);
  const absl::string_view uid = text.substr(separator + 1);
  for (const absl::string_view part : {origin, uid}) {
    if (IsKeyPart(part)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the ", part.data() == origin.data() ? "origin" : "UID", " of job key \"",
                     absl::CHexEscape(text.substr(0, 2 * kMaxPart + 1)),
                     "\" is not 1 to 63 letters, digits and hyphens"));
  }
  return JobKey{std::string(origin), std::string(uid)};
}

}  // namespace podferry
