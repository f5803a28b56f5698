#include "tools/load/pod_requests.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/base/testing/status_matchers.h"
#include "core/json/document.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry::load {
namespace {

using ::testing::HasSubstr;

TEST(PodRequestsTest, CreateIsAPodOfExactlyTheSizeAsked) {
  for (const size_t size : {3000, 10000, 500000}) {
    RequestTemplate request = RequestTemplate::Create("h", "pool-a", size);
    const std::string text(request.For(0xab, 7));
    EXPECT_THAT(text, HasSubstr(absl::StrCat("Content-Length: ", size, "\r\n")));
    EXPECT_EQ(request.body().size(), size);
    PODFERRY_ASSERT_OK_AND_ASSIGN(const json::Document document,
                                  json::Document::Parse(request.body()));
    Issues issues;
    const json::Value metadata = document.Root(&issues).Get("pod").Get("metadata");
    EXPECT_EQ(metadata.Get("name").RequireString(), "load-000000ab-00000007");
    EXPECT_EQ(metadata.Get("uid").RequireString(), "000000ab-0000-4000-8000-000000000007");
    EXPECT_TRUE(issues.empty()) << issues.ToString();
  }
}

TEST(PodRequestsTest, CreateIsNeverSmallerThanAPod) {
  RequestTemplate request = RequestTemplate::Create("h", "p", 1);
  EXPECT_THAT(json::Document::Parse(request.body()), IsOk());
  EXPECT_LT(request.body().size(), 3000u);
}

TEST(PodRequestsTest, StatusAsksForPodsOfAbout300Bytes) {
  RequestTemplate request = RequestTemplate::Status("h", 3);
  request.For(1, 10);
  PODFERRY_ASSERT_OK_AND_ASSIGN(const json::Document document,
                                json::Document::Parse(request.body()));
  Issues issues;
  const auto pods = document.Root(&issues).Items();
  ASSERT_EQ(pods.size(), 3u);
  for (uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(pods[i].Get("metadata").Get("name").RequireString(), PodName(1, 10 + i));
    EXPECT_EQ(pods[i].Get("metadata").Get("uid").RequireString(), PodUid(1, 10 + i));
    EXPECT_EQ(pods[i].Get("metadata").Get("annotations").Get("JobID").RequireString(),
              PodUid(1, 10 + i));
  }
  EXPECT_GT(request.body().size() / 3, 270u);
  EXPECT_LT(request.body().size() / 3, 330u);
}

TEST(PodRequestsTest, PingIsAnEmptyList) {
  RequestTemplate request = RequestTemplate::Ping("h");
  EXPECT_EQ(request.body(), "[]");
  EXPECT_THAT(std::string(request.For(1, 1)), HasSubstr("GET /status HTTP/1.1\r\nHost: h\r\n"));
}

TEST(PodRequestsTest, PodsOfDifferentRunsDiffer) {
  EXPECT_NE(PodUid(1, 2), PodUid(2, 1));
  EXPECT_NE(PodName(1, 2), PodName(2, 1));
}

}  // namespace
}  // namespace podferry::load
