#include "core/base/issues.h"

#include "absl/strings/str_cat.h"
#include "core/base/excerpt.h"

namespace podferry {
namespace {

// An error text ends up in a pod's status and in a terminal; more lines than this help nobody.
constexpr size_t kMostPrinted = 64;

// A pod's author may write a name of a megabyte; its error must still fit a status.
constexpr size_t kLongestField = 400;
constexpr size_t kLongestMessage = 800;

}  // namespace

std::string JoinFieldPath(absl::string_view parent, absl::string_view child) {
  if (parent.empty()) return std::string(child);
  if (child.empty()) return std::string(parent);
  return absl::StrCat(parent, child.front() == '[' ? "" : ".", child);
}

std::string Issue::ToString() const {
  return field.empty() ? message : absl::StrCat(field, ": ", message);
}

void Issues::Add(absl::string_view field, absl::string_view message) {
  issues_.push_back({Excerpt(field, kLongestField), Excerpt(message, kLongestMessage)});
}

void Issues::Merge(const Issues& other, absl::string_view parent) {
  // By index: `other` may be this very list.
  const size_t count = other.issues_.size();
  issues_.reserve(issues_.size() + count);
  for (size_t i = 0; i < count; ++i) {
    const Issue& issue = other.issues_[i];
    issues_.push_back({JoinFieldPath(parent, issue.field), issue.message});
  }
}

std::string Issues::ToString() const {
  std::string text;
  for (size_t i = 0; i < issues_.size() && i < kMostPrinted; ++i) {
    absl::StrAppend(&text, i == 0 ? "" : "; ", issues_[i].ToString());
  }
  if (issues_.size() > kMostPrinted) {
    absl::StrAppend(&text, "; and ", issues_.size() - kMostPrinted, " more");
  }
  return text;
}

absl::Status Issues::ToStatus() const {
  return empty() ? absl::OkStatus() : absl::InvalidArgumentError(ToString());
}

}  // namespace podferry
