#include "tools/load/runner.h"

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/base/testing/status_matchers.h"
#include "core/http/http_server.h"
#include "core/os/asio_event_loop.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry::load {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// A server on a thread of its own, as the generator blocks.
class ServerThread {
 public:
  explicit ServerThread(HttpHandler handler, size_t max_connections = 1000)
      : server_(HttpServer::Start(
                    loop_, {.address = {.host = "127.0.0.1"}, .max_connections = max_connections},
                    std::move(handler))
                    .value()),
        address_(server_->address()),
        thread_([this] { loop_.Run(); }) {}
  ~ServerThread() {
    loop_.Stop();
    thread_.join();
  }
  const ListenAddress& address() const { return address_; }

 private:
  AsioEventLoop loop_;
  std::unique_ptr<HttpServer> server_;
  const ListenAddress address_;
  std::thread thread_;
};

TEST(RunnerTest, SendsEveryPodOnceAndMeasuresEveryAnswer) {
  std::set<std::string> bodies;
  absl::StatusOr<Outcome> outcome;
  {
    ServerThread server([&](HttpRequest request, ResponseWriter writer) {
      bodies.insert(request.body);
      writer.Send(HttpResponse::Json(200, "{}"));
    });
    outcome = RunLoad({.server = server.address(), .clients = 8, .requests = 1000, .run = 5},
                      RequestTemplate::Create("h", "p", 3000));
  }
  ASSERT_THAT(outcome, IsOk());
  EXPECT_EQ(outcome->latencies_us.size(), 1000u);
  EXPECT_THAT(outcome->codes, ElementsAre(Pair(200, 1000)));
  EXPECT_TRUE(AllGood(*outcome));
  ASSERT_EQ(bodies.size(), 1000u);
  EXPECT_NE(bodies.begin()->find(PodName(5, 0)), std::string::npos);
  EXPECT_NE(bodies.rbegin()->find(PodName(5, 999)), std::string::npos);
}

TEST(RunnerTest, LargeRequestsWaitForTheSocket) {
  size_t bytes = 0;
  absl::StatusOr<Outcome> outcome;
  {
    ServerThread server([&](HttpRequest request, ResponseWriter writer) {
      bytes += request.body.size();
      writer.Send(HttpResponse::Text(200, std::string(100000, 'x')));
    });
    outcome = RunLoad({.server = server.address(), .clients = 2, .requests = 10},
                      RequestTemplate::Create("h", "p", 5 << 20));
  }
  ASSERT_THAT(outcome, IsOk());
  EXPECT_TRUE(AllGood(*outcome));
  EXPECT_EQ(bytes, size_t{10} * (5 << 20));
}

TEST(RunnerTest, CountsErrorsAndGoesOnAfterAClosedConnection) {
  int requests = 0;
  absl::StatusOr<Outcome> outcome;
  {
    ServerThread server([&](HttpRequest, ResponseWriter writer) {
      ++requests;
      if (requests % 10 == 0) {
        writer.StartStream(200, {});  // no length: the generator gives up on the connection
        return writer.Finish();
      }
      writer.Send(HttpResponse::Text(requests % 10 == 5 ? 503 : 200, "busy"));
    });
    outcome = RunLoad({.server = server.address(), .clients = 1, .requests = 100},
                      RequestTemplate::Ping("h"));
  }
  ASSERT_THAT(outcome, IsOk());
  EXPECT_THAT(outcome->codes, ElementsAre(Pair(200, 80), Pair(503, 10)));
  EXPECT_EQ(outcome->broken, 10u);
  EXPECT_EQ(outcome->first_error, "503 busy");
  EXPECT_FALSE(AllGood(*outcome));
}

TEST(RunnerTest, ReplacesAConnectionThatTheServerWantsClosed) {
  absl::StatusOr<Outcome> outcome;
  {
    ServerThread server(
        [](HttpRequest, ResponseWriter writer) { writer.Send(HttpResponse::Text(200, "ok")); },
        /*max_connections=*/1);
    outcome = RunLoad({.server = server.address(), .clients = 3, .requests = 30},
                      RequestTemplate::Ping("h"));
  }
  ASSERT_THAT(outcome, IsOk());
  EXPECT_EQ(outcome->broken, 0u);
  EXPECT_GT(outcome->codes[200], 0u);
}

TEST(RunnerTest, EndsWhenNothingComesAnyMore) {
  std::vector<ResponseWriter> held;
  absl::StatusOr<Outcome> outcome;
  {
    ServerThread server(
        [&](HttpRequest, ResponseWriter writer) { held.push_back(std::move(writer)); });
    outcome = RunLoad({.server = server.address(),
                       .clients = 2,
                       .requests = 5,
                       .stall_timeout = absl::Milliseconds(50)},
                      RequestTemplate::Ping("h"));
  }
  ASSERT_THAT(outcome, IsOk());
  EXPECT_EQ(outcome->broken, 5u);
}

TEST(RunnerTest, SaysWhomItCannotReach) {
  ListenAddress gone;
  {
    ServerThread server([](HttpRequest, ResponseWriter) {});
    gone = server.address();
  }
  EXPECT_THAT(RunLoad({.server = gone}, RequestTemplate::Ping("h")),
              StatusIs(absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace podferry::load
