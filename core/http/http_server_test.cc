#include "core/http/http_server.h"

#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/base/testing/status_matchers.h"
#include "core/http/testing/raw_connection.h"
#include "core/http/testing/socket_folder.h"
#include "core/os/asio_event_loop.h"
#include "core/os/testing/run_until.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

ListenAddress AnyPort() { return {.host = "127.0.0.1"}; }

class HttpServerTest : public ::testing::Test {
 protected:
  void Start(HttpHandler handler, HttpServerOptions options = {.address = AnyPort()}) {
    auto server = HttpServer::Start(loop_, std::move(options), std::move(handler));
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  // Answers with what was asked.
  void StartEcho() {
    Start([this](HttpRequest request, ResponseWriter writer) {
      ++requests_;
      writer.Send(HttpResponse::Text(
          200, absl::StrCat(request.method, " ", request.path, "?", request.query, " ",
                            request.headers.Get("x-test"), "[", request.body, "]")));
    });
  }

  // Keeps every writer for the test to answer.
  void StartHolding() {
    Start([this](HttpRequest, ResponseWriter writer) {
      writer.OnClientGone([this] { ++gone_; });
      writers_.push_back(std::move(writer));
    });
  }

  RawConnection Connect() { return RawConnection(loop_, server_->address()); }
  ResponseWriter& WaitForWriter(size_t index = 0) {
    EXPECT_TRUE(RunUntil(loop_, [&] { return writers_.size() > index; }));
    return writers_.at(index);
  }

  AsioEventLoop loop_;
  std::unique_ptr<HttpServer> server_;
  std::vector<ResponseWriter> writers_;
  int requests_ = 0;
  int gone_ = 0;
};

TEST_F(HttpServerTest, AnswersAGetAndKeepsTheConnection) {
  StartEcho();
  RawConnection client = Connect();
  for (int i = 0; i < 3; ++i) {
    client.Send("GET /a%20b?x=1 HTTP/1.1\r\nHost: h\r\nX-Test: yes\r\n\r\n");
    const std::string response = client.ReadResponse();
    EXPECT_THAT(response, AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("\r\nDate: "),
                                EndsWith("\r\n\r\nGET /a%20b?x=1 yes[]")));
    EXPECT_THAT(response, Not(HasSubstr("Connection:")));
  }
  EXPECT_EQ(server_->connections(), 1u);
}

TEST_F(HttpServerTest, TakesBodiesOfEveryMethodAndFraming) {
  StartEcho();
  const struct {
    const char* request;
    const char* echo;
  } kCases[] = {
      // interLink sends its status and log queries as a GET with a body.
      {"GET /status HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n[]", "GET /status? [[]]"},
      {"GET /s HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
       "3\r\nabc\r\n2;ext=1\r\nde\r\n0\r\n\r\n",
       "GET /s? [abcde]"},
      {"POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello", "POST /p? [hello]"},
      {"POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n"
       "1\r\nx\r\n0\r\nX-Test: a trailer is no header\r\n\r\n",
       "POST /p? [x]"},
      {"DELETE /d HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", "DELETE /d? []"},
      {"GET http://proxy.example/abs?q HTTP/1.1\r\nHost: h\r\n\r\n", "GET /abs?q []"},
      {"\r\n\r\nGET /after-line-breaks HTTP/1.1\r\nHost: h\r\n\r\n", "GET /after-line-breaks? []"},
  };
  RawConnection client = Connect();
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.request);
    client.Send(test.request);
    EXPECT_THAT(client.ReadResponse(), EndsWith(absl::StrCat("\r\n\r\n", test.echo)));
  }
}

TEST_F(HttpServerTest, TakesARequestThatComesByteByByte) {
  StartEcho();
  RawConnection client = Connect();
  for (const char byte :
       std::string("POST /slow HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"
                   "GET /next HTTP/1.1\r\nHost: h\r\n\r\n")) {
    client.Send(std::string(1, byte));
    loop_.RunReady();
  }
  EXPECT_THAT(client.ReadResponse(), EndsWith("POST /slow? [abc]"));
  EXPECT_THAT(client.ReadResponse(), EndsWith("GET /next? []"));
}

TEST_F(HttpServerTest, TakesLargeBodies) {
  const std::string body(5 << 20, 'x');
  size_t got = 0;
  Start([&](HttpRequest request, ResponseWriter writer) {
    got = request.body.size();
    writer.Send(HttpResponse::Text(200, std::move(request.body)));
  });
  RawConnection client = Connect();
  client.Send(
      absl::StrCat("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: ", body.size(), "\r\n\r\n"));
  client.Send(body);
  EXPECT_THAT(client.ReadResponse().size(), ::testing::Gt(body.size()));
  EXPECT_EQ(got, body.size());
}

TEST_F(HttpServerTest, AnswersPipelinedRequestsInTheirOrder) {
  StartEcho();
  RawConnection client = Connect();
  std::string requests;
  for (int i = 0; i < 500; ++i) {
    absl::StrAppend(&requests, "POST /", i, " HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab");
  }
  client.Send(requests);
  for (int i = 0; i < 500; ++i) {
    EXPECT_THAT(client.ReadResponse(), EndsWith(absl::StrCat("POST /", i, "? [ab]")));
  }
}

TEST_F(HttpServerTest, HandlesTheNextPipelinedRequestOnlyAfterTheAnswer) {
  StartHolding();
  RawConnection client = Connect();
  client.Send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n");
  WaitForWriter();
  loop_.RunReady();
  EXPECT_EQ(writers_.size(), 1u);
  writers_[0].Send(HttpResponse::Text(200, "one"));
  EXPECT_FALSE(writers_[0].open());
  EXPECT_THAT(client.ReadResponse(), EndsWith("one"));
  WaitForWriter(1).Send(HttpResponse::Text(200, "two"));
  EXPECT_THAT(client.ReadResponse(), EndsWith("two"));
  EXPECT_EQ(gone_, 0);
}

TEST_F(HttpServerTest, ClosesWhenTheClientAsksOrSpeaksHttp10) {
  StartEcho();
  const struct {
    const char* head;
    bool kept;
  } kCases[] = {
      {"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", false},
      {"GET / HTTP/1.0\r\n\r\n", false},
      {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true},
      {"GET / HTTP/1.1\r\nHost: h\r\nConnection: keep-alive\r\n\r\n", true},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.head);
    RawConnection client = Connect();
    client.Send(test.head);
    if (test.kept) {
      EXPECT_THAT(client.ReadResponse(), Not(HasSubstr("Connection: close")));
      client.Send(test.head);
      EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 200 OK"));
    } else {
      EXPECT_THAT(client.ReadToEnd(),
                  AllOf(HasSubstr("Connection: close\r\n"), EndsWith("GET /? []")));
    }
  }
}

TEST_F(HttpServerTest, AnswersHeadWithoutABody) {
  StartEcho();
  RawConnection client = Connect();
  client.Send("HEAD /h HTTP/1.1\r\nHost: h\r\n\r\nGET /g HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("Content-Length: 11\r\n"));
  EXPECT_THAT(client.ReadResponse(), AllOf(StartsWith("HTTP/1.1 200"), EndsWith("GET /g? []")));
}

TEST_F(HttpServerTest, SendsNoBodyWhereTheStatusHasNone) {
  Start([](HttpRequest, ResponseWriter writer) { writer.Send({204, {}, "dropped"}); });
  RawConnection client = Connect();
  client.Send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.ReadToEnd(), AllOf(StartsWith("HTTP/1.1 204 No Content"), EndsWith("\r\n\r\n"),
                                        Not(HasSubstr("Content-Length"))));
}

TEST_F(HttpServerTest, StillAnswersAClientThatClosedItsSendingSide) {
  StartHolding();
  RawConnection client = Connect();
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  client.CloseSendingSide();
  WaitForWriter();
  ASSERT_TRUE(RunUntil(loop_, [&] { return gone_ == 1; }));
  EXPECT_TRUE(writers_[0].client_gone());
  writers_[0].Send(HttpResponse::Text(200, "still"));
  EXPECT_THAT(client.ReadToEnd(), EndsWith("still"));
  EXPECT_TRUE(RunUntil(loop_, [&] { return server_->connections() == 0; }));
}

TEST_F(HttpServerTest, StreamsAtOnceAndEndsWhenFinished) {
  StartHolding();
  RawConnection client = Connect();
  client.Send("GET /logs HTTP/1.1\r\nHost: h\r\n\r\n");
  ResponseWriter writer = std::move(WaitForWriter());
  writer.StartStream(200, {{"Content-Type", "text/plain"}});
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"),
              AllOf(HasSubstr("Transfer-Encoding: chunked"), Not(HasSubstr("Content-Length"))));
  writer.Write("line 1\n");
  EXPECT_EQ(client.ReadUntil("line 1\n\r\n"), "7\r\nline 1\n\r\n");
  writer.Write("");
  writer.Write(std::string(20, 'x'));
  EXPECT_EQ(client.ReadBytes(26), absl::StrCat("14\r\n", std::string(20, 'x'), "\r\n"));
  EXPECT_EQ(writer.buffered(), 0u);
  writer.Finish();
  EXPECT_EQ(client.ReadUntil("0\r\n\r\n"), "0\r\n\r\n");
  // The connection serves on.
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  WaitForWriter(1).Send(HttpResponse::Text(200, "next"));
  EXPECT_THAT(client.ReadResponse(), EndsWith("next"));
  EXPECT_EQ(gone_, 0);
}

TEST_F(HttpServerTest, StreamsUnframedToHttp10) {
  StartHolding();
  RawConnection client = Connect();
  client.Send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  ResponseWriter writer = std::move(WaitForWriter());
  writer.StartStream(200, {});
  writer.Write("abc");
  writer.Write("def");
  writer.Finish();
  EXPECT_THAT(client.ReadToEnd(),
              AllOf(HasSubstr("Connection: close"), EndsWith("\r\n\r\nabcdef")));
}

TEST_F(HttpServerTest, TellsTheHandlerOfAStreamThatTheClientHasGone) {
  StartHolding();
  const struct {
    const char* how;
    void (*go)(RawConnection&);
  } kCases[] = {
      {"closed", [](RawConnection& client) { client.Close(); }},
      {"reset", [](RawConnection& client) { client.Reset(); }},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.how);
    gone_ = 0;
    writers_.clear();
    RawConnection client = Connect();
    client.Send("GET /logs HTTP/1.1\r\nHost: h\r\n\r\n");
    WaitForWriter().StartStream(200, {});
    client.ReadUntil("\r\n\r\n");
    test.go(client);
    ASSERT_TRUE(RunUntil(loop_, [&] { return gone_ == 1; }));
    writers_[0].Write("nobody reads this");
    EXPECT_TRUE(writers_[0].client_gone());
    writers_.clear();
    EXPECT_TRUE(RunUntil(loop_, [&] { return server_->connections() == 0; }));
    EXPECT_EQ(gone_, 1);
  }
}

TEST_F(HttpServerTest, CallsBackAtOnceIfTheClientHasGoneAlready) {
  StartHolding();
  RawConnection client = Connect();
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  WaitForWriter();
  client.Reset();
  ASSERT_TRUE(RunUntil(loop_, [&] { return server_->connections() == 0 && gone_ == 1; }));
  loop_.RunReady();
  writers_[0].OnClientGone([&] { gone_ += 10; });
  EXPECT_EQ(gone_, 11);
}

TEST_F(HttpServerTest, ReportsBackPressureAndDrains) {
  StartHolding();
  RawConnection client = Connect();
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  ResponseWriter writer = std::move(WaitForWriter());
  writer.StartStream(200, {});
  const std::string chunk(1 << 20, 'x');
  size_t chunks = 0;
  while (writer.buffered() == 0 && chunks < 100) {
    writer.Write(chunk);
    ++chunks;
  }
  ASSERT_GT(writer.buffered(), 0u);
  bool drained = false;
  writer.OnDrained([&] { drained = true; });
  loop_.RunReady();
  EXPECT_FALSE(drained);
  client.ReadUntil("\r\n\r\n");
  client.ReadBytes(chunks * (chunk.size() + 10));
  ASSERT_TRUE(RunUntil(loop_, [&] { return drained; }));
  EXPECT_EQ(writer.buffered(), 0u);
  // With nothing buffered it is soon, but not within the call.
  drained = false;
  writer.OnDrained([&] { drained = true; });
  EXPECT_FALSE(drained);
  loop_.RunReady();
  EXPECT_TRUE(drained);
  writer.Finish();
  EXPECT_EQ(client.ReadUntil("0\r\n\r\n"), "0\r\n\r\n");
}

TEST_F(HttpServerTest, ADroppedWriterAnswers500) {
  Start([](HttpRequest, ResponseWriter) {});
  RawConnection client = Connect();
  client.Send("GET /x HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.ReadResponse(),
              AllOf(StartsWith("HTTP/1.1 500 Internal Server Error"), HasSubstr("{\"error\":")));
}

TEST_F(HttpServerTest, ADroppedStreamCutsTheConnection) {
  StartHolding();
  RawConnection client = Connect();
  client.Send("GET /x HTTP/1.1\r\nHost: h\r\n\r\n");
  WaitForWriter().StartStream(200, {});
  writers_[0].Write("part");
  writers_.clear();
  EXPECT_THAT(client.ReadToEnd(), EndsWith("4\r\npart\r\n"));
}

TEST_F(HttpServerTest, MisuseOfAWriterIsSurvived) {
  StartHolding();
  RawConnection client = Connect();
  client.Send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n");
  ResponseWriter writer = std::move(WaitForWriter());
  writer.Write("before the start");
  writer.Send(HttpResponse::Text(200, "ok"));
  writer.Send(HttpResponse::Text(200, "twice"));
  writer.Write("after");
  writer.Finish();
  EXPECT_THAT(client.ReadResponse(), EndsWith("ok"));
  client.Send("GET /2 HTTP/1.1\r\nHost: h\r\n\r\n");
  WaitForWriter(1).Finish();
  EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 500"));
}

TEST_F(HttpServerTest, HeadersCannotBeForged) {
  Start([](HttpRequest, ResponseWriter writer) {
    writer.Send({200, {{"X-A", "a\r\nX-B: b"}, {"Content-Length", "999"}, {"X-C", "c"}}, "body"});
  });
  RawConnection client = Connect();
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.ReadResponse(), AllOf(Not(HasSubstr("X-B")), Not(HasSubstr("999")),
                                           HasSubstr("X-C: c\r\n"), EndsWith("\r\n\r\nbody")));
}

TEST_F(HttpServerTest, ListensOnIpv6) {
  Start([](HttpRequest, ResponseWriter writer) { writer.Send({}); }, {.address = {.host = "::1"}});
  EXPECT_THAT(server_->url(), StartsWith("http://[::1]:"));
  RawConnection client = Connect();
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServerTest, ListensOnAUnixSocketAndRemovesItAtTheEnd) {
  const SocketFolder folder;
  const std::string path = folder.Path("server.sock");
  Start([](HttpRequest, ResponseWriter writer) { writer.Send({}); },
        {.address = folder.Address("server.sock")});
  EXPECT_EQ(server_->url(), absl::StrCat("unix:", path));
  RawConnection client = Connect();
  client.Send("GET / HTTP/1.1\r\nHost: unix\r\n\r\n");
  EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 200"));
  server_ = nullptr;
  struct stat info;
  EXPECT_NE(lstat(path.c_str(), &info), 0);
}

TEST_F(HttpServerTest, StopsGracefully) {
  StartHolding();
  RawConnection idle = Connect();
  RawConnection busy = Connect();
  RawConnection sending = Connect();
  busy.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  sending.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nab");
  WaitForWriter();
  ASSERT_TRUE(RunUntil(loop_, [&] { return server_->connections() == 3; }));
  loop_.RunReady();
  bool done = false;
  server_->Stop(absl::Minutes(1), [&] { done = true; });
  EXPECT_EQ(idle.ReadToEnd(), "");
  EXPECT_FALSE(done);
  writers_[0].Send(HttpResponse::Text(200, "late"));
  EXPECT_THAT(busy.ReadToEnd(), AllOf(HasSubstr("Connection: close"), EndsWith("late")));
  busy.Close();
  sending.Send("cd");
  WaitForWriter(1).Send(HttpResponse::Text(200, "too"));
  EXPECT_THAT(sending.ReadToEnd(), EndsWith("too"));
  sending.Close();
  EXPECT_TRUE(RunUntil(loop_, [&] { return done; }));
  EXPECT_EQ(server_->connections(), 0u);
}

TEST_F(HttpServerTest, CutsWhatIsNotAnsweredWithinTheGrace) {
  StartHolding();
  RawConnection client = Connect();
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  WaitForWriter();
  bool done = false;
  server_->Stop(absl::Milliseconds(20), [&] { done = true; });
  ASSERT_TRUE(RunUntil(loop_, [&] { return done; }));
  EXPECT_EQ(gone_, 1);
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST_F(HttpServerTest, StopCallsBackWithoutConnectionsToo) {
  StartEcho();
  bool done = false;
  server_->Stop(absl::Minutes(1), [&] { done = true; });
  EXPECT_FALSE(done);
  ASSERT_TRUE(RunUntil(loop_, [&] { return done; }));
}

TEST_F(HttpServerTest, MayBeDestroyedAtAnyTimeAndWritersOutliveIt) {
  StartHolding();
  RawConnection client = Connect();
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  ResponseWriter writer = std::move(WaitForWriter());
  writer.StartStream(200, {});
  server_ = nullptr;
  writer.Write("x");
  EXPECT_TRUE(writer.client_gone());
  writer.Finish();
  loop_.RunReady();
  EXPECT_EQ(gone_, 0);
}

TEST_F(HttpServerTest, MayBeDestroyedByItsHandler) {
  Start([this](HttpRequest, ResponseWriter writer) {
    server_ = nullptr;
    writer.Send({});
  });
  RawConnection client = Connect();
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST_F(HttpServerTest, RefusesAnAddressInUse) {
  StartEcho();
  const auto second =
      HttpServer::Start(loop_, {.address = server_->address()}, [](HttpRequest, ResponseWriter) {});
  EXPECT_THAT(second, StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("127.0.0.1:")));
}

}  // namespace
}  // namespace podferry
