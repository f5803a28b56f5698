// The server and the client with each other, over TLS with certificates made here.

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/testing/status_matchers.h"
#include "core/http/http_client.h"
#include "core/http/http_server.h"
#include "core/http/testing/raw_connection.h"
#include "core/http/testing/test_certificates.h"
#include "core/os/asio_event_loop.h"
#include "core/os/testing/run_until.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class HttpServerTlsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    files_ = new TestCertificates(WriteTestCertificates(::testing::TempDir()));
  }
  static void TearDownTestSuite() { delete files_; }

  void Start(bool mutual = false, HttpServerOptions options = {}) {
    if (options.address.host.empty()) options.address.host = "127.0.0.1";
    options.tls = HttpServerTls{.certificate_file = files_->server_certificate,
                                .key_file = files_->server_key,
                                .client_ca_file = mutual ? files_->ca : ""};
    auto server = HttpServer::Start(loop_, std::move(options),
                                    [this](HttpRequest request, ResponseWriter writer) {
                                      if (request.path == "/stream") {
                                        stream_.emplace(std::move(writer));
                                        stream_->OnClientGone([this] { gone_ = true; });
                                        stream_->StartStream(200, {});
                                        return;
                                      }
                                      writer.Send(HttpResponse::Text(200, request.body));
                                    });
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  void MakeClient(HttpClientOptions options) {
    auto client = HttpClient::Create(loop_, std::move(options));
    ASSERT_TRUE(client.ok()) << client.status();
    client_ = *std::move(client);
  }

  absl::StatusOr<HttpResponse> Post(const std::string& url, std::string body) {
    std::optional<absl::StatusOr<HttpResponse>> result;
    client_->Send(url, {.method = "POST", .body = std::move(body)}, {},
                  [&](absl::StatusOr<HttpResponse> response) { result = std::move(response); });
    EXPECT_TRUE(RunUntil(loop_, [&] { return result.has_value(); }));
    return *std::move(result);
  }
  std::string UrlBy(const std::string& host) const {
    return absl::StrCat("https://", host, ":", server_->address().port);
  }

  static TestCertificates* files_;
  AsioEventLoop loop_;
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<HttpClient> client_;
  std::optional<ResponseWriter> stream_;
  bool gone_ = false;
};

TestCertificates* HttpServerTlsTest::files_ = nullptr;

TEST_F(HttpServerTlsTest, CarriesRequestsAndKeepsTheConnection) {
  Start();
  EXPECT_THAT(server_->url(), StartsWith("https://127.0.0.1:"));
  MakeClient({.ca_file = files_->ca});
  const std::string large(3 << 20, 'x');
  for (const std::string& body : {std::string("hello"), large, std::string()}) {
    const absl::StatusOr<HttpResponse> response = Post(server_->url(), body);
    ASSERT_THAT(response, IsOk());
    EXPECT_EQ(response->body, body);
    EXPECT_EQ(server_->connections(), 1u);
  }
  EXPECT_THAT(Post(UrlBy("localhost"), "by name"), IsOk());
}

TEST_F(HttpServerTlsTest, StreamsAndNoticesThatTheClientHasGone) {
  Start();
  MakeClient({.ca_file = files_->ca});
  std::string got;
  HttpStreamCallbacks callbacks;
  callbacks.on_chunk = [&](absl::string_view chunk) { absl::StrAppend(&got, chunk); };
  HttpCall call = client_->Stream(server_->url(), {.path = "/stream"}, {}, std::move(callbacks));
  ASSERT_TRUE(RunUntil(loop_, [&] { return stream_.has_value(); }));
  stream_->Write("line\n");
  ASSERT_TRUE(RunUntil(loop_, [&] { return got == "line\n"; }));
  call.Cancel();
  EXPECT_TRUE(RunUntil(loop_, [&] { return gone_; }));
  stream_.reset();
  EXPECT_TRUE(RunUntil(loop_, [&] { return server_->connections() == 0; }));
}

TEST_F(HttpServerTlsTest, ClosesCleanlyAfterTheLastAnswer) {
  Start();
  MakeClient({.ca_file = files_->ca});
  std::optional<absl::StatusOr<HttpResponse>> result;
  bool stopped = false;
  client_->Send(server_->url(), {.path = "/stream"}, {},
                [&](absl::StatusOr<HttpResponse> response) { result = std::move(response); });
  ASSERT_TRUE(RunUntil(loop_, [&] { return stream_.has_value(); }));
  server_->Stop(absl::Minutes(1), [&] { stopped = true; });
  stream_->Write("the end");
  stream_->Finish();
  ASSERT_TRUE(RunUntil(loop_, [&] { return result.has_value() && stopped; }));
  ASSERT_THAT(*result, IsOk());
  EXPECT_EQ((*result)->body, "the end");
}

TEST_F(HttpServerTlsTest, TheClientRefusesAServerItCannotTrust) {
  Start();
  MakeClient({.ca_file = files_->other_ca});
  EXPECT_THAT(Post(server_->url(), ""),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("verify failed")));
}

TEST_F(HttpServerTlsTest, TheClientRefusesACertificateForAnotherName) {
  Start(/*mutual=*/false, {.address = {.host = "0.0.0.0"}});
  MakeClient({.ca_file = files_->ca});
  EXPECT_THAT(Post(UrlBy("127.0.0.1"), ""), IsOk());
  EXPECT_THAT(Post(UrlBy("127.0.0.2"), ""), StatusIs(absl::StatusCode::kUnauthenticated));
}

TEST_F(HttpServerTlsTest, MutualTlsLetsOnlyHoldersOfACertificateIn) {
  Start(/*mutual=*/true);
  MakeClient({.ca_file = files_->ca,
              .certificate_file = files_->client_certificate,
              .key_file = files_->client_key});
  EXPECT_THAT(Post(server_->url(), "in"), IsOk());
  MakeClient({.ca_file = files_->ca});
  EXPECT_FALSE(Post(server_->url(), "out").ok());
}

TEST_F(HttpServerTlsTest, WhoDoesNotSpeakTlsIsDroppedInTime) {
  Start(/*mutual=*/false, {.header_timeout = absl::Milliseconds(50)});
  RawConnection plain(loop_, server_->address());
  plain.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  plain.ReadToEnd();
  RawConnection silent(loop_, server_->address());
  EXPECT_EQ(silent.ReadToEnd(), "");
  EXPECT_TRUE(RunUntil(loop_, [&] { return server_->connections() == 0; }));
}

TEST_F(HttpServerTlsTest, FilesThatDoNotFitAreNamed) {
  const struct {
    HttpServerTls tls;
    const char* why;
  } kCases[] = {
      {{"/nonexistent", files_->server_key, ""}, "certificate in \"/nonexistent\""},
      {{files_->server_certificate, "/nonexistent", ""}, "key in \"/nonexistent\""},
      {{files_->server_certificate, files_->client_key, ""}, "key in"},
      {{files_->server_certificate, files_->server_key, "/nonexistent"}, "client CA in"},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.why);
    EXPECT_THAT(HttpServer::Start(loop_, {.address = {.host = "127.0.0.1"}, .tls = test.tls},
                                  [](HttpRequest, ResponseWriter) {}),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(test.why)));
  }
  EXPECT_THAT(HttpClient::Create(loop_, {.ca_file = "/nonexistent"}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("CA in \"/nonexistent\"")));
}

}  // namespace
}  // namespace podferry
