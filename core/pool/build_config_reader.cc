// ReadBuildConfig. toml++ is seen here and in toml_value_reader only.

#include <toml++/toml.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/base/excerpt.h"
#include "core/json/utf8.h"
#include "core/pool/build_config_check.h"
#include "core/pool/build_config_keys.h"
#include "core/pool/build_config_toml.h"
#include "core/pool/edit_distance.h"
#include "core/pool/toml_value_reader.h"

namespace podferry {
namespace {

// toml++ has std::string_view, we have Abseil's.
absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

// One value of the environment into one field. Returns what it should have been, "" if it fits.
struct EnvironmentReader {
  const std::string& value;
  int64_t least;

  std::string operator()(bool* field) const {
    const std::optional<bool> read = SpeltBool(value);
    if (!read.has_value()) return "true or false";
    *field = *read;
    return "";
  }
  std::string operator()(int64_t* field) const {
    const std::optional<int64_t> read = SpeltInt(value);
    if (!read.has_value() || *read < least) return absl::StrCat("an integer from ", least);
    *field = *read;
    return "";
  }
  std::string operator()(std::optional<int64_t>* field) const { return (*this)(&field->emplace()); }
  std::string operator()(std::string* field) const {
    *field = value;
    return "";
  }
  std::string operator()(std::vector<std::string>* field) const {
    *field = absl::StrSplit(value, ':', absl::SkipEmpty());
    return "";
  }
  std::string operator()(StringMap*) const { return "nothing"; }
  std::string operator()(const QuantityMap&) const { return "nothing"; }
  std::string operator()(const EnumField& field) const {
    for (size_t i = 0; i < field.words.size(); ++i) {
      if (field.words[i] != value) continue;
      field.set(field.member, i);
      return "";
    }
    return absl::StrCat("one of ", absl::StrJoin(field.words, ", "));
  }
};

class ConfigReader {
 public:
  explicit ConfigReader(BuildConfigReading& reading) : reading_(reading) {}

  void ReadEnvironment(const EnvironmentLookup& environment) {
    for (const ConfigSection& section : BuildConfigSections()) {
      for (const ConfigKey<BuildConfig>& key : section.keys) {
        if (key.environment.empty()) continue;
        const auto value = environment(std::string(key.environment));
        if (!value.has_value() || value->empty()) continue;
        const std::string wanted =
            json::IsValidUtf8(*value)
                ? std::visit(EnvironmentReader{*value, key.least}, key.field(reading_.config))
                : "UTF-8";
        if (wanted.empty()) continue;
        reading_.errors.Add(
            JoinFieldPath(section.name, key.name),
            absl::StrCat("the environment variable ", key.environment, ": want ", wanted,
                         key.secret ? "" : ", got " + QuotedExcerpt(*value)));
      }
    }
  }

  void ReadFile(const toml::table& root) {
    for (const auto& [name, node] : root) {
      const ConfigSection* section = FindSection(View(name.str()));
      if (section == nullptr) {
        Unknown(name, "", "section", SectionNames());
      } else if (const toml::table* table = node.as_table()) {
        ReadSection(*section, *table);
      } else {
        reading_.errors.Add(View(name.str()),
                            absl::StrCat(TomlPosition(node.source().begin), "want a table ([",
                                         View(name.str()), "]), got ", TomlTypeName(node)));
      }
    }
  }

 private:
  static const ConfigSection* FindSection(absl::string_view name) {
    for (const ConfigSection& section : BuildConfigSections()) {
      if (section.name == name) return &section;
    }
    return nullptr;
  }

  static std::vector<absl::string_view> SectionNames() {
    std::vector<absl::string_view> names;
    for (const ConfigSection& section : BuildConfigSections()) names.push_back(section.name);
    return names;
  }

  void ReadSection(const ConfigSection& section, const toml::table& table) {
    if (section.open != nullptr) {
      TomlValueReader(table, std::string(section.name), 0, false,
                      &reading_.errors)(QuantityMap{section.open(reading_.config)});
      return;
    }
    ReadTable(table, section.keys, reading_.config, section.name, [&](const toml::key& key) {
      if (section.flavors == nullptr || View(key.str()) != kFlavorsKey) return false;
      ReadFlavors(*table.get(key.str()), JoinFieldPath(section.name, kFlavorsKey),
                  *section.flavors(reading_.config));
      return true;
    });
  }

  void ReadFlavors(const toml::node& node, const std::string& path,
                   std::vector<SlurmFlavor>& flavors) {
    const toml::array* list = node.as_array();
    if (list == nullptr || !list->is_array_of_tables()) {
      reading_.errors.Add(path, absl::StrCat(TomlPosition(node.source().begin), "want tables ([[",
                                             path, "]]), got ", TomlTypeName(node)));
      return;
    }
    for (size_t i = 0; i < list->size(); ++i) {
      ReadTable(*list->at(i).as_table(), SlurmFlavorKeys(), flavors.emplace_back(),
                absl::StrCat(path, "[", i, "]"), [](const toml::key&) { return false; });
    }
  }

  // `special` takes keys that the table of keys does not list.
  template <typename Struct, typename Special>
  void ReadTable(const toml::table& table, const std::vector<ConfigKey<Struct>>& keys,
                 Struct& target, absl::string_view path, const Special& special) {
    for (const auto& [name, node] : table) {
      const ConfigKey<Struct>* known = nullptr;
      std::vector<absl::string_view> names;
      for (const ConfigKey<Struct>& key : keys) {
        names.push_back(key.name);
        if (key.name == View(name.str())) known = &key;
      }
      if (known != nullptr) {
        std::visit(TomlValueReader(node, JoinFieldPath(path, known->name), known->least,
                                   known->secret, &reading_.errors),
                   known->field(target));
      } else if (!special(name)) {
        Unknown(name, path, "key", names);
      }
    }
  }

  void Unknown(const toml::key& name, absl::string_view parent, absl::string_view what,
               const std::vector<absl::string_view>& known) {
    const std::string home = SectionsWith(View(name.str()));
    reading_.warnings.Add(
        JoinFieldPath(parent, View(name.str())),
        absl::StrCat(TomlPosition(name.source().begin), "unknown ", what, "; ",
                     home.empty() ? absl::StrCat("the nearest known one is ",
                                                 NearestWord(View(name.str()), known))
                                  : absl::StrCat("there is a key of this name in ", home)));
  }

  // "[volumes]": a key that stands under the wrong section, or under none.
  static std::string SectionsWith(absl::string_view name) {
    std::vector<std::string> found;
    for (const ConfigSection& section : BuildConfigSections()) {
      for (const ConfigKey<BuildConfig>& key : section.keys) {
        if (key.name == name) found.push_back(absl::StrCat("[", section.name, "]"));
      }
    }
    return absl::StrJoin(found, ", ");
  }

  BuildConfigReading& reading_;
};

// Where a value stands that was found wrong once all were read: "line 3, column 8: ", or "" for one
// that is not in the file. `path` is as in issues: "slurm.flavors[0].max_resources.cpu".
std::string PositionOf(const toml::node& at, absl::string_view path) {
  if (path.empty()) return TomlPosition(at.source().begin);
  if (const toml::array* const list = at.as_array(); list != nullptr && path[0] == '[') {
    const size_t end = path.find(']');
    size_t index = 0;
    if (end == path.npos || !absl::SimpleAtoi(path.substr(1, end - 1), &index) ||
        index >= list->size()) {
      return "";
    }
    return PositionOf(list->at(index), absl::StripPrefix(path.substr(end + 1), "."));
  }
  const toml::table* const table = at.as_table();
  if (table == nullptr) return "";
  for (const auto& [name, node] : *table) {
    absl::string_view rest = path;
    if (!absl::ConsumePrefix(&rest, View(name.str()))) continue;
    if (!rest.empty() && rest[0] != '.' && rest[0] != '[') continue;
    const std::string position = PositionOf(node, absl::StripPrefix(rest, "."));
    if (!position.empty()) return position;
  }
  return "";
}

std::optional<toml::table> Parse(absl::string_view text, Issues& errors) {
  try {
    return toml::parse(std::string_view(text.data(), text.size()));
  } catch (const toml::parse_error& error) {
    errors.Add("", absl::StrCat(TomlPosition(error.source().begin), View(error.description())));
    return std::nullopt;
  }
}

}  // namespace

std::optional<std::string> ProcessEnvironment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

std::optional<std::string> NoEnvironment(const std::string&) { return std::nullopt; }

BuildConfigReading ReadBuildConfig(absl::string_view toml, const EnvironmentLookup& environment,
                                   bool strict) {
  BuildConfigReading reading;
  ConfigReader reader(reading);
  reader.ReadEnvironment(environment);
  if (const std::optional<toml::table> root = Parse(toml, reading.errors)) {
    reader.ReadFile(*root);
    Issues findings;
    CheckBuildConfig(reading.config, &findings);
    for (const Issue& finding : findings) {
      reading.errors.Add(finding.field,
                         absl::StrCat(PositionOf(*root, finding.field), finding.message));
    }
  }
  if (strict) {
    reading.errors.Merge(reading.warnings);
    reading.warnings = Issues();
  }
  return reading;
}

}  // namespace podferry
