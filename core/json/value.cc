#include "core/json/value.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/json/internal.h"
#include "core/json/writer.h"

namespace podferry::json {
namespace {

const Node& AsNode(const void* node) { return *static_cast<const Node*>(node); }

absl::string_view AsView(const Node& node) { return {node.GetString(), node.GetStringLength()}; }

Kind KindOf(const Node& node) {
  switch (node.GetType()) {
    case rapidjson::kNullType:
      return Kind::kNull;
    case rapidjson::kFalseType:
    case rapidjson::kTrueType:
      return Kind::kBool;
    case rapidjson::kNumberType:
      return Kind::kNumber;
    case rapidjson::kStringType:
      return Kind::kString;
    case rapidjson::kArrayType:
      return Kind::kArray;
    case rapidjson::kObjectType:
      return Kind::kObject;
  }
  return Kind::kNull;
}

absl::string_view KindName(Kind kind) {
  switch (kind) {
    case Kind::kAbsent:
      return "nothing";
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return "bool";
    case Kind::kNumber:
      return "number";
    case Kind::kString:
      return "string";
    case Kind::kArray:
      return "array";
    case Kind::kObject:
      return "object";
  }
  return "";
}

std::string NumberText(const Node& node) {
  if (node.IsInt64()) return absl::StrCat(node.GetInt64());
  if (node.IsUint64()) return absl::StrCat(node.GetUint64());
  if (node.GetDouble() == 0) return "0";  // Not "-0", which reads back as another type.
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), node.GetDouble());
  return std::string(buffer, end.ptr);
}

bool IsPlainName(absl::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '-' || c == '_';
  });
}

void Write(const Node& node, Writer* writer) {
  switch (KindOf(node)) {
    case Kind::kAbsent:
    case Kind::kNull:
      writer->Null();
      return;
    case Kind::kBool:
      writer->Bool(node.GetBool());
      return;
    case Kind::kNumber:
      writer->Raw(NumberText(node));
      return;
    case Kind::kString:
      writer->String(AsView(node));
      return;
    case Kind::kArray:
      writer->BeginArray();
      for (const Node& item : node.GetArray()) Write(item, writer);
      writer->EndArray();
      return;
    case Kind::kObject:
      writer->BeginObject();
      for (const auto& member : node.GetObject()) {
        writer->Key(AsView(member.name));
        Write(member.value, writer);
      }
      writer->EndObject();
      return;
  }
}

}  // namespace

Kind Value::kind() const { return node_ == nullptr ? Kind::kAbsent : KindOf(AsNode(node_)); }

Value Value::Get(absl::string_view key) const {
  if (Is(Kind::kObject)) {
    for (const auto& member : AsNode(node_).GetObject()) {
      const absl::string_view name = AsView(member.name);
      if (name != key) continue;
      return Value(&member.value, context_->NewStep({.parent = step_, .key = name}), context_);
    }
  } else {
    WrongType("object");
  }
  const absl::string_view name = context_->keys.emplace_back(key);
  const bool muted = step_->muted || (present() && !Is(Kind::kObject));
  return Value(nullptr, context_->NewStep({.parent = step_, .key = name, .muted = muted}),
               context_);
}

bool Value::Is(Kind wanted) const { return kind() == wanted; }

std::optional<absl::string_view> Value::String() const {
  if (Is(Kind::kString)) return AsView(AsNode(node_));
  WrongType("string");
  return std::nullopt;
}

std::optional<bool> Value::Bool() const {
  if (Is(Kind::kBool)) return AsNode(node_).GetBool();
  WrongType("bool");
  return std::nullopt;
}

std::optional<double> Value::Double() const {
  if (Is(Kind::kNumber)) return AsNode(node_).GetDouble();
  WrongType("number");
  return std::nullopt;
}

std::optional<std::string> Value::StringOrNumber() const {
  if (Is(Kind::kNumber)) return NumberText(AsNode(node_));
  if (Is(Kind::kString)) return std::string(AsView(AsNode(node_)));
  WrongType("string or number");
  return std::nullopt;
}

template <typename T>
std::optional<T> Value::Integer(absl::string_view wanted) const {
  if (!Is(Kind::kNumber)) {
    WrongType(wanted);
    return std::nullopt;
  }
  const Node& node = AsNode(node_);
  if (node.IsInt64() && node.GetInt64() >= std::numeric_limits<T>::min() &&
      node.GetInt64() <= std::numeric_limits<T>::max()) {
    return static_cast<T>(node.GetInt64());
  }
  if (context_->reported.insert(node_).second) {
    AddIssue(absl::StrCat("want ", wanted, ", got ", NumberText(node)));
  }
  return std::nullopt;
}

std::optional<int32_t> Value::Int32() const { return Integer<int32_t>("32-bit integer"); }
std::optional<int64_t> Value::Int64() const { return Integer<int64_t>("integer"); }

absl::string_view Value::RequireString() const { return Missing() ? "" : StringOr(""); }
int32_t Value::RequireInt32() const { return Missing() ? 0 : Int32Or(0); }
int64_t Value::RequireInt64() const { return Missing() ? 0 : Int64Or(0); }

Value Value::RequireObject() const {
  if (Is(Kind::kObject)) return *this;
  if (!Missing()) WrongType("object");
  return Muted();
}

Value Value::RequireArray() const {
  if (Is(Kind::kArray)) return *this;
  if (!Missing()) WrongType("array");
  return Muted();
}

Range<Value> Value::Items() const {
  if (Is(Kind::kArray)) return Range<Value>(*this, AsNode(node_).Size());
  WrongType("array");
  return Range<Value>(*this, 0);
}

Range<Member> Value::Members() const {
  if (Is(Kind::kObject)) return Range<Member>(*this, AsNode(node_).MemberCount());
  WrongType("object");
  return Range<Member>(*this, 0);
}

template <>
Value Range<Value>::operator[](size_t index) const {
  const Node& item = AsNode(whole_.node_)[static_cast<rapidjson::SizeType>(index)];
  return Value(&item, whole_.context_->NewStep({.parent = whole_.step_, .index = index}),
               whole_.context_);
}

template <>
Member Range<Member>::operator[](size_t index) const {
  const auto& member = AsNode(whole_.node_).MemberBegin()[static_cast<ptrdiff_t>(index)];
  const absl::string_view key = AsView(member.name);
  return {key, Value(&member.value, whole_.context_->NewStep({.parent = whole_.step_, .key = key}),
                     whole_.context_)};
}

std::string Value::Path() const {
  std::vector<const Step*> steps;
  for (const Step* step = step_; step->parent != nullptr; step = step->parent) {
    steps.push_back(step);
  }
  std::string path;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const absl::string_view key = (*step)->key;
    if (key.data() == nullptr) {
      absl::StrAppend(&path, "[", (*step)->index, "]");
    } else if (IsPlainName(key)) {
      absl::StrAppend(&path, path.empty() ? "" : ".", key);
    } else {
      absl::StrAppend(&path, "[", absl::Utf8SafeCEscape(key), "]");
    }
  }
  return path;
}

void Value::AddIssue(absl::string_view message) const {
  if (step_->muted || context_->issues == nullptr) return;
  context_->issues->Add(Path(), message);
}

bool Value::Missing() const {
  if (present()) return false;
  AddIssue("missing");
  return true;
}

void Value::WrongType(absl::string_view wanted) const {
  if (!present() || !context_->reported.insert(node_).second) return;
  AddIssue(absl::StrCat("want ", wanted, ", got ", KindName(kind())));
}

Value Value::Muted() const {
  Step step = *step_;
  step.muted = true;
  return Value(nullptr, context_->NewStep(step), context_);
}

std::string Value::ToJson() const {
  if (node_ == nullptr) return "null";
  std::string text;
  Writer writer(&text);
  Write(AsNode(node_), &writer);
  return text;
}

}  // namespace podferry::json
