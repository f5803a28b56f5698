// ToToml, GenerateBuildConfig and BuildConfigReference.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "core/pool/build_config_keys.h"
#include "core/pool/build_config_toml.h"

namespace podferry {
namespace {

constexpr size_t kCommentColumns = 98;

std::string Quoted(absl::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) {
          absl::StrAppendFormat(&out, "\\u%04X", static_cast<unsigned char>(c));
        } else {
          out += c;
        }
    }
  }
  return out + "\"";
}

std::string KeyText(absl::string_view key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return absl::ascii_isalnum(c) || c == '_' || c == '-';
  });
  return bare ? std::string(key) : Quoted(key);
}

std::string TableText(const StringMap& map) {
  if (map.empty()) return "{}";
  return absl::StrCat("{ ",
                      absl::StrJoin(map, ", ",
                                    [](std::string* out, const auto& entry) {
                                      absl::StrAppend(out, KeyText(entry.first), " = ",
                                                      Quoted(entry.second));
                                    }),
                      " }");
}

// A field as TOML; nothing for one that is not set.
struct ValueText {
  std::optional<std::string> operator()(const bool* field) const {
    return *field ? "true" : "false";
  }
  std::optional<std::string> operator()(const int64_t* field) const { return absl::StrCat(*field); }
  std::optional<std::string> operator()(const std::optional<int64_t>* field) const {
    if (!field->has_value()) return std::nullopt;
    return absl::StrCat(**field);
  }
  std::optional<std::string> operator()(const std::string* field) const { return Quoted(*field); }
  std::optional<std::string> operator()(const std::vector<std::string>* field) const {
    return absl::StrCat(
        "[",
        absl::StrJoin(*field, ", ",
                      [](std::string* out, const auto& text) { out->append(Quoted(text)); }),
        "]");
  }
  std::optional<std::string> operator()(const StringMap* field) const { return TableText(*field); }
  std::optional<std::string> operator()(const QuantityMap& field) const {
    return TableText(*field.map);
  }
  std::optional<std::string> operator()(const EnumField& field) const {
    return Quoted(field.words[field.get(field.member)]);
  }
};

template <typename Struct>
std::optional<std::string> TextOf(const ConfigKey<Struct>& key, const Struct& value) {
  // Fields are named by pointers that can be written through; this only reads.
  return std::visit(ValueText(), key.field(const_cast<Struct&>(value)));
}

template <typename Struct>
void AppendKeys(const std::vector<ConfigKey<Struct>>& keys, const Struct& value, std::string& out) {
  for (const ConfigKey<Struct>& key : keys) {
    if (const auto text = TextOf(key, value)) absl::StrAppend(&out, key.name, " = ", *text, "\n");
  }
}

void AppendOpen(const StringMap& map, std::string& out) {
  for (const auto& [name, text] : map) {
    absl::StrAppend(&out, KeyText(name), " = ", Quoted(text), "\n");
  }
}

// What a key takes, in words: for the reference and for choices.
template <typename Struct>
std::string Meaning(const ConfigKey<Struct>& key) {
  Struct scratch;
  std::string text(key.meaning);
  const ConfigField field = key.field(scratch);
  if (const auto* words = std::get_if<EnumField>(&field)) {
    absl::StrAppend(&text, " One of: ", absl::StrJoin(words->words, ", "), ".");
  }
  return text;
}

void AppendComment(absl::string_view text, std::string& out) {
  std::string line = "#";
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    if (line.size() + 1 + word.size() > kCommentColumns) {
      absl::StrAppend(&out, line, "\n");
      line = "#";
    }
    absl::StrAppend(&line, " ", word);
  }
  absl::StrAppend(&out, line, "\n");
}

template <typename Struct>
void AppendDocumentedKeys(const std::vector<ConfigKey<Struct>>& keys, absl::string_view prefix,
                          std::string& out) {
  const Struct defaults{};
  for (const ConfigKey<Struct>& key : keys) {
    std::string meaning = Meaning(key);
    if (!key.environment.empty()) {
      absl::StrAppend(&meaning, " Environment: ", key.environment, ".");
    }
    AppendComment(meaning, out);
    const auto value = TextOf(key, defaults);
    absl::StrAppend(&out, value.has_value() ? prefix : "# ", key.name, " = ", value.value_or("..."),
                    "\n");
  }
}

std::string Cell(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"|", "\\|"}, {"\n", " "}});
}

template <typename Struct>
void AppendRows(const std::vector<ConfigKey<Struct>>& keys, std::string& out) {
  out += "| key | default | environment | meaning |\n| --- | --- | --- | --- |\n";
  const Struct defaults{};
  for (const ConfigKey<Struct>& key : keys) {
    const auto value = TextOf(key, defaults);
    absl::StrAppend(&out, "| `", key.name, "` | ",
                    value.has_value() ? absl::StrCat("`", Cell(*value), "`") : "", " | ",
                    key.environment.empty() ? "" : absl::StrCat("`", key.environment, "`"), " | ",
                    Cell(Meaning(key)), " |\n");
  }
}

}  // namespace

std::string ToToml(const BuildConfig& config) {
  std::string out;
  BuildConfig& fields = const_cast<BuildConfig&>(config);  // read only, as in TextOf
  for (const ConfigSection& section : BuildConfigSections()) {
    absl::StrAppend(&out, out.empty() ? "" : "\n", "[", section.name, "]\n");
    AppendKeys(section.keys, config, out);
    if (section.open != nullptr) AppendOpen(*section.open(fields), out);
    if (section.flavors == nullptr) continue;
    for (const SlurmFlavor& flavor : *section.flavors(fields)) {
      absl::StrAppend(&out, "\n[[", section.name, ".", kFlavorsKey, "]]\n");
      AppendKeys(SlurmFlavorKeys(), flavor, out);
    }
  }
  return out;
}

std::string GenerateBuildConfig() {
  std::string out;
  AppendComment(
      "podferry BuildConfig: how this pool runs its jobs. Every key is here with its default; keys "
      "that have none are commented out. Delete what you do not change.",
      out);
  for (const ConfigSection& section : BuildConfigSections()) {
    out += "\n\n";
    AppendComment(section.meaning, out);
    absl::StrAppend(&out, "[", section.name, "]\n");
    AppendDocumentedKeys(section.keys, "", out);
    if (section.open != nullptr) {
      out += "# cpu = 64\n# memory = \"256Gi\"\n# pods = 100\n# gpus = 2\n";
    }
    if (section.flavors == nullptr) continue;
    out += "\n";
    AppendComment("Flavors are tried in order; the first whose limits the pod fits wins.", out);
    absl::StrAppend(&out, "# [[", section.name, ".", kFlavorsKey, "]]\n");
    AppendDocumentedKeys(SlurmFlavorKeys(), "# ", out);
  }
  return out;
}

std::string BuildConfigReference() {
  std::string out =
      "# BuildConfig\n\n"
      "How a pool runs its jobs: one TOML file per pool, read by its submitters (`--build-config`, "
      "else\n`/etc/interlink/build.conf`) and published by them without its secrets. A pool "
      "without "
      "a file\nruns pods as `kind = \"host\"` does. The environment stands in for keys that the "
      "file "
      "does not\nhave; lists are separated by colons there. Files of the Python original load, and "
      "mean the same.\n\n"
      "* `podferry config generate` (or `submitter --generate-config`) prints a commented default "
      "file.\n"
      "* `podferry config check FILE` says everything that is wrong with one: key, line, value, "
      "and "
      "what is\n  allowed. An unknown key is a warning that names the nearest known one; with "
      "`--strict`, here and\n  for the submitter, it is an error.\n"
      "* An edited file is published within a second, however it was edited: written over, "
      "replaced "
      "by\n  another, or swapped with its folder as Kubernetes does with a ConfigMap. Jobs that "
      "were "
      "sent before\n  stay as they are.\n"
      "* A broken edit changes nothing: the last good file stays in use. The submitter's log says "
      "what is\n  wrong, and so do its `/healthz` and the metric "
      "`podferry_submitter_build_config_refused`.\n\n"
      "This page is made from the table of keys in `core/pool`, and a test keeps it so.\n";
  for (const ConfigSection& section : BuildConfigSections()) {
    absl::StrAppend(&out, "\n## `[", section.name, "]`\n\n", section.meaning, "\n");
    if (!section.keys.empty()) {
      out += "\n";
      AppendRows(section.keys, out);
    }
    if (section.flavors == nullptr) continue;
    absl::StrAppend(&out, "\n### `[[", section.name, ".", kFlavorsKey,
                    "]]`\n\nFlavors are tried in order; the first whose limits the pod fits "
                    "wins.\n\n");
    AppendRows(SlurmFlavorKeys(), out);
  }
  return out;
}

}  // namespace podferry
