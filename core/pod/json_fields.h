// Short words for the parsers of this folder: a JSON value into a field of a struct. What is absent
// or null leaves the field at its default; what has the wrong type does, too, and is an issue.

#ifndef PODFERRY_CORE_POD_JSON_FIELDS_H_
#define PODFERRY_CORE_POD_JSON_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/json/value.h"
#include "core/pod/container.h"

namespace podferry::pod_json {

inline void Read(const json::Value& value, std::string& field) {
  if (const auto text = value.String()) field.assign(text->data(), text->size());
}
inline void Read(const json::Value& value, bool& field) { field = value.BoolOr(field); }
inline void Read(const json::Value& value, int32_t& field) { field = value.Int32Or(field); }
inline void Read(const json::Value& value, int64_t& field) { field = value.Int64Or(field); }
inline void Read(const json::Value& value, std::optional<bool>& field) { field = value.Bool(); }
inline void Read(const json::Value& value, std::optional<int32_t>& field) { field = value.Int32(); }
inline void Read(const json::Value& value, std::optional<int64_t>& field) { field = value.Int64(); }
// A null in a list is an empty string, as in Go.
void Read(const json::Value& value, std::vector<std::string>& field);
void Read(const json::Value& value, StringMap& field);
// Quantities are strings or numbers.
void ReadQuantity(const json::Value& value, std::string& field);
void ReadQuantities(const json::Value& value, StringMap& field);

// One member of an object and how it is read into a struct. Parsers walk what is there and look it
// up, rather than asking for each field: most fields of a pod are absent.
template <typename Struct>
struct Field {
  absl::string_view key;
  void (*read)(const json::Value& value, Struct& target);
};

template <typename Struct, size_t count>
void ReadFields(const json::Value& value, const Field<Struct> (&fields)[count], Struct& target) {
  for (const json::Member member : value.Members()) {
    for (const Field<Struct>& field : fields) {
      if (field.key != member.key) continue;
      field.read(member.value, target);
      break;
    }
  }
}

template <typename Member>
struct MemberOf;
template <typename Struct, typename Type>
struct MemberOf<Type Struct::*> {
  using Owner = Struct;
};

// A field that Read knows how to read: {"name", Into<&Container::name>}.
template <auto member>
void Into(const json::Value& value, typename MemberOf<decltype(member)>::Owner& target) {
  Read(value, target.*member);
}

// One that is a quantity, and one that is a map of them.
template <auto member>
void QuantityInto(const json::Value& value, typename MemberOf<decltype(member)>::Owner& target) {
  ReadQuantity(value, target.*member);
}
template <auto member>
void QuantitiesInto(const json::Value& value, typename MemberOf<decltype(member)>::Owner& target) {
  ReadQuantities(value, target.*member);
}

// One that has a function of its own: {"resources", With<&Container::resources, ReadResources>}.
template <auto member, auto read>
void With(const json::Value& value, typename MemberOf<decltype(member)>::Owner& target) {
  read(value, target.*member);
}

// A list of objects; `read` has the signature void(const json::Value&, Element&).
template <typename Element, typename ReadElement>
void ReadList(const json::Value& value, std::vector<Element>& field, const ReadElement& read) {
  const auto items = value.Items();
  field.reserve(items.size());
  for (const json::Value item : items) read(item, field.emplace_back());
}

// A list whose elements have a function: {"ports", ListOf<&Container::ports, ReadPort>}.
template <auto member, auto read>
void ListOf(const json::Value& value, typename MemberOf<decltype(member)>::Owner& target) {
  ReadList(value, target.*member, read);
}

}  // namespace podferry::pod_json

#endif  // PODFERRY_CORE_POD_JSON_FIELDS_H_
