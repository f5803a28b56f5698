// One value of a TOML file into one field of a BuildConfig. Only build_config_reader.cc uses it.

#ifndef PODFERRY_CORE_POOL_TOML_VALUE_READER_H_
#define PODFERRY_CORE_POOL_TOML_VALUE_READER_H_

#include <toml++/toml.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/base/issues.h"
#include "core/pool/build_config_keys.h"

namespace podferry {

// "line 12, column 7: "
std::string TomlPosition(const toml::source_position& position);

// "an integer", "a list", ...
absl::string_view TomlTypeName(const toml::node& node);

// true, yes, y, 1 and their opposites, in any case.
std::optional<bool> SpeltBool(absl::string_view text);
std::optional<int64_t> SpeltInt(absl::string_view text);

// Called with the alternatives of a ConfigField. What does not fit is an issue, and leaves the
// field alone. Like the original it takes "4" for 4 and "yes" for true.
class TomlValueReader {
 public:
  // `node` and `errors` must outlive it. Numbers below `least` are an issue. What is `secret` is
  // not quoted.
  TomlValueReader(const toml::node& node, std::string path, int64_t least, bool secret,
                  Issues* errors)
      : node_(node), path_(std::move(path)), least_(least), secret_(secret), errors_(*errors) {}

  void operator()(bool* field);
  void operator()(int64_t* field);
  void operator()(std::optional<int64_t>* field);
  void operator()(std::string* field);
  void operator()(std::vector<std::string>* field);
  void operator()(StringMap* field) { ReadMap(field, false); }
  void operator()(const QuantityMap& field) { ReadMap(field.map, true); }
  void operator()(const EnumField& field);

 private:
  void ReadQuantity(std::string* field);
  void ReadMap(StringMap* field, bool quantities);
  TomlValueReader For(const toml::node& part, std::string path) {
    return TomlValueReader(part, std::move(path), 0, secret_, &errors_);
  }
  // What stands there, in words: its value where that is short, else its type.
  std::string Got() const;
  void Want(absl::string_view wanted);
  void Add(absl::string_view message);

  const toml::node& node_;
  const std::string path_;
  const int64_t least_;
  const bool secret_;
  Issues& errors_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_POOL_TOML_VALUE_READER_H_
