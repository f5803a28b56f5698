#include "plugin/cli_api.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/base/testing/status_matchers.h"
#include "core/json/document.h"
#include "core/json/value.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "plugin/testing/daemon_under_test.h"

namespace podferry {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr char kUid[] = "6ba7b810-9dad-41d1-80b4-00c04fd430c8";
constexpr char kManifest[] =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"try"},"spec":{"restartPolicy":"Never",)"
    R"("containers":[{"name":"c","image":"busybox","command":["true"]}]}})";

class CliApiTest : public testing::Test {
 protected:
  std::string Submit(const std::string& manifest = kManifest, const std::string& pool = "pool-a") {
    const auto answer = plugin_.Ask(
        "POST", "/v1/jobs", absl::StrCat(R"({"pool":")", pool, R"(","pod":)", manifest, "}"));
    EXPECT_EQ(answer->status(), 200) << answer->body();
    auto document = json::Document::Parse(answer->body());
    return std::string(document->Root(nullptr).Get("uid").StringOr(""));
  }

  DaemonUnderTest plugin_;
};

TEST_F(CliApiTest, TakesAManifestToItsEnd) {
  plugin_.StartSubmitter();
  const std::string uid = Submit();
  EXPECT_THAT(plugin_.Get("/v1/jobs/" + uid),
              AllOf(HasSubstr(R"("phase":"Submitted")"), HasSubstr(R"("source":"cli")"),
                    HasSubstr(R"("submitter":"S1")"), HasSubstr(R"("name":"try")")));
  plugin_.submitter->RunEverything();
  plugin_.loop.RunUntilIdle();
  EXPECT_THAT(plugin_.Get("/v1/jobs/default%2Ftry"),
              AllOf(HasSubstr(R"("phase":"Succeeded")"), HasSubstr(R"("exit_code":0)")));
}

TEST_F(CliApiTest, RefusesAManifestWithAllItsMistakes) {
  const auto answer =
      plugin_.Ask("POST", "/v1/jobs", R"({"pool":"*","pod":{"metadata":{"name":"A"},"spec":{}}})");
  EXPECT_EQ(answer->status(), 400);
  EXPECT_THAT(answer->body(), AllOf(HasSubstr("\"metadata.name\""), HasSubstr("\"pool\""),
                                    HasSubstr("\"spec.containers\"")));
  EXPECT_EQ(plugin_.Ask("POST", "/v1/jobs", "{}")->status(), 400);
  EXPECT_EQ(plugin_.Ask("POST", "/v1/jobs", "x")->status(), 400);
}

TEST_F(CliApiTest, ListsJobsByPoolAndPhase) {
  plugin_.StartSubmitter();
  const std::string a = Submit();
  plugin_.Ask("POST", "/create", CreateBody(kUid, "other", "pool-b"));
  EXPECT_THAT(plugin_.Get("/v1/jobs"), AllOf(HasSubstr(a), HasSubstr(kUid)));
  const auto list = [&](const std::string& query) {
    return plugin_.Ask("GET", "/v1/jobs", "", query)->body();
  };
  EXPECT_THAT(list("pool=pool-b"), AllOf(HasSubstr(kUid), Not(HasSubstr(a))));
  EXPECT_THAT(list("phase=Submitted"), AllOf(HasSubstr(a), Not(HasSubstr(kUid))));
  EXPECT_THAT(list("phase=Queued"), HasSubstr(R"("reason":"PoolUnknown")"));
  EXPECT_EQ(plugin_.Ask("GET", "/v1/jobs", "", "phase=x")->status(), 400);
  EXPECT_EQ(plugin_.Ask("GET", "/v1/jobs/nothing")->status(), 404);
}

TEST_F(CliApiTest, ATimelineJoinsBothJournals) {
  plugin_.StartSubmitter();
  const std::string uid = Submit();
  const std::string timeline = plugin_.Get(absl::StrCat("/v1/jobs/", uid, "/timeline"));
  EXPECT_THAT(timeline, AllOf(HasSubstr("accepted for pool pool-a"), HasSubstr("reserved by S1"),
                              HasSubstr(R"("at":"submitter","event":"asked for")")));
  plugin_.submitter = nullptr;
  const auto answer = plugin_.Ask("GET", absl::StrCat("/v1/jobs/", uid, "/timeline"));
  plugin_.loop.Advance(absl::Seconds(5));
  EXPECT_THAT(answer->body(), AllOf(HasSubstr("accepted for pool pool-a"),
                                    Not(HasSubstr(R"("submitter_error":"")"))));
}

TEST_F(CliApiTest, ABundleIsTheExactScriptForLocalEyesOnly) {
  const std::string uid = Submit();
  const std::string path = absl::StrCat("/v1/jobs/", uid, "/bundle");
  EXPECT_EQ(plugin_.Ask("GET", path)->status(), 404) << "not made yet";
  plugin_.StartSubmitter();
  const auto bundle = plugin_.Ask("GET", path);
  EXPECT_EQ(bundle->status(), 200);
  EXPECT_EQ(bundle->body(), plugin_.disk->at(absl::StrCat("bundle/", uid)));
  ResponseRecorder remote;
  HttpRequest request;
  request.path = path;
  plugin_.remote_router->Dispatch(request, remote.writer());
  EXPECT_EQ(remote.status(), 403);
}

TEST_F(CliApiTest, ListsPoolsWithWhatTheyOffer) {
  plugin_.StartSubmitter();
  EXPECT_THAT(plugin_.Get("/v1/pools"),
              AllOf(HasSubstr(R"("name":"pool-a","reachable":true)"), HasSubstr(R"("cpu":"4")"),
                    HasSubstr(R"("id":"S1")"), HasSubstr(R"("holding":false)")));
}

TEST_F(CliApiTest, ShowsASubmitterOfTheOriginal) {
  auto original = plugin_.hub.Connect("python");
  ASSERT_THAT(original->Publish("p.resources.old", R"({"quotas":{"cpu":"4"}})"), IsOk());
  plugin_.loop.RunUntilIdle();
  EXPECT_THAT(plugin_.Get("/v1/pools"),
              AllOf(HasSubstr(R"("name":"old","reachable":false,"legacy":true)"),
                    HasSubstr(R"("legacy_quotas":{"cpu":"4"})")));
}

TEST_F(CliApiTest, ForgetsAPoolThatIsGone) {
  plugin_.StartSubmitter();
  const std::string uid = Submit();
  EXPECT_EQ(plugin_.Ask("POST", "/v1/pools/pool-a/forget")->status(), 409);
  plugin_.submitter = nullptr;
  plugin_.loop.Advance(absl::Minutes(2));
  EXPECT_EQ(plugin_.Ask("POST", "/v1/pools/pool-a/forget")->status(), 200);
  EXPECT_THAT(plugin_.Get("/v1/jobs/" + uid), HasSubstr(R"("reason":"NodeLost")"));
  EXPECT_EQ(plugin_.Ask("POST", "/v1/pools/pool-a/forget")->status(), 404);
}

TEST_F(CliApiTest, DeletesAJob) {
  plugin_.StartSubmitter();
  const std::string uid = Submit();
  EXPECT_EQ(plugin_.Ask("DELETE", "/v1/jobs/default%2Ftry")->status(), 200);
  EXPECT_TRUE(plugin_.submitter_disk.jobs[uid].tombstone);
}

TEST_F(CliApiTest, ReadsTheLogOfTheFirstContainerUnlessTold) {
  plugin_.StartSubmitter();
  const std::string uid = Submit();
  plugin_.submitter->log = "hello\n";
  EXPECT_EQ(plugin_.Ask("GET", "/v1/logs", "", "job=" + uid)->body(), "hello\n");
  EXPECT_EQ(plugin_.Ask("GET", "/v1/logs", "", absl::StrCat("job=", uid, "&limit_bytes=3"))->body(),
            "hel");
  EXPECT_EQ(plugin_.Ask("GET", "/v1/logs", "", absl::StrCat("job=", uid, "&container=x"))->status(),
            404);
  EXPECT_EQ(plugin_.Ask("GET", "/v1/logs", "", absl::StrCat("job=", uid, "&tail=x"))->status(),
            400);
  EXPECT_EQ(plugin_.Ask("GET", "/v1/logs", "", "job=none")->status(), 404);
}

}  // namespace
}  // namespace podferry
