// What is wrong with a decoded message, each thing with the path of its field. Used by the
// conversions of this folder only: a value on the stack of one Decode.

#ifndef PODFERRY_CORE_WIRE_FIELD_CHECK_H_
#define PODFERRY_CORE_WIRE_FIELD_CHECK_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "core/base/issues.h"

namespace podferry::wire {

class FieldCheck {
 public:
  // The path to the fields that are checked, without cost while nothing is wrong. Names are
  // literals.
  class Scope {
   public:
    Scope(FieldCheck& check, absl::string_view field, int index = -1) : check_(check) {
      check_.path_.push_back({field, index});
    }
    ~Scope() { check_.path_.pop_back(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    FieldCheck& check_;
  };

  // Notes `message` for the field when `good` is false.
  void That(bool good, absl::string_view field, absl::string_view message) {
    if (!good) Add(field, message);
  }
  void Add(absl::string_view field, absl::string_view message);

  void KeyPart(absl::string_view value, absl::string_view field);
  void SubmitterId(absl::string_view value, absl::string_view field);
  void Digest(absl::string_view value, absl::string_view field);

  const Issues& issues() const { return issues_; }

 private:
  struct Step {
    absl::string_view field;
    int index;
  };
  std::vector<Step> path_;
  Issues issues_;
};

}  // namespace podferry::wire

#endif  // PODFERRY_CORE_WIRE_FIELD_CHECK_H_
