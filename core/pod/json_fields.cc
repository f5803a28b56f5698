#include "core/pod/json_fields.h"

#include <utility>

namespace podferry::pod_json {

void Read(const json::Value& value, std::vector<std::string>& field) {
  const auto items = value.Items();
  field.reserve(items.size());
  for (const json::Value item : items) field.emplace_back(item.StringOr(""));
}

void Read(const json::Value& value, StringMap& field) {
  for (const json::Member member : value.Members()) {
    field.emplace(member.key, member.value.StringOr(""));
  }
}

void ReadQuantity(const json::Value& value, std::string& field) {
  if (auto text = value.StringOrNumber()) field = *std::move(text);
}

void ReadQuantities(const json::Value& value, StringMap& field) {
  for (const json::Member member : value.Members()) {
    // null is zero, as in Go.
    field.emplace(member.key, member.value.StringOrNumber().value_or("0"));
  }
}

}  // namespace podferry::pod_json
