#include "tools/podferry/yaml_to_json.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "core/json/writer.h"
#include "yaml-cpp/yaml.h"

namespace podferry {
namespace {

bool ReadOctal(absl::string_view text, int64_t* value) {
  if (!absl::ConsumePrefix(&text, "0o") && !(text.size() > 1 && absl::ConsumePrefix(&text, "0"))) {
    return false;
  }
  if (text.empty() || text.size() > 20) return false;
  *value = 0;
  for (char digit : text) {
    if (digit < '0' || digit > '7') return false;
    *value = *value * 8 + (digit - '0');
  }
  return true;
}

// A number as YAML's core schema has it; absl's reader also takes "nan", "inf" and hex floats.
bool ReadDouble(absl::string_view text, double* value) {
  for (char c : text) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c)) && c != '.' && c != 'e' && c != 'E' &&
        c != '+' && c != '-') {
      return false;
    }
  }
  return absl::SimpleAtod(text, value) && std::isfinite(*value);
}

void WritePlain(json::Writer& json, const std::string& text) {
  int64_t integer = 0;
  double number = 0;
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") {
    json.Null();
  } else if (text == "true" || text == "True" || text == "TRUE") {
    json.Bool(true);
  } else if (text == "false" || text == "False" || text == "FALSE") {
    json.Bool(false);
  } else if (ReadOctal(text, &integer) || absl::SimpleAtoi(text, &integer)) {
    json.Int(integer);
  } else if (ReadDouble(text, &number)) {
    json.Double(number);
  } else {
    json.String(text);
  }
}

void Write(json::Writer& json, const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Map:
      json.BeginObject();
      for (const auto& member : node) {
        json.Key(member.first.Scalar());
        Write(json, member.second);
      }
      json.EndObject();
      return;
    case YAML::NodeType::Sequence:
      json.BeginArray();
      for (const auto& item : node) Write(json, item);
      json.EndArray();
      return;
    case YAML::NodeType::Scalar:
      // Tag "?": plain; "!": quoted.
      node.Tag() == "?" ? WritePlain(json, node.Scalar()) : json.String(node.Scalar());
      return;
    case YAML::NodeType::Null:
    case YAML::NodeType::Undefined:
      json.Null();
  }
}

}  // namespace

std::string YamlToJson(const YAML::Node& node) {
  std::string out;
  json::Writer json(&out);
  Write(json, node);
  return out;
}

}  // namespace podferry
