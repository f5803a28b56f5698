// The one table of BuildConfig's keys: name, field, meaning, environment variable. Reading,
// writing, the default file and the reference document all walk it, so that they cannot diverge. To
// add a key, add the member to build_config.h or backend_options.h and a line here. Immutable; any
// thread.

#ifndef PODFERRY_CORE_POOL_BUILD_CONFIG_KEYS_H_
#define PODFERRY_CORE_POOL_BUILD_CONFIG_KEYS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/pool/build_config.h"

namespace podferry {

// A member that is one of a few words.
struct EnumField {
  absl::Span<const absl::string_view> words;  // in the order of the enum's values
  void* member;
  size_t (*get)(const void* member);
  void (*set)(void* member, size_t word);
};

// A member of a struct, as what TOML can hold. Quantity maps take numbers as well as strings.
struct QuantityMap {
  StringMap* map;
};
using ConfigField = std::variant<bool*, int64_t*, std::optional<int64_t>*, std::string*,
                                 std::vector<std::string>*, StringMap*, QuantityMap, EnumField>;

template <typename Struct>
struct ConfigKey {
  absl::string_view name;
  ConfigField (*field)(Struct&);
  absl::string_view meaning;
  absl::string_view environment = "";  // lists are separated by colons there
  int64_t least = 0;                   // of a number
  bool secret = false;                 // its value is never quoted
};

struct ConfigSection {
  absl::string_view name;
  absl::string_view meaning;
  std::vector<ConfigKey<BuildConfig>> keys;
  // Any name is a key of such a section: [resources].
  StringMap* (*open)(BuildConfig&) = nullptr;
  // Has a list of tables: [[slurm.flavors]].
  std::vector<SlurmFlavor>* (*flavors)(BuildConfig&) = nullptr;
};

inline constexpr absl::string_view kFlavorsKey = "flavors";

// In the order of the file.
const std::vector<ConfigSection>& BuildConfigSections();

// The keys of one [[slurm.flavors]].
const std::vector<ConfigKey<SlurmFlavor>>& SlurmFlavorKeys();

// Parts of BuildConfigSections, in files of their own.
std::vector<ConfigSection> RuntimeSections();
std::vector<ConfigSection> BackendSections();

// The words of an enum, in the order of its values.
template <typename Enum>
absl::Span<const absl::string_view> WordsOf();

template <typename Member>
ConfigField FieldOf(Member& member) {
  if constexpr (std::is_enum_v<Member>) {
    return EnumField{
        WordsOf<Member>(), &member,
        [](const void* at) { return static_cast<size_t>(*static_cast<const Member*>(at)); },
        [](void* at, size_t word) { *static_cast<Member*>(at) = static_cast<Member>(word); }};
  } else {
    return &member;
  }
}

// The field of a key: SectionField<&BuildConfig::slurm, &SlurmOptions::qos>.
template <auto section, auto member>
ConfigField SectionField(BuildConfig& config) {
  return FieldOf(config.*section.*member);
}

}  // namespace podferry

#endif  // PODFERRY_CORE_POOL_BUILD_CONFIG_KEYS_H_
