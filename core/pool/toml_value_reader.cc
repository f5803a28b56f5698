#include "core/pool/toml_value_reader.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/excerpt.h"

namespace podferry {
namespace {

// What a string or a number spells; "" for anything else.
std::string TextOf(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return absl::StrCat(number->get());
  if (const auto* number = node.as_floating_point()) return absl::StrCat(number->get());
  return "";
}

}  // namespace

std::string TomlPosition(const toml::source_position& position) {
  return absl::StrCat("line ", position.line, ", column ", position.column, ": ");
}

absl::string_view TomlTypeName(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a number with a fraction";
    case toml::node_type::boolean:
      return "true or false";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::table:
      return "a table";
    default:
      return "a date or time";
  }
}

std::optional<bool> SpeltBool(absl::string_view text) {
  const std::string lower = absl::AsciiStrToLower(text);
  if (lower == "true" || lower == "yes" || lower == "y" || lower == "1") return true;
  if (lower == "false" || lower == "no" || lower == "n" || lower == "0") return false;
  return std::nullopt;
}

std::optional<int64_t> SpeltInt(absl::string_view text) {
  int64_t number = 0;
  if (!absl::SimpleAtoi(text, &number)) return std::nullopt;
  return number;
}

void TomlValueReader::operator()(bool* field) {
  const auto* value = node_.as_boolean();
  const std::optional<bool> read =
      value != nullptr ? std::optional<bool>(value->get()) : SpeltBool(TextOf(node_));
  if (!read.has_value()) return Want("true or false");
  *field = *read;
}

void TomlValueReader::operator()(int64_t* field) {
  const std::optional<int64_t> number = SpeltInt(TextOf(node_));
  if (!number.has_value()) return Want("an integer");
  if (*number < least_) return Add(absl::StrCat("want at least ", least_, ", got ", *number));
  *field = *number;
}

void TomlValueReader::operator()(std::optional<int64_t>* field) {
  const size_t before = errors_.size();
  int64_t number = 0;
  (*this)(&number);
  if (errors_.size() == before) *field = number;
}

void TomlValueReader::operator()(std::string* field) {
  const auto* value = node_.as_string();
  if (value == nullptr) return Want("a string");
  *field = value->get();
}

void TomlValueReader::operator()(std::vector<std::string>* field) {
  const toml::array* list = node_.as_array();
  if (list == nullptr) return Want("a list of strings");
  field->clear();
  for (size_t i = 0; i < list->size(); ++i) {
    For(list->at(i), absl::StrCat(path_, "[", i, "]"))(&field->emplace_back());
  }
}

void TomlValueReader::operator()(const EnumField& field) {
  const auto* text = node_.as_string();
  for (size_t i = 0; text != nullptr && i < field.words.size(); ++i) {
    if (field.words[i] == text->get()) return field.set(field.member, i);
  }
  Want(absl::StrCat("one of ", absl::StrJoin(field.words, ", ")));
}

void TomlValueReader::ReadQuantity(std::string* field) {
  if (!node_.is_string() && !node_.is_integer() && !node_.is_floating_point()) {
    return Want("a quantity");
  }
  *field = TextOf(node_);
}

void TomlValueReader::ReadMap(StringMap* field, bool quantities) {
  const toml::table* table = node_.as_table();
  if (table == nullptr) return Want("a table");
  field->clear();
  for (const auto& [key, value] : *table) {
    const std::string name(key.str());
    TomlValueReader reader = For(value, JoinFieldPath(path_, name));
    const size_t before = errors_.size();
    std::string text;
    if (quantities) {
      reader.ReadQuantity(&text);
    } else {
      reader(&text);
    }
    if (errors_.size() == before) field->emplace(name, std::move(text));
  }
}

std::string TomlValueReader::Got() const {
  const absl::string_view type = TomlTypeName(node_);
  if (secret_) return std::string(type);
  if (const auto* text = node_.as_string()) return absl::StrCat(type, ", ", QuotedExcerpt(**text));
  if (const auto* truth = node_.as_boolean()) return truth->get() ? "true" : "false";
  const std::string number = TextOf(node_);
  return number.empty() ? std::string(type) : absl::StrCat(type, ", ", number);
}

void TomlValueReader::Want(absl::string_view wanted) {
  Add(absl::StrCat("want ", wanted, ", got ", Got()));
}

void TomlValueReader::Add(absl::string_view message) {
  errors_.Add(path_, absl::StrCat(TomlPosition(node_.source().begin), message));
}

}  // namespace podferry
