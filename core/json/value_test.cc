#include "core/json/value.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/base/issues.h"
#include "core/base/testing/status_matchers.h"
#include "core/json/document.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry::json {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

class ValueTest : public testing::Test {
 protected:
  Value Parse(const std::string& text) {
    documents_.push_back(Document::Parse(text).value());
    return documents_.back().Root(&issues_);
  }

  Issues issues_;

 private:
  std::vector<Document> documents_;
};

TEST_F(ValueTest, ReadsEveryType) {
  const Value root = Parse(
      "{\"s\": \"x\\u00e9\\n\", \"b\": true, \"i\": -5, \"d\": 1.5, \"a\": [1, 2], \"o\": {\"k\": "
      "1}, \"n\": null}");
  EXPECT_THAT(root.Get("s").String(), Optional(absl::string_view("x\xc3\xa9\n")));
  EXPECT_THAT(root.Get("b").Bool(), Optional(true));
  EXPECT_THAT(root.Get("i").Int64(), Optional(-5));
  EXPECT_THAT(root.Get("i").Int32(), Optional(-5));
  EXPECT_THAT(root.Get("d").Double(), Optional(1.5));
  EXPECT_THAT(root.Get("i").Double(), Optional(-5.0));
  EXPECT_EQ(root.Get("a").Items().size(), 2u);
  EXPECT_EQ(root.Get("a").Items()[1].Int32(), 2);
  EXPECT_EQ(root.Get("o").Get("k").Int32(), 1);
  EXPECT_THAT(issues_, IsEmpty());
}

TEST_F(ValueTest, TellsAbsentFromNull) {
  const Value root = Parse("{\"n\": null, \"s\": \"\"}");
  EXPECT_EQ(root.Get("n").kind(), Kind::kNull);
  EXPECT_EQ(root.Get("x").kind(), Kind::kAbsent);
  EXPECT_FALSE(root.Get("n").present());
  EXPECT_FALSE(root.Get("x").present());
  EXPECT_TRUE(root.Get("s").present());
}

TEST_F(ValueTest, AbsentAndNullGiveTheDefaultWithoutAnIssue) {
  const Value root = Parse("{\"n\": null}");
  for (const char* key : {"n", "x"}) {
    const Value value = root.Get(key);
    EXPECT_EQ(value.String(), std::nullopt);
    EXPECT_EQ(value.StringOr("other"), "other");
    EXPECT_TRUE(value.BoolOr(true));
    EXPECT_EQ(value.Int32Or(7), 7);
    EXPECT_EQ(value.Int64Or(7), 7);
    EXPECT_EQ(value.StringOrNumber(), std::nullopt);
    EXPECT_TRUE(value.Items().empty());
    EXPECT_TRUE(value.Members().empty());
    EXPECT_FALSE(value.Get("deeper").Get("still").present());
  }
  EXPECT_THAT(issues_, IsEmpty());
}

TEST_F(ValueTest, CollectsEveryMistakeUnderItsPath) {
  const Value root =
      Parse("{\"spec\": {\"containers\": [{\"image\": 5, \"tty\": \"yes\"}, 7, {\"ports\": {}}]}}");
  root.Get("metadata").Get("uid").RequireString();
  for (const Value container : root.Get("spec").Get("containers").Items()) {
    container.Get("name").RequireString();
    container.Get("image").StringOr("");
    container.Get("tty").BoolOr(false);
    container.Get("ports").Items();
  }
  EXPECT_THAT(issues_, ElementsAre(Issue{"metadata.uid", "missing"},
                                   Issue{"spec.containers[0].name", "missing"},
                                   Issue{"spec.containers[0].image", "want string, got number"},
                                   Issue{"spec.containers[0].tty", "want bool, got string"},
                                   Issue{"spec.containers[1]", "want object, got number"},
                                   Issue{"spec.containers[2].name", "missing"},
                                   Issue{"spec.containers[2].ports", "want array, got object"}));
}

TEST_F(ValueTest, OneMistakeIsOneIssue) {
  const Value root = Parse("{\"spec\": \"x\", \"status\": null}");
  const Value spec = root.Get("spec");
  spec.Get("containers").RequireArray();
  spec.Get("nodeName").RequireString();
  root.Get("spec").RequireObject().Get("a").Get("b").RequireInt64();
  root.Get("status").RequireObject().Get("phase").RequireString();
  root.Get("metadata").RequireObject().Get("uid").RequireString();
  root.Get("items").RequireArray().Items();
  EXPECT_THAT(issues_,
              ElementsAre(Issue{"spec", "want object, got string"}, Issue{"status", "missing"},
                          Issue{"metadata", "missing"}, Issue{"items", "missing"}));
}

TEST_F(ValueTest, IntegersHaveARangeAndNoFraction) {
  const Value root = Parse(
      "{\"max\": 9223372036854775807, \"min\": -9223372036854775808, \"over\": "
      "9223372036854775808, \"big\": 2147483648, \"fraction\": 1.5, \"one\": 1.0, \"e\": 1e3}");
  EXPECT_EQ(root.Get("max").Int64(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(root.Get("min").Int64(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(root.Get("big").Int64(), 2147483648);
  EXPECT_THAT(issues_, IsEmpty());
  EXPECT_EQ(root.Get("over").Int64(), std::nullopt);
  EXPECT_EQ(root.Get("big").Int32(), std::nullopt);
  EXPECT_EQ(root.Get("fraction").Int32(), std::nullopt);
  EXPECT_EQ(root.Get("one").Int64(), std::nullopt);
  EXPECT_EQ(root.Get("e").RequireInt32(), 0);
  EXPECT_THAT(issues_, ElementsAre(Issue{"over", "want integer, got 9223372036854775808"},
                                   Issue{"big", "want 32-bit integer, got 2147483648"},
                                   Issue{"fraction", "want 32-bit integer, got 1.5"},
                                   Issue{"one", "want integer, got 1"},
                                   Issue{"e", "want 32-bit integer, got 1000"}));
}

TEST_F(ValueTest, StringOrNumberGivesTheText) {
  const Value root = Parse("[\"100m\", 2, 0.5, 18446744073709551615, 1e30, true]");
  std::vector<std::string> texts;
  for (const Value item : root.Items()) texts.push_back(item.StringOrNumber().value_or("-"));
  EXPECT_THAT(texts, ElementsAre("100m", "2", "0.5", "18446744073709551615", "1e+30", "-"));
  EXPECT_THAT(issues_, ElementsAre(Issue{"[5]", "want string or number, got bool"}));
}

TEST_F(ValueTest, MembersComeInOrderWithTheirPaths) {
  const Value root = Parse("{\"data\": {\"b\": 1, \"a.b/c\": \"x\", \"\": 2, \"q\\n\": 3}}");
  std::vector<std::string> seen;
  for (const Member member : root.Get("data").Members()) {
    seen.push_back(std::string(member.key) + " " + member.value.Path());
  }
  EXPECT_THAT(seen, ElementsAre("b data.b", "a.b/c data[a.b/c]", " data[]", "q\n data[q\\n]"));
}

TEST_F(ValueTest, CallersAddIssuesOfTheirOwn) {
  const Value root = Parse("{\"a\": [{\"b\": \"x\"}]}");
  root.Get("a").Items()[0].Get("b").AddIssue("must be a DNS label");
  root.Get("a").Items()[0].Get("c").AddIssue("must be given with b");
  root.AddIssue("no pool");
  EXPECT_EQ(issues_.ToString(),
            "a[0].b: must be a DNS label; a[0].c: must be given with b; no pool");
}

TEST_F(ValueTest, NamesOfAbsentMembersNeedNotOutliveTheCall) {
  const Value root = Parse("{}");
  const Value absent = root.Get(std::string("a name too long for the small string buffer"));
  EXPECT_EQ(absent.Path(), "[a name too long for the small string buffer]");
}

TEST_F(ValueTest, PrintsItselfAsJson) {
  const Value root =
      Parse(" { \"a\" : [ 1, -2.50, \"\\u00e9\\\"\", null, true ], \"b\": { }, \"c\": [ ] } ");
  EXPECT_EQ(root.ToJson(), "{\"a\":[1,-2.5,\"\xc3\xa9\\\"\",null,true],\"b\":{},\"c\":[]}");
  EXPECT_EQ(root.Get("a").Items()[2].ToJson(), "\"\xc3\xa9\\\"\"");
  EXPECT_EQ(root.Get("x").ToJson(), "null");
  EXPECT_EQ(Parse("[-0E6, 1.0, 1e3]").ToJson(), "[0,1,1000]");
}

}  // namespace
}  // namespace podferry::json
