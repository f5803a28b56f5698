#include "plugin/registry_proxy.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/base/testing/fake_clock.h"
#include "core/base/testing/status_matchers.h"
#include "core/http/testing/in_process_client.h"
#include "core/os/testing/fake_event_loop.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

using Answers = std::vector<absl::StatusOr<std::string>>;

class RegistryProxyTest : public testing::Test {
 protected:
  // What the proxy answers; it knows one master token.
  void Answer(HttpRequest request, ResponseWriter writer) {
    EXPECT_EQ(request.method, "GET");
    EXPECT_EQ(request.path, "/token");
    if (request.headers.Get("Authorization") !=
        absl::StrCat("Basic ", absl::Base64Escape("admin:master-secret"))) {
      return writer.Send(HttpResponse::Text(401, "who is master-secret?"));
    }
    writer.Send(HttpResponse::Text(status_, body_));
  }
  void Ask(const std::string& server = "hub:8080", const std::string& master = "") {
    proxy_->GetToken(server, master, [this](auto token) { answers_.push_back(std::move(token)); });
    loop_.RunUntilIdle();
  }
  void Make(RegistryProxyOptions options) {
    proxy_ = std::make_unique<RegistryProxy>(&http_, clock_, std::move(options));
  }

  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  InProcessClient http_{loop_, [this](HttpRequest request, ResponseWriter writer) {
                          Answer(std::move(request), std::move(writer));
                        }};
  std::unique_ptr<RegistryProxy> proxy_ = std::make_unique<RegistryProxy>(
      &http_, clock_, RegistryProxyOptions{.master_token = "master-secret"});
  int status_ = 200;
  std::string body_ = R"({"token": "short", "expires_in": 600})";
  Answers answers_;
};

TEST_F(RegistryProxyTest, AsksForATokenOnceInHalfOfItsTime) {
  for (int i = 0; i < 3; ++i) Ask();
  clock_.Advance(absl::Seconds(299));
  Ask();
  EXPECT_THAT(http_.seen(), SizeIs(1));
  EXPECT_EQ(http_.seen()[0].url, "http://hub:8080");
  for (const auto& answer : answers_) EXPECT_THAT(answer, IsOkAndHolds("short"));
  EXPECT_THAT(answers_, SizeIs(4));
  clock_.Advance(absl::Seconds(2));
  Ask();
  EXPECT_THAT(http_.seen(), SizeIs(2));
}

TEST_F(RegistryProxyTest, WhoAsksMeanwhileGetsTheSameAnswer) {
  for (int i = 0; i < 5; ++i) {
    proxy_->GetToken("hub", "", [this](auto token) { answers_.push_back(std::move(token)); });
  }
  loop_.RunUntilIdle();
  EXPECT_THAT(http_.seen(), SizeIs(1));
  EXPECT_THAT(answers_, SizeIs(5));
}

TEST_F(RegistryProxyTest, AProxyThatIsDownIsLeftAloneForAWhile) {
  http_.FailWith(absl::UnavailableError("cannot connect"));
  for (int i = 0; i < 3; ++i) Ask();
  EXPECT_THAT(http_.seen().size(), 1u);
  for (const auto& answer : answers_) {
    EXPECT_THAT(answer, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("hub:8080")));
  }
  http_.FailWith(absl::OkStatus());
  clock_.Advance(absl::Seconds(11));
  Ask();
  EXPECT_THAT(answers_.back(), IsOkAndHolds("short"));
}

TEST_F(RegistryProxyTest, NeverShowsTheMasterToken) {
  Make({.master_token = "master-secret-but-wrong"});
  Ask();
  EXPECT_THAT(answers_.back(), StatusIs(absl::StatusCode::kUnauthenticated,
                                        AllOf(HasSubstr("hub:8080"), Not(HasSubstr("secret")))));
  Make({.master_token = "master-secret"});
  status_ = 500;
  body_ = "stack trace with master-secret";
  Ask();
  EXPECT_THAT(answers_.back(), StatusIs(absl::StatusCode::kUnavailable, Not(HasSubstr("secret"))));
}

TEST_F(RegistryProxyTest, ShowsTheMasterTokenToTheProxyThatItIsForOnly) {
  Make({.master_token = "master-secret", .server = "hub:8080"});
  Ask("evil:80");
  EXPECT_THAT(answers_.back(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("evil:80")));
  EXPECT_THAT(http_.seen(), SizeIs(0));
  Ask("hub:8080");
  EXPECT_THAT(answers_.back(), IsOkAndHolds("short"));
  // A request that brings its own master token is another matter.
  Ask("other:80", "master-secret");
  EXPECT_THAT(answers_.back(), IsOkAndHolds("short"));
}

TEST_F(RegistryProxyTest, WithoutAMasterTokenNobodyIsAsked) {
  Make({});
  Ask();
  EXPECT_THAT(answers_.back(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                        HasSubstr("--shub-proxy-token-file")));
  EXPECT_THAT(http_.seen(), SizeIs(0));
}

TEST_F(RegistryProxyTest, CallsNobodyBackOnceItIsGone) {
  proxy_->GetToken("hub", "", [this](auto token) { answers_.push_back(std::move(token)); });
  proxy_ = nullptr;
  loop_.RunUntilIdle();
  EXPECT_THAT(answers_, SizeIs(0));
}

TEST(ReadProxyTokenTest, TakesTheFormsThatProxiesAnswerIn) {
  const absl::Time now = absl::FromUnixSeconds(1'000'000);
  const std::string jwt =
      absl::StrCat("e30.", absl::WebSafeBase64Escape(R"({"sub":"admin","exp":1000090})"), ".c2ln");
  const struct {
    std::string body;
    std::string token;
    absl::Duration validity;
  } cases[] = {
      {"abc\n", "abc", absl::Minutes(5)},
      {"\"abc\"", "abc", absl::Minutes(5)},
      {R"({"access_token":"abc"})", "abc", absl::Minutes(5)},
      {R"({"token":"abc","expires_in":60})", "abc", absl::Minutes(1)},
      {jwt, jwt, absl::Seconds(90)},
      {absl::StrCat("\"", jwt, "\""), jwt, absl::Seconds(90)},
  };
  for (const auto& c : cases) {
    const absl::StatusOr<ProxyToken> read = ReadProxyToken(c.body, now);
    ASSERT_THAT(read, IsOk()) << c.body;
    EXPECT_EQ(read->token, c.token);
    EXPECT_EQ(read->validity, c.validity) << c.body;
  }
}

TEST(ReadProxyTokenTest, TakesNothingElse) {
  for (const std::string body :
       {"", "\n", "two words", "{}", "[]", "{\"token\":7}", "\"a\\nb\"", "\"", "<html>\n</html>"}) {
    EXPECT_THAT(ReadProxyToken(body, absl::UnixEpoch()), StatusIs(absl::StatusCode::kDataLoss))
        << body;
  }
  EXPECT_THAT(ReadProxyToken(std::string(9000, 'x'), absl::UnixEpoch()),
              StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace podferry
