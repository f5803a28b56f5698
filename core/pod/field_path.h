// Where in a pod something stands ("pod.spec.containers[0].name"), as a chain of links on the stack
// that becomes text only when there is an issue to report. A link must not outlive its parent.

#ifndef PODFERRY_CORE_POD_FIELD_PATH_H_
#define PODFERRY_CORE_POD_FIELD_PATH_H_

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/base/issues.h"

namespace podferry {

class FieldPath {
 public:
  explicit FieldPath(absl::string_view root) : name_(root) {}

  FieldPath operator/(absl::string_view member) const& { return FieldPath(this, member, kNone); }
  FieldPath operator[](size_t index) const& { return FieldPath(this, "", index); }
  // The parent would be gone before the child.
  FieldPath operator/(absl::string_view member) && = delete;
  FieldPath operator[](size_t index) && = delete;

  std::string ToString() const {
    if (parent_ == nullptr) return std::string(name_);
    const std::string parent = parent_->ToString();
    if (index_ != kNone) return absl::StrCat(parent, "[", index_, "]");
    // As json::Value::Path() writes it.
    const bool plain = std::all_of(name_.begin(), name_.end(), [](char c) {
      return absl::ascii_isalnum(c) || c == '-' || c == '_';
    });
    return JoinFieldPath(parent, plain ? std::string(name_) : absl::StrCat("[", name_, "]"));
  }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);
  FieldPath(const FieldPath* parent, absl::string_view name, size_t index)
      : parent_(parent), name_(name), index_(index) {}

  const FieldPath* parent_ = nullptr;
  absl::string_view name_;
  size_t index_ = kNone;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_POD_FIELD_PATH_H_
