#include "core/http/json_error.h"

#include <string>

#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::HasSubstr;

TEST(JsonErrorTest, EveryCodeHasAStatusOfTheRightClass) {
  const struct {
    absl::StatusCode code;
    int http;
  } kCases[] = {
      {absl::StatusCode::kOk, 200},
      {absl::StatusCode::kInvalidArgument, 400},
      {absl::StatusCode::kOutOfRange, 400},
      {absl::StatusCode::kUnauthenticated, 401},
      {absl::StatusCode::kPermissionDenied, 403},
      {absl::StatusCode::kNotFound, 404},
      {absl::StatusCode::kAlreadyExists, 409},
      {absl::StatusCode::kAborted, 409},
      {absl::StatusCode::kFailedPrecondition, 412},
      {absl::StatusCode::kResourceExhausted, 429},
      {absl::StatusCode::kCancelled, 499},
      {absl::StatusCode::kInternal, 500},
      {absl::StatusCode::kUnknown, 500},
      {absl::StatusCode::kDataLoss, 500},
      {absl::StatusCode::kUnimplemented, 501},
      {absl::StatusCode::kUnavailable, 503},
      {absl::StatusCode::kDeadlineExceeded, 504},
      {static_cast<absl::StatusCode>(99), 500},
  };
  for (const auto& test : kCases) {
    EXPECT_EQ(HttpStatusOf(test.code), test.http) << absl::StatusCodeToString(test.code);
  }
}

TEST(JsonErrorTest, HttpStatusesHaveANearestCode) {
  EXPECT_EQ(StatusCodeOfHttp(200), absl::StatusCode::kOk);
  EXPECT_EQ(StatusCodeOfHttp(204), absl::StatusCode::kOk);
  EXPECT_EQ(StatusCodeOfHttp(302), absl::StatusCode::kUnknown);
  EXPECT_EQ(StatusCodeOfHttp(400), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(StatusCodeOfHttp(409), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(StatusCodeOfHttp(422), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(StatusCodeOfHttp(503), absl::StatusCode::kUnavailable);
  EXPECT_EQ(StatusCodeOfHttp(599), absl::StatusCode::kInternal);
}

TEST(JsonErrorTest, WritesTheErrorAndAllIssues) {
  EXPECT_EQ(JsonError(404, "no \"x\"\n").body, R"({"error":"no \"x\"\n"})");
  EXPECT_EQ(JsonError(absl::UnavailableError("down")).status, 503);
  Issues issues;
  issues.Add("spec.containers[0].image", "missing");
  issues.Add("", "whole");
  const HttpResponse response = JsonError("bad pod", issues);
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.headers.Get("Content-Type"), "application/json");
  EXPECT_EQ(response.body, R"({"error":"bad pod","issues":[{"field":"spec.containers[0].image",)"
                           R"("message":"missing"},{"field":"","message":"whole"}]})");
  EXPECT_EQ(JsonError("later", issues, 422).status, 422);
}

TEST(JsonErrorTest, ReadsBackWhatItWrote) {
  EXPECT_THAT(StatusOfResponse(JsonError(absl::NotFoundError("no job \"x\""))),
              StatusIs(absl::StatusCode::kNotFound, "no job \"x\""));
  EXPECT_THAT(StatusOfResponse(HttpResponse::Text(200, "fine")), IsOk());
}

TEST(JsonErrorTest, QuotesTheBeginningOfABodyOfAnotherForm) {
  EXPECT_THAT(StatusOfResponse(HttpResponse::Text(502, "<html>" + std::string(10000, 'x'))),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("HTTP 502 Bad Gateway: <html>xxx")));
  EXPECT_LT(StatusOfResponse(HttpResponse::Text(502, std::string(10000, 'x'))).message().size(),
            600u);
  for (const char* body : {"[1]", "{\"error\":3}", "{\"other\":\"x\"}", "{", ""}) {
    EXPECT_THAT(StatusOfResponse(HttpResponse::Text(404, body)),
                StatusIs(absl::StatusCode::kNotFound, HasSubstr("HTTP 404 Not Found")));
  }
}

}  // namespace
}  // namespace podferry
