#include "core/json/testing/json_mutator.h"

#include <set>
#include <string>

#include "core/json/document.h"
#include "gtest/gtest.h"

namespace podferry::json {
namespace {

constexpr absl::string_view kText =
    R"( {"a": [1, {"b": null}, "x\"y", []], "c" : {}, "d":-1.5e3, "e":"\u00e9"} )";

TEST(JsonMutatorTest, WhatComesOutIsJsonAgainAndMostOfTheTimeAnother) {
  std::string text(kText);
  std::set<std::string> seen;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const std::string changed = MutateJson(text, {R"("new":[{"deep":true}])"}, seed);
    ASSERT_TRUE(Document::Parse(changed).ok()) << text << "\n" << changed;
    seen.insert(changed);
    text = seed % 20 == 0 || changed.size() > 2000 ? std::string(kText) : changed;
  }
  EXPECT_GT(seen.size(), 1000u);
}

TEST(JsonMutatorTest, AddsTheMembersItWasGiven) {
  std::set<std::string> seen;
  for (uint64_t seed = 0; seed < 100; ++seed) seen.insert(MutateJson("{}", {R"("k":1)"}, seed));
  EXPECT_EQ(seen.count(R"({"k":1})"), 1u);
}

TEST(JsonMutatorTest, LeavesWhatIsNoJsonAlone) {
  for (const absl::string_view text : {"", "{", "[1,]", "{\"a\"}", "\"", "\"\\", "[1] 2", "}"}) {
    EXPECT_EQ(MutateJson(text, {}, 1), "") << text;
  }
}

TEST(JsonMutatorTest, TheSameSeedMakesTheSameChange) {
  EXPECT_EQ(MutateJson(kText, {}, 7), MutateJson(kText, {}, 7));
}

}  // namespace
}  // namespace podferry::json
