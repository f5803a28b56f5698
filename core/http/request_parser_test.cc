#include "core/http/request_parser.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry::http_internal {
namespace {

using Progress = RequestParser::Progress;

constexpr uint32_t kHeaderLimit = 1000;
constexpr uint64_t kBodyLimit = 100;

// Feeds `bytes` in portions, keeping what was not consumed, as a connection does.
Progress FeedInPortions(RequestParser& parser, absl::string_view bytes, size_t portion) {
  std::string kept;
  Progress progress;
  while (!bytes.empty()) {
    const absl::string_view next = bytes.substr(0, portion);
    bytes.remove_prefix(next.size());
    absl::StrAppend(&kept, next);
    progress = parser.Feed(kept);
    kept.erase(0, progress.consumed);
    if (progress.state != Progress::kNeedMore) break;
  }
  return progress;
}

TEST(RequestParserTest, GivesTheSameWhateverPortionsComeIn) {
  const std::string text =
      "POST /create?x=1&y HTTP/1.1\r\nHost: h\r\nX-Empty:\r\nX-Twice: a\r\nX-Twice: b\r\n"
      "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n";
  for (const size_t portion : {1, 2, 3, 5, 17, 1000}) {
    SCOPED_TRACE(portion);
    RequestParser parser(kHeaderLimit, kBodyLimit);
    ASSERT_EQ(FeedInPortions(parser, text, portion).state, Progress::kDone);
    EXPECT_TRUE(parser.keep_alive());
    EXPECT_TRUE(parser.http11());
    const HttpRequest request = parser.TakeRequest();
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.path, "/create");
    EXPECT_EQ(request.query, "x=1&y");
    EXPECT_EQ(request.headers.size(), 5u);
    EXPECT_TRUE(request.headers.Has("x-empty"));
    EXPECT_EQ(request.headers.Get("x-twice"), "a");
    EXPECT_EQ(request.body, "hello world");
  }
}

TEST(RequestParserTest, AnEmptyChunkedBodyMayComeByteByByte) {
  const std::string text =
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  for (const size_t portion : {1, 2, 3, 4, 7, 1000}) {
    SCOPED_TRACE(portion);
    RequestParser parser(kHeaderLimit, kBodyLimit);
    ASSERT_EQ(FeedInPortions(parser, text, portion).state, Progress::kDone);
    EXPECT_EQ(parser.TakeRequest().body, "");
  }
}

TEST(RequestParserTest, LeavesWhatBelongsToTheNextRequest) {
  RequestParser parser(kHeaderLimit, kBodyLimit);
  const std::string first = "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab";
  const Progress progress = parser.Feed(absl::StrCat(first, "GET /next"));
  EXPECT_EQ(progress.state, Progress::kDone);
  EXPECT_EQ(progress.consumed, first.size());
}

TEST(RequestParserTest, AnswersWhatItRefuses) {
  const std::string kHost = "Host: h\r\n";
  const struct {
    std::string text;
    int status;
  } kCases[] = {
      {"nonsense\r\n\r\n", 400},
      {"GET\r\n\r\n", 400},
      {"GET / HTTP/2.0\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n\r\n", 400},  // no Host
      {"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost : h\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n" + kHost + "no colon\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n" + kHost + "X: a\x01\r\n\r\n", 400},
      {"GET path HTTP/1.1\r\n" + kHost + "\r\n", 400},
      {"CONNECT h:1 HTTP/1.1\r\n" + kHost + "\r\n", 400},
      {"GET /\x7f HTTP/1.1\r\n" + kHost + "\r\n", 400},
      // Two ways to tell the length are how requests are smuggled.
      {"POST / HTTP/1.1\r\n" + kHost + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\n" + kHost + "Content-Length: 1, 2\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\n" + kHost + "Content-Length: -1\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\n" + kHost + "Content-Length: 1x\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\n" + kHost + "Content-Length: 99999999999999999999999\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\n" + kHost + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
       400},
      {"POST / HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n",
       400},
      {"POST / HTTP/1.1\r\n" + kHost + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501},
      {"POST / HTTP/1.1\r\n" + kHost + "Transfer-Encoding: identity\r\n\r\n", 501},
      {"POST / HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400},
      {"POST / HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n",
       400},
      {"POST / HTTP/1.1\r\n" + kHost + "Content-Length: 101\r\n\r\n", 413},
      {"POST / HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\nffff\r\n", 413},
      {"POST / HTTP/1.1\r\n" + kHost + "Expect: miracles\r\n\r\n", 417},
      {"GET /" + std::string(kHeaderLimit, 'x') + " HTTP/1.1\r\n" + kHost + "\r\n", 431},
      {"GET / HTTP/1.1\r\n" + kHost + "X: " + std::string(kHeaderLimit, 'x') + "\r\n\r\n", 431},
  };
  for (const auto& test : kCases) {
    for (const size_t portion : {1, 7, 100000}) {
      SCOPED_TRACE(absl::StrCat(test.text, " by ", portion));
      RequestParser parser(kHeaderLimit, kBodyLimit);
      const Progress progress = FeedInPortions(parser, test.text, portion);
      ASSERT_EQ(progress.state, Progress::kFailed);
      EXPECT_EQ(progress.status, test.status) << progress.message;
      EXPECT_NE(progress.message, "");
    }
  }
}

TEST(RequestParserTest, CountsManySmallFieldsTowardsTheHeaderLimit) {
  for (const size_t portion : {1, 10, 100000}) {
    RequestParser parser(kHeaderLimit, kBodyLimit);
    std::string text = "GET / HTTP/1.1\r\nHost: h\r\n";
    for (int i = 0; i < 200; ++i) absl::StrAppend(&text, "X", i, ": x\r\n");
    const Progress progress = FeedInPortions(parser, text + "\r\n", portion);
    ASSERT_EQ(progress.state, Progress::kFailed);
    EXPECT_EQ(progress.status, 431);
  }
}

TEST(RequestParserTest, BoundsChunkHeadersAndTrailers) {
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string& rest :
       {"1;" + std::string(100000, 'x'), "0\r\nX: " + std::string(100000, 'x')}) {
    RequestParser parser(kHeaderLimit, kBodyLimit);
    const Progress progress = FeedInPortions(parser, head + rest, 1000);
    ASSERT_EQ(progress.state, Progress::kFailed);
    EXPECT_EQ(progress.status, 400);
  }
}

TEST(RequestParserTest, TakesABodyUpToTheLimit) {
  RequestParser parser(kHeaderLimit, kBodyLimit);
  const std::string text = absl::StrCat("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n",
                                        std::string(kBodyLimit, 'b'));
  EXPECT_EQ(parser.Feed(text).state, Progress::kDone);
  EXPECT_EQ(parser.TakeRequest().body.size(), kBodyLimit);
}

TEST(RequestParserTest, KnowsWhoWaitsForContinue) {
  RequestParser parser(kHeaderLimit, kBodyLimit);
  EXPECT_EQ(parser
                .Feed("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\n"
                      "Content-Length: 1\r\n\r\n")
                .state,
            Progress::kNeedMore);
  EXPECT_TRUE(parser.header_done());
  EXPECT_TRUE(parser.expects_continue());
}

}  // namespace
}  // namespace podferry::http_internal
