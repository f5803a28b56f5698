// What is wrong with something a user wrote: all of it at once, each with the path of its field.
// Parsers and validators take an `Issues*` and go on after adding to it; absl::Status stays for
// "cannot go on". A plain value, owned by whoever checks; one thread at a time.

#ifndef PODFERRY_CORE_BASE_ISSUES_H_
#define PODFERRY_CORE_BASE_ISSUES_H_

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace podferry {

struct Issue {
  std::string field;    // "spec.containers[0].image"; empty: the whole thing.
  std::string message;  // "want string, got number"; no full stop, never a secret.

  // "field: message"
  std::string ToString() const;

  friend bool operator==(const Issue&, const Issue&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Issue& issue) {
    return out << issue.ToString();
  }
};

class Issues {
 public:
  using value_type = Issue;
  using const_iterator = std::vector<Issue>::const_iterator;

  void Add(absl::string_view field, absl::string_view message);

  // Appends all of `other`, its fields prefixed with `parent`: "template" + "spec.image" is
  // "template.spec.image", "list" + "[0].name" is "list[0].name". An empty parent prefixes nothing.
  void Merge(const Issues& other, absl::string_view parent = "");

  bool empty() const { return issues_.empty(); }
  size_t size() const { return issues_.size(); }
  const_iterator begin() const { return issues_.begin(); }
  const_iterator end() const { return issues_.end(); }

  // "field: message; field: message". Beyond 64 issues it says only how many more there are.
  std::string ToString() const;

  // OK when empty, else INVALID_ARGUMENT with ToString().
  absl::Status ToStatus() const;

  friend bool operator==(const Issues&, const Issues&) = default;

 private:
  std::vector<Issue> issues_;
};

// "parent.child", "parent[0]", or just one of them where the other is empty.
std::string JoinFieldPath(absl::string_view parent, absl::string_view child);

}  // namespace podferry

#endif  // PODFERRY_CORE_BASE_ISSUES_H_
