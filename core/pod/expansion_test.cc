#include "core/pod/expansion.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"

namespace podferry {
namespace {

std::optional<std::string> Lookup(absl::string_view name) {
  if (name == "A") return "a";
  if (name == "EMPTY") return "";
  if (name == "REF") return "$(A)";
  return std::nullopt;
}

TEST(ExpansionTest, FollowsKubernetes) {
  struct {
    const char* text;
    const char* want;
  } const kCases[] = {
      {"", ""},
      {"plain", "plain"},
      {"$(A)", "a"},
      {"x$(A)y$(A)z", "xayaz"},
      {"$(EMPTY)", ""},
      {"$(UNKNOWN)", "$(UNKNOWN)"},
      {"$$(A)", "$(A)"},
      {"$$$(A)", "$a"},
      {"$$$$(A)", "$$(A)"},
      {"$(REF)", "$(A)"},
      {"$(A", "$(A"},
      {"$A", "$A"},
      {"$", "$"},
      {"$$", "$"},
      {"a$", "a$"},
      {"$()", "$()"},
      {"$($(A))", "$($(A))"},
      {"${A}", "${A}"},
      {"$(A)$", "a$"},
  };
  for (const auto& c : kCases) EXPECT_EQ(ExpandVariables(c.text, Lookup), c.want) << c.text;
}

}  // namespace
}  // namespace podferry
