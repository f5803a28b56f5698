#include "core/http/http_client.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/testing/status_matchers.h"
#include "core/http/http_server.h"
#include "core/http/testing/raw_connection.h"
#include "core/http/testing/socket_folder.h"
#include "core/os/asio_event_loop.h"
#include "core/os/testing/run_until.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Result = std::optional<absl::StatusOr<HttpResponse>>;

class HttpClientTest : public ::testing::Test {
 protected:
  HttpClientTest() : client_(HttpClient::Create(loop_, {}).value()), server_(loop_) {}

  HttpCall Begin(HttpRequest request, HttpCallOptions options = {}, std::string url = "") {
    result_.reset();
    return client_->Send(url.empty() ? server_.url() : url, std::move(request), options,
                         [this](absl::StatusOr<HttpResponse> response) {
                           ++calls_back_;
                           result_ = std::move(response);
                         });
  }
  const absl::StatusOr<HttpResponse>& Await() {
    EXPECT_TRUE(RunUntil(loop_, [&] { return result_.has_value(); }));
    return *result_;
  }

  AsioEventLoop loop_;
  std::unique_ptr<HttpClient> client_;
  RawServer server_;
  Result result_;
  int calls_back_ = 0;
};

TEST_F(HttpClientTest, SendsTheRequestAndReadsTheAnswer) {
  Begin({.method = "POST",
         .path = "/create",
         .query = "a=b",
         .headers = {{"X-A", "b"}},
         .body = "hello"});
  EXPECT_FALSE(result_.has_value());
  RawConnection peer = server_.Accept();
  EXPECT_THAT(peer.ReadUntil("hello"),
              AllOf(StartsWith("POST /create?a=b HTTP/1.1\r\nHost: 127.0.0.1:"),
                    HasSubstr("X-A: b\r\n"), EndsWith("Content-Length: 5\r\n\r\nhello")));
  peer.Send("HTTP/1.1 201 Created\r\nX-B: c\r\nContent-Length: 2\r\n\r\nok");
  ASSERT_THAT(Await(), IsOk());
  EXPECT_EQ((*result_)->status, 201);
  EXPECT_EQ((*result_)->headers.Get("x-b"), "c");
  EXPECT_EQ((*result_)->body, "ok");
}

TEST_F(HttpClientTest, TalksToOurServerOverAUnixSocketAndKeepsTheConnection) {
  const SocketFolder folder;
  auto server = HttpServer::Start(
      loop_, {.address = folder.Address("s")}, [](HttpRequest request, ResponseWriter writer) {
        writer.Send(
            HttpResponse::Text(200, absl::StrCat(request.headers.Get("host"), " ", request.body)));
      });
  ASSERT_THAT(server, IsOk());
  for (const char* body : {"one", "two", "three"}) {
    Begin({.method = "GET", .body = body}, {}, (*server)->url());
    ASSERT_THAT(Await(), IsOk());
    EXPECT_EQ((*result_)->body, absl::StrCat("localhost ", body));
    EXPECT_EQ((*server)->connections(), 1u);
  }
}

TEST_F(HttpClientTest, ResolvesNames) {
  const std::string url = server_.url();
  Begin({}, {}, absl::StrCat("http://localhost", url.substr(url.rfind(':'))));
  RawConnection peer = server_.Accept();
  EXPECT_THAT(peer.ReadUntil("\r\n\r\n"), HasSubstr("Host: localhost:"));
  peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  EXPECT_THAT(Await(), IsOk());
}

TEST_F(HttpClientTest, ReusesAConnectionUnlessTheServerClosesIt) {
  Begin({});
  RawConnection peer = server_.Accept();
  peer.ReadUntil("\r\n\r\n");
  peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  ASSERT_THAT(Await(), IsOk());
  Begin({});
  peer.ReadUntil("\r\n\r\n");
  peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  ASSERT_THAT(Await(), IsOk());
  EXPECT_EQ(peer.ReadToEnd(), "");
  Begin({});
  RawConnection second = server_.Accept();
  second.ReadUntil("\r\n\r\n");
  second.Send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  ASSERT_THAT(Await(), IsOk());
  second.Close();
  Begin({.method = "POST"});  // it sees that the idle connection has been closed
  server_.Accept().Send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  ASSERT_THAT(Await(), IsOk());
}

TEST_F(HttpClientTest, RepeatsOnlyWhatIsSafeToRepeat) {
  const struct {
    const char* method;
    bool repeated;
  } kCases[] = {{"GET", true}, {"DELETE", true}, {"PUT", true}, {"POST", false}};
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.method);
    Begin({});
    RawConnection peer = server_.Accept();
    peer.ReadUntil("\r\n\r\n");
    peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    ASSERT_THAT(Await(), IsOk());
    // The server closes while the next request is on its way.
    Begin({.method = test.method, .body = "again"});
    EXPECT_THAT(peer.ReadUntil("again"), StartsWith(test.method));
    peer.Close();
    if (test.repeated) {
      RawConnection fresh = server_.Accept();
      EXPECT_THAT(fresh.ReadUntil("again"), AllOf(StartsWith(test.method), EndsWith("again")));
      fresh.Send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
      EXPECT_THAT(Await(), IsOk());
    } else {
      EXPECT_THAT(Await(), StatusIs(absl::StatusCode::kUnavailable));
    }
    EXPECT_FALSE(server_.HasConnection());
  }
}

TEST_F(HttpClientTest, ClosesConnectionsThatStayIdle) {
  client_ = HttpClient::Create(loop_, {.idle_timeout = absl::Milliseconds(30)}).value();
  Begin({});
  RawConnection peer = server_.Accept();
  peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  ASSERT_THAT(Await(), IsOk());
  EXPECT_THAT(peer.ReadToEnd(), StartsWith("GET / HTTP/1.1"));
}

TEST_F(HttpClientTest, SkipsInterimAnswers) {
  Begin({});
  server_.Accept().Send(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
  ASSERT_THAT(Await(), IsOk());
  EXPECT_EQ((*result_)->status, 200);
}

TEST_F(HttpClientTest, ReadsAnAnswerThatEndsWithTheConnection) {
  Begin({});
  {
    RawConnection peer = server_.Accept();
    peer.ReadUntil("\r\n\r\n");
    peer.Send("HTTP/1.0 200 OK\r\n\r\nto the end");
  }
  ASSERT_THAT(Await(), IsOk());
  EXPECT_EQ((*result_)->body, "to the end");
}

TEST_F(HttpClientTest, TakesAnAnswerThatComesBeforeTheBodyIsSent) {
  Begin({.method = "POST", .body = std::string(20 << 20, 'x')});
  RawConnection peer = server_.Accept();
  peer.ReadUntil("\r\n\r\n");
  peer.Send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n");
  ASSERT_THAT(Await(), IsOk());
  EXPECT_EQ((*result_)->status, 413);
}

TEST_F(HttpClientTest, ReportsWhatWentWrong) {
  const struct {
    const char* answer;
    absl::StatusCode code;
    const char* why;
  } kCases[] = {
      {"", absl::StatusCode::kUnavailable, "without an answer"},
      {"nonsense\r\n\r\n", absl::StatusCode::kDataLoss, "malformed"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", absl::StatusCode::kUnavailable, "within"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", absl::StatusCode::kResourceExhausted,
       "larger"},
      {"HTTP/1.1 101 Switching Protocols\r\n\r\n", absl::StatusCode::kDataLoss, "upgrade"},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.answer);
    Begin({}, {.max_response_bytes = 1000});
    RawConnection peer = server_.Accept();
    peer.ReadUntil("\r\n\r\n");
    peer.Send(test.answer);
    peer.Close();
    EXPECT_THAT(Await(), StatusIs(test.code, HasSubstr(test.why)));
  }
}

TEST_F(HttpClientTest, ReportsWhomItCannotReach) {
  std::string closed;
  {
    RawServer gone(loop_);
    closed = gone.url();
  }
  Begin({}, {}, closed);
  EXPECT_THAT(Await(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr(closed)));
  Begin({}, {}, "unix:/nonexistent.sock");
  EXPECT_THAT(Await(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("/nonexistent.sock")));
}

TEST_F(HttpClientTest, RefusesRequestsThatCouldForgeOthers) {
  const HttpRequest kBad[] = {
      {.path = "/a b"}, {.path = "/\r\nX: y"},         {.path = "relative"},
      {.path = ""},     {.path = "/", .query = "a b"}, {.method = "GET /x"},
      {.method = ""},
  };
  for (const HttpRequest& request : kBad) {
    SCOPED_TRACE(request.path);
    Begin(request);
    EXPECT_FALSE(result_.has_value());  // never within the call
    EXPECT_THAT(Await(), StatusIs(absl::StatusCode::kInvalidArgument));
  }
  Begin({}, {}, "gopher://x");
  EXPECT_THAT(Await(), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(HttpClientTest, GivesUpInTime) {
  Begin({}, {.timeout = absl::Milliseconds(30)});
  RawConnection peer = server_.Accept();
  EXPECT_THAT(Await(), StatusIs(absl::StatusCode::kDeadlineExceeded));
  EXPECT_THAT(peer.ReadToEnd(), StartsWith("GET"));
}

TEST_F(HttpClientTest, ACancelledCallIsSilent) {
  HttpCall call = Begin({});
  RawConnection peer = server_.Accept();
  peer.ReadUntil("\r\n\r\n");
  call.Cancel();
  EXPECT_EQ(peer.ReadToEnd(), "");
  call.Cancel();
  HttpCall early = Begin({});
  early.Cancel();
  loop_.RunReady();
  EXPECT_EQ(calls_back_, 0);
}

TEST_F(HttpClientTest, DestroyingItCancelsItsCalls) {
  HttpCall call = Begin({});
  RawConnection peer = server_.Accept();
  Begin({}, {}, "http://localhost:1");
  client_ = nullptr;
  EXPECT_THAT(peer.ReadToEnd(), ::testing::AnyOf("", StartsWith("GET")));
  loop_.RunReady();
  call.Cancel();
  EXPECT_EQ(calls_back_, 0);
}

TEST_F(HttpClientTest, StreamsChunksAsTheyCome) {
  std::vector<std::string> events;
  HttpStreamCallbacks callbacks;
  callbacks.on_header = [&](int status, const HttpHeaders& headers) {
    events.push_back(absl::StrCat(status, " ", headers.Get("x")));
  };
  callbacks.on_chunk = [&](absl::string_view chunk) { events.emplace_back(chunk); };
  callbacks.on_end = [&](absl::Status status) { events.push_back(status.ToString()); };
  const HttpCallOptions short_timeout = {.timeout = absl::Milliseconds(300)};
  client_->Stream(server_.url(), {}, short_timeout, std::move(callbacks));
  RawConnection peer = server_.Accept();
  peer.Send("HTTP/1.1 200 OK\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n");
  ASSERT_TRUE(RunUntil(loop_, [&] { return events.size() == 1; }));
  peer.Send("1\r\na\r\n");
  ASSERT_TRUE(RunUntil(loop_, [&] { return events.size() == 2; }));
  // The timeout is for the header only: that of a later call passes, and the stream goes on.
  Begin({}, short_timeout);
  RawConnection silent = server_.Accept();
  EXPECT_THAT(Await(), StatusIs(absl::StatusCode::kDeadlineExceeded));
  peer.Send("2\r\nbc\r\n0\r\n\r\n");
  ASSERT_TRUE(RunUntil(loop_, [&] { return events.size() == 4; }));
  EXPECT_THAT(events, ElementsAre("200 y", "a", "bc", "OK"));
}

TEST_F(HttpClientTest, AStreamEndsWithAnErrorIfItIsCut) {
  std::optional<absl::Status> end;
  std::string got;
  HttpStreamCallbacks callbacks;
  callbacks.on_chunk = [&](absl::string_view chunk) { absl::StrAppend(&got, chunk); };
  callbacks.on_end = [&](absl::Status status) { end = std::move(status); };
  client_->Stream(server_.url(), {}, {}, std::move(callbacks));
  {
    RawConnection peer = server_.Accept();
    peer.ReadUntil("\r\n\r\n");
    peer.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  }
  ASSERT_TRUE(RunUntil(loop_, [&] { return end.has_value(); }));
  EXPECT_THAT(*end, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(got, "abc");
}

TEST_F(HttpClientTest, AStreamMayBeCancelledFromItsCallback) {
  int chunks = 0;
  bool ended = false;
  HttpCall call;
  HttpStreamCallbacks callbacks;
  callbacks.on_chunk = [&](absl::string_view) {
    ++chunks;
    call.Cancel();
  };
  callbacks.on_end = [&](absl::Status) { ended = true; };
  call = client_->Stream(server_.url(), {}, {}, std::move(callbacks));
  RawConnection peer = server_.Accept();
  peer.ReadUntil("\r\n\r\n");
  peer.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n");
  EXPECT_EQ(peer.ReadToEnd(), "");
  EXPECT_EQ(chunks, 1);
  EXPECT_FALSE(ended);
}

TEST_F(HttpClientTest, ManyCallsAtOnceUseConnectionsOfTheirOwn) {
  auto server = HttpServer::Start(loop_, {.address = {.host = "127.0.0.1"}},
                                  [](HttpRequest request, ResponseWriter writer) {
                                    writer.Send(HttpResponse::Text(200, request.path));
                                  });
  ASSERT_THAT(server, IsOk());
  std::vector<std::string> answers(50);
  size_t answered = 0;
  for (int round = 0; round < 3; ++round) {
    answered = 0;
    for (size_t i = 0; i < answers.size(); ++i) {
      client_->Send((*server)->url(), {.path = absl::StrCat("/", round, "/", i)}, {},
                    [&, i](absl::StatusOr<HttpResponse> response) {
                      answers[i] = response.ok() ? response->body : response.status().ToString();
                      ++answered;
                    });
    }
    ASSERT_TRUE(RunUntil(loop_, [&] { return answered == answers.size(); }));
    for (size_t i = 0; i < answers.size(); ++i) {
      EXPECT_EQ(answers[i], absl::StrCat("/", round, "/", i));
    }
  }
  // Only so many are kept.
  EXPECT_TRUE(RunUntil(loop_, [&] { return (*server)->connections() == 8; }));
}

}  // namespace
}  // namespace podferry
