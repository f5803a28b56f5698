#include "core/http/response_parser.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry::http_internal {
namespace {

struct Collected final : ResponseParser::Sink {
  void OnHeader(int code, HttpHeaders fields) override {
    status = code;
    headers = std::move(fields);
  }
  bool OnBody(absl::string_view bytes) override {
    absl::StrAppend(&body, bytes);
    return !stop;
  }
  int status = 0;
  HttpHeaders headers;
  std::string body;
  bool stop = false;
};

absl::Status FeedInPortions(ResponseParser& parser, absl::string_view bytes, size_t portion) {
  std::string kept;
  while (!bytes.empty() && !parser.done()) {
    const absl::string_view next = bytes.substr(0, portion);
    bytes.remove_prefix(next.size());
    absl::StrAppend(&kept, next);
    const absl::StatusOr<size_t> consumed = parser.Feed(kept);
    if (!consumed.ok()) return consumed.status();
    kept.erase(0, *consumed);
  }
  return absl::OkStatus();
}

TEST(ResponseParserTest, ReadsEveryFraming) {
  const struct {
    const char* text;
    const char* body;
    bool ends_with_connection;
  } kCases[] = {
      {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX: y\r\n\r\nabc", "abc", false},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX: "
       "y\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n",
       "abc", false},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n0\r\n\r\n", "", false},
      {"HTTP/1.0 200 OK\r\nX: y\r\n\r\nabc", "abc", true},
      {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: y\r\n\r\n", "", false},
      {"HTTP/1.1 204 No Content\r\nX: y\r\n\r\n", "", false},
  };
  for (const auto& test : kCases) {
    for (const size_t portion : {1, 2, 3, 4, 5, 1000}) {
      SCOPED_TRACE(test.text);
      Collected sink;
      ResponseParser parser(&sink, /*head=*/false, 1000);
      ASSERT_THAT(FeedInPortions(parser, test.text, portion), IsOk());
      if (test.ends_with_connection) {
        EXPECT_FALSE(parser.done());
        EXPECT_THAT(parser.FeedEnd(), IsOk());
      }
      EXPECT_TRUE(parser.done());
      EXPECT_EQ(parser.keep_alive(), !test.ends_with_connection);
      EXPECT_EQ(sink.status, parser.status());
      EXPECT_EQ(sink.headers.Get("x"), "y");
      EXPECT_EQ(sink.body, test.body);
    }
  }
}

TEST(ResponseParserTest, AHeadsAnswerHasNoBody) {
  Collected sink;
  ResponseParser parser(&sink, /*head=*/true, 1000);
  EXPECT_THAT(FeedInPortions(parser, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", 1000), IsOk());
  EXPECT_TRUE(parser.done());
}

TEST(ResponseParserTest, KeepsInterimAnswersFromTheSink) {
  Collected sink;
  ResponseParser parser(&sink, /*head=*/false, 1000);
  EXPECT_THAT(FeedInPortions(parser, "HTTP/1.1 100 Continue\r\n\r\n", 1000), IsOk());
  EXPECT_TRUE(parser.done());
  EXPECT_TRUE(parser.interim());
  EXPECT_EQ(sink.status, 0);
}

TEST(ResponseParserTest, BoundsTheAnswer) {
  const struct {
    std::string text;
    absl::StatusCode code;
  } kCases[] = {
      {"HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n", absl::StatusCode::kResourceExhausted},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n",
       absl::StatusCode::kResourceExhausted},
      {"HTTP/1.0 200 OK\r\n\r\n" + std::string(1001, 'x'), absl::StatusCode::kResourceExhausted},
      {"HTTP/1.1 200 OK\r\nX: " + std::string(100000, 'x'), absl::StatusCode::kResourceExhausted},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(100000, 'x'),
       absl::StatusCode::kDataLoss},
      {"nonsense\r\n\r\n", absl::StatusCode::kDataLoss},
      {"HTTP/1.1 abc\r\n\r\n", absl::StatusCode::kDataLoss},
  };
  for (const auto& test : kCases) {
    for (const size_t portion : {500, 1000000}) {
      SCOPED_TRACE(test.text.substr(0, 200));
      Collected sink;
      ResponseParser parser(&sink, /*head=*/false, 1000);
      EXPECT_THAT(FeedInPortions(parser, test.text, portion), StatusIs(test.code));
    }
  }
}

TEST(ResponseParserTest, WithoutALimitTakesAnyLength) {
  for (const char* text : {"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nabc",
                           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\nabc",
                           "HTTP/1.0 200 OK\r\n\r\nabc"}) {
    Collected sink;
    ResponseParser parser(&sink, /*head=*/false, std::nullopt);
    EXPECT_THAT(FeedInPortions(parser, text, 1000), IsOk());
    EXPECT_EQ(sink.body, "abc");
  }
}

TEST(ResponseParserTest, TellsAnAnswerThatWasCutOff) {
  for (const char* text : {"HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\n\r",
                           "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab",
                           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n", ""}) {
    Collected sink;
    ResponseParser parser(&sink, /*head=*/false, 1000);
    ASSERT_THAT(FeedInPortions(parser, text, 1000), IsOk());
    EXPECT_THAT(parser.FeedEnd(), StatusIs(absl::StatusCode::kDataLoss));
  }
}

TEST(ResponseParserTest, StopsWhenTheSinkHasEnough) {
  Collected sink;
  sink.stop = true;
  ResponseParser parser(&sink, /*head=*/false, std::nullopt);
  EXPECT_THAT(FeedInPortions(parser, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", 1000),
              StatusIs(absl::StatusCode::kCancelled));
}

}  // namespace
}  // namespace podferry::http_internal
