#include "core/http/instrumented_handler.h"

#include <optional>
#include <string>
#include <utility>

#include "core/base/testing/fake_clock.h"
#include "core/http/testing/response_recorder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class InstrumentedHandlerTest : public ::testing::Test {
 protected:
  InstrumentedHandlerTest() {
    router_.Handle("GET", "/v1/jobs/{key}", [](HttpRequest, ResponseWriter writer) {
      writer.Send(HttpResponse::Text(200, "job"));
    });
    router_.Handle("GET", "/hold", [this](HttpRequest, ResponseWriter writer) {
      held_.emplace(std::move(writer));
    });
    handler_ = InstrumentedHandler(router_, clock_, registry_);
  }

  void Ask(ResponseRecorder& recorder, const std::string& path, const std::string& method = "GET") {
    handler_({.method = method, .path = path}, recorder.writer());
  }

  FakeClock clock_;
  Registry registry_;
  HttpRouter router_;
  HttpHandler handler_;
  std::optional<ResponseWriter> held_;
};

TEST_F(InstrumentedHandlerTest, CountsByPatternAndCode) {
  for (const char* path : {"/v1/jobs/a", "/v1/jobs/b"}) {
    ResponseRecorder recorder;
    Ask(recorder, path);
    EXPECT_EQ(recorder.body(), "job");
  }
  for (const char* path : {"/x", "/y"}) {
    ResponseRecorder recorder;
    Ask(recorder, path, "BREW");
    EXPECT_EQ(recorder.status(), 404);
  }
  EXPECT_THAT(registry_.Render(),
              AllOf(HasSubstr("podferry_http_requests_total{code=\"200\",method=\"GET\","
                              "route=\"/v1/jobs/{key}\"} 2"),
                    HasSubstr("podferry_http_requests_total{code=\"404\",method=\"other\","
                              "route=\"none\"} 2"),
                    HasSubstr("podferry_http_requests_in_flight 0"), Not(HasSubstr("BREW"))));
}

TEST_F(InstrumentedHandlerTest, TimesALateAnswer) {
  ResponseRecorder recorder;
  Ask(recorder, "/hold");
  EXPECT_THAT(registry_.Render(), HasSubstr("podferry_http_requests_in_flight 1"));
  clock_.Advance(absl::Seconds(2));
  held_->Send(HttpResponse::Text(200, "late"));
  EXPECT_EQ(recorder.body(), "late");
  EXPECT_THAT(registry_.Render(),
              AllOf(HasSubstr("podferry_http_request_seconds_sum{method=\"GET\","
                              "route=\"/hold\"} 2"),
                    HasSubstr("podferry_http_requests_in_flight 0")));
}

TEST_F(InstrumentedHandlerTest, TimesAStreamUntilItsHeaderAndPassesAllOfItOn) {
  ResponseRecorder recorder;
  Ask(recorder, "/hold");
  clock_.Advance(absl::Seconds(1));
  held_->StartStream(200, {});
  clock_.Advance(absl::Hours(1));
  recorder.BlockClient();
  held_->Write("a");
  EXPECT_EQ(held_->buffered(), 1u);
  bool drained = false;
  held_->OnDrained([&] { drained = true; });
  recorder.UnblockClient();
  EXPECT_TRUE(drained);
  held_->Write("b");
  EXPECT_THAT(registry_.Render(), HasSubstr("podferry_http_requests_in_flight 1"));
  held_->Finish();
  EXPECT_TRUE(recorder.complete());
  EXPECT_EQ(recorder.body(), "ab");
  EXPECT_THAT(registry_.Render(), AllOf(HasSubstr("route=\"/hold\"} 1\n"),
                                        HasSubstr("podferry_http_requests_in_flight 0")));
}

TEST_F(InstrumentedHandlerTest, CountsDroppedRequests) {
  ResponseRecorder dropped;
  Ask(dropped, "/hold");
  held_.reset();
  EXPECT_TRUE(dropped.abandoned());
  ResponseRecorder left;
  Ask(left, "/hold");
  bool gone = false;
  held_->OnClientGone([&] { gone = true; });
  left.ClientGoes();
  EXPECT_TRUE(gone);
  EXPECT_TRUE(held_->client_gone());
  held_.reset();
  EXPECT_THAT(registry_.Render(), AllOf(HasSubstr("code=\"500\""), HasSubstr("code=\"499\""),
                                        HasSubstr("podferry_http_requests_in_flight 0")));
}

}  // namespace
}  // namespace podferry
