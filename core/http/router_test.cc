#include "core/http/router.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/http/testing/response_recorder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::HasSubstr;

class RouterTest : public ::testing::Test {
 protected:
  // Each route answers with its own name and the parameters it got.
  void Route(const char* method, const char* pattern) {
    router_.Handle(method, pattern, [=](HttpRequest request, ResponseWriter writer) {
      std::string body = absl::StrCat(method, " ", pattern);
      for (const auto& [name, value] : request.path_params) {
        absl::StrAppend(&body, " ", name, "=", value);
      }
      writer.Send(HttpResponse::Text(200, body));
    });
  }

  HttpResponse Get(const std::string& path) { return Ask("GET", path); }
  HttpResponse Ask(const std::string& method, const std::string& path) {
    ResponseRecorder recorder;
    router_.Dispatch({.method = method, .path = path}, recorder.writer());
    EXPECT_TRUE(recorder.complete());
    return recorder.response();
  }

  HttpRouter router_;
};

TEST_F(RouterTest, FindsTheRouteAndItsParameters) {
  Route("GET", "/");
  Route("POST", "/create");
  Route("GET", "/v1/jobs");
  Route("GET", "/v1/jobs/{key}");
  Route("DELETE", "/v1/jobs/{key}");
  Route("GET", "/v1/jobs/{key}/logs/{container}");
  Route("GET", "/v1/{kind}/all");
  Route("GET", "/v1/jobs/all");
  const struct {
    const char* method;
    const char* path;
    const char* body;
  } kCases[] = {
      {"GET", "/", "GET /"},
      {"POST", "/create", "POST /create"},
      {"GET", "/v1/jobs", "GET /v1/jobs"},
      {"GET", "/v1/jobs/abc", "GET /v1/jobs/{key} key=abc"},
      {"DELETE", "/v1/jobs/abc", "DELETE /v1/jobs/{key} key=abc"},
      {"GET", "/v1/jobs/a%20b%2Fc", "GET /v1/jobs/{key} key=a b/c"},
      {"GET", "/v1/jobs/k/logs/main", "GET /v1/jobs/{key}/logs/{container} key=k container=main"},
      {"GET", "/v1/jobs/all", "GET /v1/jobs/all"},
      {"GET", "/v1/pools/all", "GET /v1/{kind}/all kind=pools"},
      {"DELETE", "/v1/jobs/all", "DELETE /v1/jobs/{key} key=all"},
      {"HEAD", "/v1/jobs", "GET /v1/jobs"},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(absl::StrCat(test.method, " ", test.path));
    const HttpResponse response = Ask(test.method, test.path);
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, test.body);
  }
}

TEST_F(RouterTest, PathsAreExactAndCaseSensitive) {
  Route("GET", "/v1/jobs");
  Route("GET", "/v1/jobs/{key}");
  for (const char* path : {"/v1/Jobs", "/v1/jobs/", "/v1//jobs", "/v1", "/", "/v1/jobs/a/b",
                           "/v1/job%73", "*", "", "/v1/jobs/x/"}) {
    SCOPED_TRACE(path);
    const HttpResponse response = Get(path);
    EXPECT_EQ(response.status, 404);
    EXPECT_THAT(response.body, HasSubstr("\"error\":\"no such path"));
  }
}

TEST_F(RouterTest, SaysWhichMethodsAPathTakes) {
  Route("GET", "/v1/jobs/{key}");
  Route("DELETE", "/v1/jobs/{key}");
  const HttpResponse response = Ask("POST", "/v1/jobs/x");
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(response.headers.Get("Allow"), "DELETE, GET, HEAD");
  EXPECT_THAT(response.body, HasSubstr("not POST"));
  EXPECT_EQ(Ask("get", "/v1/jobs/x").status, 405);
}

TEST_F(RouterTest, RefusesABrokenEncoding) {
  Route("GET", "/v1/jobs/{key}");
  EXPECT_EQ(Get("/v1/jobs/a%2").status, 400);
}

TEST_F(RouterTest, NamesThePatternForMetrics) {
  Route("GET", "/v1/jobs/{key}");
  EXPECT_EQ(router_.PatternOf({.path = "/v1/jobs/x"}), "/v1/jobs/{key}");
  EXPECT_EQ(router_.PatternOf({.path = "/nothing"}), "");
  EXPECT_EQ(router_.PatternOf({.path = "*"}), "");
}

TEST_F(RouterTest, IsAHandler) {
  Route("GET", "/x");
  ResponseRecorder recorder;
  HttpHandler handler = router_.AsHandler();
  handler({.path = "/x"}, recorder.writer());
  EXPECT_EQ(recorder.status(), 200);
}

TEST_F(RouterTest, MistakesOfTheProgramAbort) {
  Route("GET", "/x");
  EXPECT_DEATH(Route("GET", "/x"), "has a route already");
  EXPECT_DEATH(Route("GET", "x"), "");
  EXPECT_DEATH(Route("GET", "/{x"), "");
}

}  // namespace
}  // namespace podferry
