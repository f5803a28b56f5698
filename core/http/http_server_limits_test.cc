// What an HttpServer does about clients that send too much, too slowly, or nonsense.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/base/testing/status_matchers.h"
#include "core/http/http_server.h"
#include "core/http/testing/raw_connection.h"
#include "core/os/asio_event_loop.h"
#include "core/os/testing/run_until.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// interLink keeps an idle connection for 120 s; see kDefaultHttpIdleTimeout.
static_assert(kDefaultHttpIdleTimeout > absl::Seconds(120));

constexpr absl::Duration kShort = absl::Milliseconds(100);

class HttpServerLimitsTest : public ::testing::Test {
 protected:
  void Start(HttpServerOptions options = {}) {
    options.address = {.host = "127.0.0.1"};
    auto server = HttpServer::Start(loop_, std::move(options),
                                    [this](HttpRequest request, ResponseWriter writer) {
                                      ++requests_;
                                      if (request.path == "/hold") {
                                        writers_.push_back(std::move(writer));
                                      } else {
                                        writer.Send(HttpResponse::Text(200, request.body));
                                      }
                                    });
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  RawConnection Connect() { return RawConnection(loop_, server_->address()); }
  bool AllClosed() {
    return RunUntil(loop_, [&] { return server_->connections() == 0; });
  }

  AsioEventLoop loop_;
  std::unique_ptr<HttpServer> server_;
  std::vector<ResponseWriter> writers_;
  int requests_ = 0;
};

TEST_F(HttpServerLimitsTest, AnswersMalformedRequestsInJsonAndCloses) {
  Start();
  const struct {
    std::string request;
    const char* status;
  } kCases[] = {
      {"nonsense\r\n\r\n", "HTTP/1.1 400 "},
      {std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11), "HTTP/1.1 400 "},  // TLS
      {"GET / HTTP/1.1\r\nHost: h\r\nContent-Length: x\r\n\r\n", "HTTP/1.1 400 "},
      {"POST / HTTP/1.1\r\nHost: h\r\nExpect: x\r\n\r\n", "HTTP/1.1 417 "},
      {"GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(70000, 'x') + "\r\n\r\n", "HTTP/1.1 431 "},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n", "HTTP/1.1 501 "},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.request.substr(0, 100));
    RawConnection client = Connect();
    client.Send(test.request);
    EXPECT_THAT(client.ReadToEnd(),
                AllOf(StartsWith(test.status), HasSubstr("Connection: close\r\n"),
                      HasSubstr("Content-Type: application/json\r\n"),
                      HasSubstr("\r\n\r\n{\"error\":\""), EndsWith("\"}")));
  }
  EXPECT_EQ(requests_, 0);
  EXPECT_TRUE(AllClosed());
}

TEST_F(HttpServerLimitsTest, AClientCanSendAllOfATooLargeBodyAndStillReadsThe413) {
  Start({.max_body_bytes = 1000});
  const std::string body(4 << 20, 'x');
  for (const std::string& framing :
       {absl::StrCat("Content-Length: ", body.size(), "\r\n\r\n"),
        absl::StrCat("Transfer-Encoding: chunked\r\n\r\n", absl::Hex(body.size()), "\r\n")}) {
    SCOPED_TRACE(framing);
    RawConnection client = Connect();
    ASSERT_TRUE(client.Send(absl::StrCat("POST / HTTP/1.1\r\nHost: h\r\n", framing)));
    ASSERT_TRUE(client.Send(body));
    EXPECT_THAT(client.ReadToEnd(), AllOf(StartsWith("HTTP/1.1 413 "), HasSubstr("1000 bytes")));
  }
  EXPECT_EQ(requests_, 0);
  EXPECT_TRUE(AllClosed());
}

TEST_F(HttpServerLimitsTest, The64MiBDefaultTakesABundle) {
  EXPECT_EQ(HttpServerOptions().max_body_bytes, 64u << 20);
}

TEST_F(HttpServerLimitsTest, SendsContinueToWhomWaitsForIt) {
  Start({.max_body_bytes = 10});
  RawConnection client = Connect();
  client.Send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("ab");
  EXPECT_THAT(client.ReadResponse(), AllOf(StartsWith("HTTP/1.1 200"), EndsWith("ab")));
  // Nobody is told to go on with what will be refused.
  client.Send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n");
  EXPECT_THAT(client.ReadToEnd(), StartsWith("HTTP/1.1 413 "));
}

TEST_F(HttpServerLimitsTest, ClosesAnIdleConnectionInSilence) {
  Start({.idle_timeout = kShort});
  RawConnection fresh = Connect();
  RawConnection used = Connect();
  used.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(used.ReadResponse(), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(used.ReadToEnd(), "");
  EXPECT_EQ(fresh.ReadToEnd(), "");
}

TEST_F(HttpServerLimitsTest, AnIdleConnectionOutlivesTheOtherTimeouts) {
  Start({.header_timeout = kShort, .progress_timeout = kShort});
  RawConnection idle = Connect();
  RawConnection slow = Connect();
  slow.Send("GET /");
  EXPECT_THAT(slow.ReadToEnd(), StartsWith("HTTP/1.1 408 "));  // the timeout has passed...
  idle.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");              // ...and this one lives
  EXPECT_THAT(idle.ReadResponse(), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServerLimitsTest, ASlowHeaderAnswers408HoweverItDrips) {
  Start({.header_timeout = absl::Milliseconds(100)});
  RawConnection client = Connect();
  client.Send("GET / HTTP/1.1\r\nHost: h\r\nX: ");
  ASSERT_TRUE(RunUntil(loop_, [&] {
    client.SendSome("x");
    return client.HasInput();
  }));
  EXPECT_THAT(client.ReadToEnd(), AllOf(StartsWith("HTTP/1.1 408 "), HasSubstr("header")));
}

TEST_F(HttpServerLimitsTest, ABodyThatStallsAnswers408) {
  Start({.progress_timeout = kShort});
  RawConnection client = Connect();
  client.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc");
  EXPECT_THAT(client.ReadToEnd(), AllOf(StartsWith("HTTP/1.1 408 "), HasSubstr("body")));
  EXPECT_EQ(requests_, 0);
}

TEST_F(HttpServerLimitsTest, ASlowHandlerIsNotHurried) {
  Start({.idle_timeout = kShort, .header_timeout = kShort, .progress_timeout = kShort});
  RawConnection client = Connect();
  client.Send("GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(RunUntil(loop_, [&] { return writers_.size() == 1; }));
  RawConnection other = Connect();  // its end shows that the timeouts have passed
  other.Send("GET /");
  EXPECT_THAT(other.ReadToEnd(), StartsWith("HTTP/1.1 408 "));
  writers_[0].Send(HttpResponse::Text(200, "at last"));
  EXPECT_THAT(client.ReadResponse(), EndsWith("at last"));
}

TEST_F(HttpServerLimitsTest, AClientThatDoesNotReadIsCut) {
  Start({.progress_timeout = kShort});
  RawConnection client = Connect();
  client.Send("GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(RunUntil(loop_, [&] { return writers_.size() == 1; }));
  bool gone = false;
  writers_[0].OnClientGone([&] { gone = true; });
  writers_[0].StartStream(200, {});
  while (writers_[0].buffered() == 0) writers_[0].Write(std::string(1 << 20, 'x'));
  EXPECT_TRUE(RunUntil(loop_, [&] { return gone; }));
}

TEST_F(HttpServerLimitsTest, RefusesConnectionsBeyondTheLimitWithAReason) {
  Start({.max_connections = 2});
  RawConnection first = Connect();
  RawConnection second = Connect();
  ASSERT_TRUE(RunUntil(loop_, [&] { return server_->connections() == 2; }));
  RawConnection third = Connect();
  third.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc");
  EXPECT_THAT(third.ReadToEnd(),
              AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("too many connections"),
                    HasSubstr("Retry-After: 1\r\n")));
  third.Close();
  EXPECT_EQ(requests_, 0);
  first.Close();
  ASSERT_TRUE(RunUntil(loop_, [&] { return server_->connections() == 1; }));
  RawConnection fourth = Connect();
  fourth.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(fourth.ReadResponse(), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServerLimitsTest, WhatAClientSendsAheadIsBounded) {
  Start();
  RawConnection client = Connect();
  client.Send("GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(RunUntil(loop_, [&] { return writers_.size() == 1; }));
  // The kernel's buffers fill, and then nothing more is taken.
  const std::string ahead(1 << 20, '\n');
  size_t total = 0;
  int refused = 0;
  while (refused < 10) {
    const size_t sent = client.SendSome(ahead);
    total += sent;
    refused = sent == 0 ? refused + 1 : 0;
    loop_.RunReady();
    ASSERT_LT(total, size_t{100} << 20);
  }
}

}  // namespace
}  // namespace podferry
