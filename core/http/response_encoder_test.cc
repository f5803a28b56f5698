#include "core/http/response_encoder.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry::http_internal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ResponseEncoderTest, WritesHeads) {
  const struct {
    int status;
    ResponseFraming framing;
    const char* text;
  } kCases[] = {
      {200,
       {.content_length = 5},
       "HTTP/1.1 200 OK\r\nDate: D\r\nA: b\r\nContent-Length: 5\r\n\r\n"},
      {404,
       {.keep_alive = false, .content_length = 0},
       "HTTP/1.1 404 Not Found\r\nDate: D\r\nA: b\r\nContent-Length: 0\r\nConnection: "
       "close\r\n\r\n"},
      {200,
       {.chunked = true},
       "HTTP/1.1 200 OK\r\nDate: D\r\nA: b\r\nTransfer-Encoding: chunked\r\n\r\n"},
      {200,
       {.http11 = false, .content_length = 1},
       "HTTP/1.1 200 OK\r\nDate: D\r\nA: b\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\n"},
      {204,
       {.content_length = absl::nullopt},
       "HTTP/1.1 204 No Content\r\nDate: D\r\nA: b\r\n\r\n"},
  };
  for (const auto& test : kCases) {
    std::string out;
    EncodeResponseHead(test.status, {{"A", "b"}}, test.framing, "D", &out);
    EXPECT_EQ(out, test.text);
  }
}

TEST(ResponseEncoderTest, LeavesOutWhatItMustNotSend) {
  std::string out;
  EncodeResponseHead(200,
                     {{"content-length", "9"},
                      {"Transfer-Encoding", "gzip"},
                      {"CONNECTION", "close"},
                      {"Bad\r\nName", "x"},
                      {"Bad Name", "x"},
                      {"", "x"},
                      {"X-Value", "a\nb"},
                      {"X-Zero", std::string("a\0b", 3)},
                      {"X-Good", "a b"}},
                     {.content_length = 0}, "D", &out);
  EXPECT_EQ(out, "HTTP/1.1 200 OK\r\nDate: D\r\nX-Good: a b\r\nContent-Length: 0\r\n\r\n");
}

TEST(ResponseEncoderTest, WritesRequestHeads) {
  std::string out;
  EncodeRequestHead({.method = "GET", .path = "/a", .query = "b=c", .headers = {{"X", "y"}}}, "h:1",
                    &out);
  EXPECT_EQ(out, "GET /a?b=c HTTP/1.1\r\nHost: h:1\r\nX: y\r\n\r\n");
  out.clear();
  EncodeRequestHead({.method = "POST", .headers = {{"host", "own"}}}, "h:1", &out);
  EXPECT_EQ(out, "POST / HTTP/1.1\r\nhost: own\r\nContent-Length: 0\r\n\r\n");
  out.clear();
  EncodeRequestHead({.method = "GET", .body = "[]"}, "h", &out);
  EXPECT_EQ(out, "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n");
}

TEST(ResponseEncoderTest, FramesChunksAndNeverEndsABodyByAccident) {
  std::string out;
  EncodeChunk("", &out);
  EXPECT_EQ(out, "");
  EncodeChunk(std::string(255, 'x'), &out);
  EXPECT_EQ(out, "ff\r\n" + std::string(255, 'x') + "\r\n");
}

TEST(ResponseEncoderTest, KnowsStatusesWithoutABody) {
  for (const int status : {100, 101, 204, 304}) EXPECT_FALSE(StatusHasBody(status));
  for (const int status : {200, 201, 206, 302, 404, 500}) EXPECT_TRUE(StatusHasBody(status));
}

TEST(ResponseEncoderTest, FormatsTheDateAsHttpWants) {
  HttpDate date;
  EXPECT_EQ(date.At(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(date.At(784111778), "Sun, 06 Nov 1994 08:49:38 GMT");
}

}  // namespace
}  // namespace podferry::http_internal
