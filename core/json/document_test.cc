#include "core/json/document.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry::json {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string Nested(int depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(DocumentTest, TakesEveryKindOfRoot) {
  for (const char* text :
       {"{}", "[]", "\"\"", "1", "-0.5e3", "true", "false", "null", " \n[ ] \t"}) {
    EXPECT_THAT(Document::Parse(text), IsOk()) << text;
  }
}

TEST(DocumentTest, SaysWhereAndWhyATextIsMalformed) {
  struct Case {
    std::string text;
    std::string error;
  };
  const std::vector<Case> cases = {
      {"", "line 1, column 1 (offset 0): the document is empty"},
      {"  ", "line 1, column 3 (offset 2): the document is empty"},
      {"{\n  \"a\": 1,\n  \"b\": oops\n}", "line 3, column 8 (offset 19): want a value"},
      {"{\"a\": 1} x", "line 1, column 10 (offset 9): more text after the document's end"},
      {"{a: 1}", "line 1, column 2 (offset 1): want a member's name in quotes"},
      {"{\"a\" 1}", "want ':' after a member's name"},
      {"{\"a\": 1", "want ',' or '}' after a member"},
      {"{\"a\": 1,}", "want a member's name in quotes"},
      {"[1 2]", "want ',' or ']' after an element"},
      {"[1,]", "want a value"},
      {"\"a", "a string does not end"},
      {"\"a\nb\"", "unknown escape or unescaped control character in a string"},
      {"\"\\q\"", "unknown escape or unescaped control character in a string"},
      {"\"\\u12g4\"", "want four hexadecimal digits after \\u"},
      {"\"\\ud800x\"", "half a surrogate pair"},
      {"\"\\udc00\"", "half a surrogate pair"},
      {"{\"\\uDFFF\": 1}", "half a surrogate pair"},
      {"1e999", "number too large"},
      {"3E308", "number too large"},
      {"[-3E308]", "number too large"},
      {"1.", "want digits after '.'"},
      {"1e", "want digits in the exponent"},
      {"01", "more text after the document's end"},
      {"NaN", "want a value"},
      {"// no comments\n1", "want a value"},
      {"[1, \"\xff\"]", "line 1, column 6 (offset 5): not valid UTF-8"},
      {"\xef\xbb\xbf{}", "want a value"},
      {std::string("[1]\0[2]", 7), "line 1, column 4 (offset 3): NUL byte"},
      {std::string("\"a\0b\"", 5), "NUL byte"},
  };
  for (const Case& test : cases) {
    EXPECT_THAT(Document::Parse(test.text),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(test.error)))
        << test.text;
  }
}

TEST(DocumentTest, AnErrorNeverQuotesValues) {
  EXPECT_THAT(Document::Parse("{\"password\": \"hunter2\" oops}").status().message(),
              Not(HasSubstr("hunter2")));
}

TEST(DocumentTest, ADeeplyNestedBombIsRefusedAtItsDepth) {
  EXPECT_THAT(Document::Parse(Nested(64)), IsOk());
  EXPECT_THAT(Document::Parse(Nested(65)),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("nested more than 64 deep")));
  EXPECT_THAT(Document::Parse(std::string(10'000'000, '[')),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("nested more than 64 deep")));
  std::string objects;
  for (int i = 0; i < 1'000'000; ++i) objects += "{\"a\":";
  EXPECT_THAT(Document::Parse(objects),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("nested more than 64 deep")));
  EXPECT_THAT(Document::Parse(Nested(65), {.max_depth = 65}), IsOk());
}

TEST(DocumentTest, ManySiblingsAreNotDeep) {
  std::string text = "[";
  for (int i = 0; i < 1000; ++i) text += "[[{}]],";
  EXPECT_THAT(Document::Parse(text + "1]"), IsOk());
}

TEST(DocumentTest, ATextThatIsTooLongIsRefusedUnread) {
  EXPECT_THAT(Document::Parse("[1,2,3]", {.max_bytes = 7}), IsOk());
  EXPECT_THAT(
      Document::Parse("[1,2,3", {.max_bytes = 5}),
      StatusIs(absl::StatusCode::kResourceExhausted, "JSON of 6 bytes, at most 5 are taken"));
}

TEST(DocumentTest, ANameTwiceInOneObjectIsRefused) {
  EXPECT_THAT(Document::Parse("{\"a\": {\"b\": 1}, \"c\": {\"b\": 1}}"), IsOk());
  EXPECT_THAT(Document::Parse("[{\"uid\": 1, \"b\": {\"uid\": 3}, \"uid\": 2}]"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("an object has the name \"uid\" twice")));
  std::string many = "{";
  for (int i = 0; i < 10'000; ++i) absl::StrAppend(&many, "\"k", i, "\":1,");
  EXPECT_THAT(Document::Parse(many + "\"z\":1}"), IsOk());
  EXPECT_THAT(Document::Parse(many + "\"k77\":1}"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("\"k77\" twice")));
  EXPECT_THAT(Document::Parse("{\"a\": 1, \"\\u0061\": 2}"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("\"a\" twice")));
}

// RapidJSON's exact conversion of numbers reads outside of its table for some of these.
TEST(DocumentTest, NumbersOfAnySizeAreReadSafelyAndExactly) {
  struct Case {
    const char* text;
    double value;
  };
  for (const Case& test : std::vector<Case>{
           {"11111.131113e-3333311", 0},
           {"1e-2147483648", 0},
           {"1e-99999999999999999999", 0},
           {"-1E-324", -0.0},
           {"4.9406564584124654e-324", 4.9406564584124654e-324},
           {"2.2250738585072011e-308", 2.2250738585072011e-308},
           {"1.7976931348623157e308", 1.7976931348623157e308},
           {"9007199254740993", 9007199254740992},
           {"0.1", 0.1},
           {"123456789012345678901234567890", 1.2345678901234568e29},
       }) {
    PODFERRY_ASSERT_OK_AND_ASSIGN(const Document document, Document::Parse(test.text));
    EXPECT_EQ(document.Root(nullptr).Double(), test.value) << test.text;
  }
}

TEST(DocumentTest, AMovedDocumentKeepsItsValues) {
  PODFERRY_ASSERT_OK_AND_ASSIGN(Document first, Document::Parse("{\"a\": \"x\"}"));
  const Value root = first.Root(nullptr);
  const Document second = std::move(first);
  EXPECT_EQ(root.Get("a").String(), "x");
  EXPECT_EQ(second.Root(nullptr).Get("a").String(), "x");
}

TEST(DocumentTest, EveryCutOfADocumentIsAnErrorAndNoCrash) {
  const std::string text =
      "{\"a\": [1, -2.5e3, \"\\u00e9\\ud83d\\ude00\\n\", {\"b\": null}], \"c\": [true, false]}";
  EXPECT_THAT(Document::Parse(text), IsOk());
  for (size_t length = 0; length < text.size(); ++length) {
    EXPECT_THAT(Document::Parse(text.substr(0, length)),
                StatusIs(absl::StatusCode::kInvalidArgument, StartsWith("line 1, column ")));
  }
}

}  // namespace
}  // namespace podferry::json
