// A place in a JSON document that knows its path: what is there, or that nothing is. Reading never
// fails; what has the wrong type or is missing becomes an issue under its path, and the reader goes
// on with a default, so that a user hears of every mistake at once:
//
//   Issues issues;
//   json::Value pod = document.Root(&issues);
//   json::Value spec = pod.Get("spec").RequireObject();
//   for (json::Value container : spec.Get("containers").Items()) {
//     name = container.Get("name").RequireString();   // "spec.containers[0].name: missing"
//     tty = container.Get("tty").BoolOr(false);       // "...tty: want bool, got string"
//   }
//   if (!issues.empty()) ...
//
// Below something that has the wrong type nothing more is reported: one mistake, one issue. null
// counts as absent for every getter, as it does for Kubernetes; kind() tells them apart.
// A Value is a cheap copyable pointer into its Document and lives no longer; one thread at a time.

#ifndef PODFERRY_CORE_JSON_VALUE_H_
#define PODFERRY_CORE_JSON_VALUE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace podferry::json {

enum class Kind { kAbsent, kNull, kBool, kNumber, kString, kArray, kObject };

struct Member;
template <typename Element>
class Range;

class Value {
 public:
  Kind kind() const;
  // Neither absent nor null.
  bool present() const { return kind() > Kind::kNull; }

  // The member of an object; absent if there is none, or if this is no object (which is an issue
  // unless it is absent or null).
  Value Get(absl::string_view key) const;

  // What is here; nothing where it is absent, null or of another type (which is an issue). Strings
  // are views into the document. Integers must be written as such: 1.0 is none.
  std::optional<absl::string_view> String() const;
  std::optional<bool> Bool() const;
  std::optional<int32_t> Int32() const;
  std::optional<int64_t> Int64() const;
  std::optional<double> Double() const;
  // A string, or a number as it would be printed: Kubernetes' quantities and IntOrString.
  std::optional<std::string> StringOrNumber() const;

  absl::string_view StringOr(absl::string_view other) const { return String().value_or(other); }
  bool BoolOr(bool other) const { return Bool().value_or(other); }
  int32_t Int32Or(int32_t other) const { return Int32().value_or(other); }
  int64_t Int64Or(int64_t other) const { return Int64().value_or(other); }

  // The same, but absent or null is an issue, too ("missing"), and gives "" or 0.
  absl::string_view RequireString() const;
  int32_t RequireInt32() const;
  int64_t RequireInt64() const;
  // This very value, or, with an issue, one below which nothing is there and nothing is reported.
  Value RequireObject() const;
  Value RequireArray() const;

  // What an array or object holds, in the order of the document; empty where absent or null, and,
  // with an issue, where it is something else. No object has two members of the same name.
  Range<Value> Items() const;
  Range<Member> Members() const;

  // "spec.containers[0].image"; members with other characters than letters, digits, '-' and '_' are
  // written as "metadata.annotations[a.b/c]". Empty for the document's root.
  std::string Path() const;

  // Adds an issue about this very value, unless something around it has already been reported.
  void AddIssue(absl::string_view message) const;

  // The JSON text of what is here, without white space; "null" where absent.
  std::string ToJson() const;

 private:
  friend class Document;
  template <typename Element>
  friend class Range;
  struct Step;     // One step of the path, in the document's arena.
  struct Context;  // What all values of one Root() share.

  Value(const void* node, const Step* step, Context* context)
      : node_(node), step_(step), context_(context) {}

  bool Is(Kind wanted) const;
  bool Missing() const;
  Value Muted() const;
  void WrongType(absl::string_view wanted) const;
  template <typename T>
  std::optional<T> Integer(absl::string_view wanted) const;

  const void* node_;  // Null: absent.
  const Step* step_;
  Context* context_;
};

struct Member {
  absl::string_view key;
  Value value;
};

// The elements of an array (Values) or of an object (Members).
template <typename Element>
class Range {
 public:
  class iterator {
   public:
    Element operator*() const { return (*range_)[index_]; }
    iterator& operator++() {
      ++index_;
      return *this;
    }
    bool operator==(const iterator& other) const { return index_ == other.index_; }

   private:
    friend class Range;
    iterator(const Range* range, size_t index) : range_(range), index_(index) {}
    const Range* range_;
    size_t index_;
  };

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Element operator[](size_t index) const;  // index < size().
  iterator begin() const { return iterator(this, 0); }
  iterator end() const { return iterator(this, size_); }

 private:
  friend class Value;
  Range(Value whole, size_t size) : whole_(whole), size_(size) {}
  Value whole_;
  size_t size_;
};
template <>
Value Range<Value>::operator[](size_t index) const;
template <>
Member Range<Member>::operator[](size_t index) const;

}  // namespace podferry::json

#endif  // PODFERRY_CORE_JSON_VALUE_H_
