#include "core/wire/field_check.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/job/job_key.h"

namespace podferry::wire {
namespace {

// A hostile message may have millions of wrong fields; a few tell the story.
constexpr size_t kMaxIssues = 16;
constexpr size_t kMaxSubmitterId = 63;
constexpr size_t kDigestSize = 64;

}  // namespace

void FieldCheck::Add(absl::string_view field, absl::string_view message) {
  if (issues_.size() >= kMaxIssues) return;
  std::string path;
  for (const Step& step : path_) {
    path = JoinFieldPath(path, step.field);
    if (step.index >= 0) absl::StrAppend(&path, "[", step.index, "]");
  }
  issues_.Add(JoinFieldPath(path, field), message);
}

void FieldCheck::KeyPart(absl::string_view value, absl::string_view field) {
  That(IsKeyPart(value), field, "want 1 to 63 letters, digits and hyphens");
}

void FieldCheck::SubmitterId(absl::string_view value, absl::string_view field) {
  const bool good = !value.empty() && value.size() <= kMaxSubmitterId &&
                    std::all_of(value.begin(), value.end(), [](char c) {
                      return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' ||
                             c == '_' || c == '.';
                    });
  That(good, field, "want 1 to 63 letters, digits, dots, hyphens and underscores");
}

void FieldCheck::Digest(absl::string_view value, absl::string_view field) {
  const bool good =
      value.size() == kDigestSize && std::all_of(value.begin(), value.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
      });
  That(good, field, "want 64 lower-case hex digits");
}

}  // namespace podferry::wire
