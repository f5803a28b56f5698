#include "core/http/testing/in_process_client.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/testing/fake_clock.h"
#include "core/base/testing/status_matchers.h"
#include "core/os/testing/fake_event_loop.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::ElementsAre;

class InProcessClientTest : public ::testing::Test {
 protected:
  InProcessClientTest()
      : client_(loop_, [this](HttpRequest request, ResponseWriter writer) {
          if (request.path == "/now") return writer.Send(HttpResponse::Text(200, "now"));
          writer.OnClientGone([this] { gone_ = true; });
          writer_.emplace(std::move(writer));
        }) {}

  void Stream() {
    HttpStreamCallbacks callbacks;
    callbacks.on_header = [this](int status, const HttpHeaders&) {
      events_.push_back(std::to_string(status));
    };
    callbacks.on_chunk = [this](absl::string_view chunk) { events_.emplace_back(chunk); };
    callbacks.on_end = [this](absl::Status status) {
      events_.emplace_back(status.ok() ? "end" : "broken");
    };
    call_ = client_.Stream("http://any", {.path = "/later"}, {}, std::move(callbacks));
    loop_.RunUntilIdle();
  }

  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  InProcessClient client_;
  HttpCall call_;
  std::optional<ResponseWriter> writer_;
  std::vector<std::string> events_;
  bool gone_ = false;
};

TEST_F(InProcessClientTest, AnswersByTheLoop) {
  std::optional<absl::StatusOr<HttpResponse>> result;
  client_.Send("unix:/x", {.path = "/now"}, {},
               [&](absl::StatusOr<HttpResponse> response) { result = std::move(response); });
  EXPECT_FALSE(result.has_value());
  loop_.RunUntilIdle();
  ASSERT_TRUE(result.has_value());
  ASSERT_THAT(*result, IsOk());
  EXPECT_EQ((*result)->body, "now");
  EXPECT_EQ(client_.seen().at(0).url, "unix:/x");
}

TEST_F(InProcessClientTest, StreamsChunkByChunk) {
  Stream();
  writer_->StartStream(200, {});
  writer_->Write("a");
  loop_.RunUntilIdle();
  EXPECT_THAT(events_, ElementsAre("200", "a"));
  writer_->Finish();
  loop_.RunUntilIdle();
  EXPECT_THAT(events_, ElementsAre("200", "a", "end"));
  EXPECT_FALSE(gone_);
}

TEST_F(InProcessClientTest, ADroppedWriterIsABrokenConnection) {
  Stream();
  writer_->StartStream(200, {});
  writer_.reset();
  loop_.RunUntilIdle();
  EXPECT_THAT(events_, ElementsAre("200", "broken"));
}

TEST_F(InProcessClientTest, CancellingTellsTheHandlerAndSilencesTheCall) {
  Stream();
  writer_->StartStream(200, {});
  loop_.RunUntilIdle();
  call_.Cancel();
  writer_->Write("unheard");
  loop_.RunUntilIdle();
  EXPECT_TRUE(gone_);
  EXPECT_TRUE(writer_->client_gone());
  EXPECT_THAT(events_, ElementsAre("200"));
}

TEST_F(InProcessClientTest, FailsWhenTold) {
  client_.FailWith(absl::UnavailableError("down"));
  std::optional<absl::StatusOr<HttpResponse>> result;
  client_.Send("http://any", {.path = "/now"}, {},
               [&](absl::StatusOr<HttpResponse> response) { result = std::move(response); });
  loop_.RunUntilIdle();
  ASSERT_TRUE(result.has_value());
  EXPECT_THAT(*result, StatusIs(absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace podferry
