#include "core/http/http_message.h"

#include <string>

#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::HasSubstr;

TEST(HttpHeadersTest, ComparesNamesWithoutCase) {
  HttpHeaders headers = {{"Content-Type", "a"}, {"X-One", "1"}};
  EXPECT_EQ(headers.Get("content-type"), "a");
  EXPECT_TRUE(headers.Has("CONTENT-TYPE"));
  EXPECT_EQ(headers.Get("missing"), "");
  EXPECT_FALSE(headers.Has("missing"));
}

TEST(HttpHeadersTest, SetReplacesEveryFieldOfThatNameAndAddKeepsThem) {
  HttpHeaders headers;
  headers.Add("A", "1");
  headers.Add("a", "2");
  EXPECT_EQ(headers.size(), 2u);
  EXPECT_EQ(headers.Get("A"), "1");
  headers.Set("A", "3");
  EXPECT_EQ(headers.size(), 1u);
  EXPECT_EQ(headers.Get("a"), "3");
  headers.Remove("a");
  EXPECT_TRUE(headers.empty());
}

TEST(HttpMessageTest, KnowsReasonPhrases) {
  EXPECT_EQ(HttpReasonPhrase(200), "OK");
  EXPECT_EQ(HttpReasonPhrase(100), "Continue");
  EXPECT_EQ(HttpReasonPhrase(507), "Insufficient Storage");
  EXPECT_EQ(HttpReasonPhrase(299), "Unknown");
  EXPECT_EQ(HttpReasonPhrase(999), "Unknown");
}

TEST(HttpMessageTest, DecodesPercentEncoding) {
  const struct {
    const char* encoded;
    const char* decoded;  // nullptr: an error
  } kCases[] = {
      {"", ""},
      {"plain", "plain"},
      {"a%20b", "a b"},
      {"%2F%2f", "//"},
      {"%41", "A"},
      {"a+b", "a+b"},
      {"%", nullptr},
      {"%4", nullptr},
      {"a%4", nullptr},
      {"%zz", nullptr},
      {"%4g", nullptr},
      {"%%41", nullptr},
      {"%c3%a9", "\u00e9"},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.encoded);
    if (test.decoded == nullptr) {
      EXPECT_THAT(PercentDecode(test.encoded),
                  StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("hexadecimal")));
    } else {
      EXPECT_THAT(PercentDecode(test.encoded), IsOkAndHolds(std::string(test.decoded)));
    }
  }
}

TEST(HttpMessageTest, EncodesSoThatDecodingGivesBackEveryByte) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  EXPECT_THAT(PercentDecode(PercentEncode(all)), IsOkAndHolds(all));
  EXPECT_EQ(PercentEncode("a/b c~"), "a%2Fb%20c~");
}

TEST(HttpMessageTest, FindsQueryParameters) {
  HttpRequest request;
  request.query = "a=1&b=x+y%26z&&c&a=2&bad=%4&d%3d=4=5";
  EXPECT_EQ(request.QueryParam("a"), "1");
  EXPECT_EQ(request.QueryParam("b"), "x y&z");
  EXPECT_EQ(request.QueryParam("c"), "");
  EXPECT_EQ(request.QueryParam("d="), "4=5");
  EXPECT_EQ(request.QueryParam("bad"), absl::nullopt);
  EXPECT_EQ(request.QueryParam("e"), absl::nullopt);
}

TEST(HttpMessageTest, BuildsTypedResponses) {
  EXPECT_EQ(HttpResponse::Json(201, "{}").headers.Get("Content-Type"), "application/json");
  EXPECT_EQ(HttpResponse::Text(200, "x").headers.Get("Content-Type"), "text/plain; charset=utf-8");
}

}  // namespace
}  // namespace podferry
