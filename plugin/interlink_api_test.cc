#include "plugin/interlink_api.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/base/testing/golden.h"
#include "core/base/testing/status_matchers.h"
#include "core/json/document.h"
#include "core/json/value.h"
#include "core/wire/codec.h"
#include "glog/logging.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "plugin/testing/daemon_under_test.h"

namespace podferry {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr char kUid[] = "6ba7b810-9dad-41d1-80b4-00c04fd430c8";
// Of create-simple.json.
constexpr char kSimpleUid[] = "50998ef5-7fc6-4aad-a3d3-4823e81163eb";

std::string Captured(const std::string& name) {
  return ReadTestData(absl::StrCat("core/testdata/interlink/", name, ".json"));
}

class InterLinkApiTest : public testing::Test {
 protected:
  DaemonUnderTest plugin_;
};

TEST_F(InterLinkApiTest, TakesWhatInterLinkSends) {
  for (const char* name : {"create-simple", "create-indexed-0", "create-indexed-1",
                           "create-lifecycle", "create-volumes"}) {
    const auto answer = plugin_.Ask("POST", "/create", Captured(name));
    EXPECT_EQ(answer->status(), 200) << name << ": " << answer->body();
  }
}

TEST_F(InterLinkApiTest, AnswersACreateWithTheUidAndTheJobId) {
  const auto answer = plugin_.Ask("POST", "/create", Captured("create-simple"));
  EXPECT_EQ(answer->status(), 200);
  EXPECT_EQ(answer->headers().Get("Content-Type"), "application/json");
  EXPECT_EQ(answer->body(),
            absl::StrCat(R"({"PodUID":")", kSimpleUid, R"(","PodJID":")", kSimpleUid, R"("})"));
  const auto list = plugin_.Ask("POST", "/create", absl::StrCat("[", CreateBody(kUid), "]"));
  EXPECT_EQ(list->status(), 200) << "older daemons send a list";
}

TEST_F(InterLinkApiTest, TheSameUidAgainStartsNothingNew) {
  plugin_.StartSubmitter();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(plugin_.Ask("POST", "/create", CreateBody(kUid))->status(), 200);
  }
  EXPECT_EQ(plugin_.hub.CountPublished("p.create.>"), 1);
  EXPECT_EQ(plugin_.Ask("POST", "/delete", StatusBody(kUid))->status(), 200);
  EXPECT_EQ(plugin_.Ask("POST", "/create", CreateBody(kUid))->status(), 200);
  EXPECT_EQ(plugin_.hub.CountPublished("p.create.>"), 1);
}

TEST_F(InterLinkApiTest, TwoCreatesAtOnceAreOne) {
  plugin_.store->HoldWrites();
  const auto first = plugin_.Ask("POST", "/create", CreateBody(kUid));
  const auto second = plugin_.Ask("POST", "/create", CreateBody(kUid));
  EXPECT_FALSE(first->complete());
  EXPECT_FALSE(second->complete()) << "it is not durable yet";
  plugin_.store->ReleaseWrites();
  plugin_.loop.RunUntilIdle();
  EXPECT_EQ(first->status(), 200);
  EXPECT_EQ(second->status(), 200);
}

TEST_F(InterLinkApiTest, AnAnswerMeansThatTheJobSurvives) {
  plugin_.Ask("POST", "/create", CreateBody(kUid));
  ASSERT_THAT(plugin_.Restart(), IsOk());
  EXPECT_THAT(plugin_.Get("/status", StatusBody(kUid)), HasSubstr(kUid));
}

TEST_F(InterLinkApiTest, AFullDiskIsNoReasonToFailAPodForEver) {
  plugin_.store->FailWrites(absl::ResourceExhaustedError("the disk is full"));
  const auto answer = plugin_.Ask("POST", "/create", CreateBody(kUid));
  EXPECT_EQ(answer->status(), 503);
  EXPECT_THAT(answer->body(), HasSubstr("the disk is full"));
  plugin_.store->FailWrites(absl::OkStatus());
  EXPECT_EQ(plugin_.Ask("POST", "/create", CreateBody(kUid))->status(), 200);
}

TEST_F(InterLinkApiTest, BadInputIsNamedAllAtOnce) {
  const std::string good = CreateBody(kUid);
  const auto with = [&](const std::string& from, const std::string& to) {
    const std::string bad = absl::StrReplaceAll(good, {{from, to}});
    CHECK_NE(bad, good);
    return bad;
  };
  const std::string toleration =
      R"({"key":"pool.vk.io","operator":"Equal","value":"pool-a","effect":"NoSchedule"})";
  struct Case {
    const char* name;
    std::string body;
    std::vector<std::string> fields;
  };
  const std::vector<Case> cases = {
      {"nothing", "", {"offset 0"}},
      {"no JSON", "{\"pod\":", {"line 1"}},
      {"a bomb", std::string(100'000, '['), {"deep"}},
      {"an empty list", "[]", {}},
      {"a list of two", absl::StrCat("[", good, ",", good, "]"), {}},
      {"text", "\"x\"", {}},
      {"no pod", "{}", {"pod"}},
      {"no uid", with(absl::StrCat(R"(,"uid":")", kUid, "\""), ""), {"pod.metadata.uid"}},
      {"no containers",
       with(R"([{"name":"main","image":"busybox","command":["true"]}])", "[]"),
       {"pod.spec.containers"}},
      {"a number for a name and a text for a list",
       absl::StrReplaceAll(good, {{R"("name":"main")", R"("name":3)"}, {"[\"true\"]", "\"true\""}}),
       {"pod.spec.containers[0].name", "pod.spec.containers[0].command"}},
      {"no pool", with(toleration, ""), {"pod.spec.tolerations"}},
      {"two pools",
       with(toleration,
            absl::StrCat(toleration, ",", absl::StrReplaceAll(toleration, {{"pool-a", "pool-b"}}))),
       {"pod.spec.tolerations"}},
      {"a pool called *", with("\"pool-a\"", "\"*\""), {"pod.spec.tolerations"}},
      {"a pool called >", with("\"pool-a\"", "\">\""), {"pod.spec.tolerations"}},
      {"a name with spaces",
       with("\"pod\",\"namespace\"", "\"a b\",\"namespace\""),
       {"pod.metadata.name"}},
      {"a name of 254 characters",
       with("\"pod\",\"namespace\"", absl::StrCat("\"", std::string(254, 'a'), "\",\"namespace\"")),
       {"pod.metadata.name"}},
      {"quantities",
       with(R"("command":["true"])",
            R"("resources":{"requests":{"cpu":"-1"},"limits":{"memory":"much"}})"),
       {"pod.spec.containers[0].resources.requests", "pod.spec.containers[0].resources.limits"}},
      {"an environment name",
       with(R"("command":["true"])", R"("env":[{"name":"A=B"}])"),
       {"pod.spec.containers[0].env[0].name"}},
      {"bad base64",
       with(R"("container":[])",
            R"("container":[{"name":"main","secrets":[{"metadata":{"name":"s"},)"
            R"("data":{"k":"%%%"}}]}])"),
       {"container[0].secrets[0].data"}},
      {"a ConfigMap that did not come",
       absl::StrReplaceAll(
           good, {{R"("command":["true"])", R"("volumeMounts":[{"name":"v","mountPath":"/v"}])"},
                  {R"("restartPolicy")",
                   R"("volumes":[{"name":"v","configMap":{"name":"cm"}}],"restartPolicy")"}}),
       {"pod.spec.volumes[0]"}},
      {"many things",
       absl::StrReplaceAll(good, {{"\"pool-a\"", "\"*\""},
                                  {R"("namespace":"default")", R"("namespace":"A")"},
                                  {"busybox", ""}}),
       {"pod.spec.tolerations", "pod.metadata.namespace"}},
  };
  for (const Case& c : cases) {
    const auto answer = plugin_.Ask("POST", "/create", c.body);
    EXPECT_EQ(answer->status(), 400) << c.name << ": " << answer->body();
    for (const std::string& field : c.fields) {
      EXPECT_THAT(answer->body(), HasSubstr(field)) << c.name;
    }
    EXPECT_THAT(json::Document::Parse(answer->body()), IsOk()) << c.name;
  }
  EXPECT_EQ(plugin_.disk->size(), 2u) << "half a job was left behind";  // origin and epoch
}

TEST_F(InterLinkApiTest, BadInputElsewhereIsNoFailureOfOurs) {
  struct Case {
    const char* method;
    const char* path;
    const char* body;
    int status;
  };
  const Case cases[] = {{"GET", "/status", "{", 400},
                        {"GET", "/status", "[3]", 400},
                        {"GET", "/status", "\"x\"", 400},
                        {"GET", "/status", R"([{"metadata":{"uid":3}}])", 400},
                        {"GET", "/status", "null", 200},
                        {"GET", "/status", "[{}]", 200},
                        {"POST", "/delete", "{", 400},
                        {"POST", "/delete", "{}", 400},
                        {"POST", "/delete", "[]", 400},
                        {"POST", "/delete", R"({"metadata":{"uid":"../x"}})", 400},
                        {"GET", "/getLogs", "{}", 400},
                        {"GET", "/getLogs", R"({"PodUID":"u","ContainerName":3})", 400},
                        {"GET", "/getLogs", R"({"PodUID":"u","ContainerName":"c"})", 404},
                        {"GET", "/create", "", 405},
                        {"GET", "/nothing", "", 404}};
  for (const Case& c : cases) {
    const auto answer = plugin_.Ask(c.method, c.path, c.body);
    EXPECT_EQ(answer->status(), c.status)
        << c.method << " " << c.path << " " << c.body << ": " << answer->body();
  }
}

TEST_F(InterLinkApiTest, AnUnknownPodHasNoStatus) {
  EXPECT_EQ(plugin_.Get("/status", StatusBody(kUid)), "[]");
  EXPECT_EQ(plugin_.Ask("POST", "/status", StatusBody(kUid))->body(), "[]");
}

TEST_F(InterLinkApiTest, AStatusListsEveryContainerWithTheReasonItWaits) {
  plugin_.Ask("POST", "/create", Captured("create-simple"));
  const std::string status = plugin_.Get("/status", Captured("status-simple"));
  EXPECT_THAT(status, HasSubstr(R"({"name":"simple","UID":"50998ef5-)"));
  EXPECT_THAT(status, HasSubstr(R"("namespace":"default")"));
  EXPECT_THAT(status, HasSubstr(R"("containers":[{"name":"main","state":{"waiting":)"
                                R"({"reason":"PoolUnknown")"));
  EXPECT_EQ(plugin_.Get("/status", absl::StrCat(R"([{"metadata":{"uid":")", kSimpleUid, "\"}}]")),
            status)
      << "the UID is enough";
}

TEST_F(InterLinkApiTest, AStatusFollowsTheJob) {
  plugin_.StartSubmitter();
  plugin_.Ask("POST", "/create", CreateBody(kUid));
  EXPECT_THAT(plugin_.Get("/status", StatusBody(kUid)), HasSubstr(R"("waiting")"));
  plugin_.submitter->BackendBegins(kUid);
  plugin_.loop.RunUntilIdle();
  EXPECT_THAT(plugin_.Get("/status", StatusBody(kUid)), HasSubstr(R"("running":{"startedAt":")"));
  plugin_.submitter->BackendEnds(kUid);
  plugin_.loop.RunUntilIdle();
  EXPECT_THAT(plugin_.Get("/status", StatusBody(kUid)), HasSubstr(R"("terminated":{"exitCode":0)"));
}

TEST_F(InterLinkApiTest, TheFirstAnswerForSeveralInitContainersHasAllOfThemWaiting) {
  const std::string create = absl::StrCat(
      R"({"pod":{"metadata":{"name":"p","namespace":"n","uid":")", kUid,
      R"("},"spec":{"restartPolicy":"Never","tolerations":[{"key":"pool.vk.io","operator":"Equal",)",
      R"("value":"pool-a"}],"initContainers":[{"name":"i1","image":"i","command":["true"]},)",
      R"({"name":"i2","image":"i","command":["true"]}],)",
      R"("containers":[{"name":"c1","image":"i","command":["true"]}]}},"container":[]})");
  const auto poll = [&](const char* status) {
    return plugin_.Get(
        "/status",
        absl::StrCat(R"([{"metadata":{"uid":")", kUid,
                     R"("},"spec":{"initContainers":[{"name":"i1"},{"name":"i2"}]},"status":{)",
                     status, "}}]"));
  };
  plugin_.StartSubmitter();
  plugin_.Ask("POST", "/create", create);
  plugin_.submitter->BackendBegins(kUid);
  plugin_.submitter->BackendEnds(kUid);
  plugin_.loop.RunUntilIdle();
  EXPECT_THAT(poll(""), Not(HasSubstr("terminated")));
  const char* seen = R"("initContainerStatuses":[{"name":"i1"},{"name":"i2"}])";
  EXPECT_THAT(poll(seen), HasSubstr("terminated"));
  EXPECT_THAT(poll(""), HasSubstr("terminated")) << "once is enough";
}

TEST_F(InterLinkApiTest, TheReasonToWaitChangesWithThePool) {
  plugin_.Ask("POST", "/create", CreateBody(kUid));
  EXPECT_THAT(plugin_.Get("/status", StatusBody(kUid)), HasSubstr("PoolUnknown"));
  plugin_.hub.StopServer();
  plugin_.loop.RunUntilIdle();
  EXPECT_THAT(plugin_.Get("/status", StatusBody(kUid)), HasSubstr("NatsUnavailable"));
}

TEST_F(InterLinkApiTest, ManyPodsMayBeAskedForAtOnce) {
  std::string body;
  for (int i = 0; i < 100; ++i) {
    const std::string uid = absl::StrCat("00000000-0000-0000-0000-", 100000000000 + i);
    plugin_.Ask("POST", "/create", CreateBody(uid));
    absl::StrAppend(&body, body.empty() ? "[" : ",", R"({"metadata":{"uid":")", uid, "\"}}");
  }
  const auto document = json::Document::Parse(plugin_.Get("/status", body + "]"));
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(document->Root(nullptr).Items().size(), 100u);
}

TEST_F(InterLinkApiTest, AJobThatNobodyKnowsIsLostAfterTheGrace) {
  EXPECT_EQ(plugin_.Get("/status", StatusBody(kUid, /*with_job_id=*/true)), "[]");
  std::string status;
  for (int i = 0; i < 20; ++i) {
    plugin_.loop.Advance(absl::Minutes(1));
    status = plugin_.Get("/status", StatusBody(kUid, /*with_job_id=*/true));
    if (i < 13) {
      ASSERT_EQ(status, "[]");
    }
  }
  EXPECT_THAT(status, HasSubstr(R"("state":{"terminated":{"exitCode":1,"reason":"Lost")"));
  EXPECT_EQ(plugin_.Get("/status", StatusBody(kUid)), "[]") << "it was never created";
}

TEST_F(InterLinkApiTest, ThePingTellsWhatThePoolsOffer) {
  EXPECT_EQ(plugin_.Get("/status", Captured("ping")), "[]");
  plugin_.StartSubmitter();
  EXPECT_EQ(plugin_.Get("/status", Captured("ping")),
            R"({"status":"ok","resources":{"cpu":"4","memory":"8Gi","pods":"10",)"
            R"("accelerators":[]},"taints":[]})");
  EXPECT_EQ(RenderPing({{"cpu", "1"}, {"nvidia.com/gpu", "2"}}),
            R"({"status":"ok","resources":{"cpu":"1","accelerators":[{"resourceType":)"
            R"("nvidia.com/gpu","available":"2"}]},"taints":[]})");
}

TEST_F(InterLinkApiTest, DeletesAreTakenForKnownAndUnknownPods) {
  plugin_.StartSubmitter();
  plugin_.Ask("POST", "/create", Captured("create-simple"));
  EXPECT_EQ(plugin_.Ask("POST", "/delete", Captured("delete-simple"))->status(), 200);
  EXPECT_TRUE(plugin_.submitter_disk.jobs[kSimpleUid].tombstone);
  EXPECT_EQ(plugin_.Ask("POST", "/delete", Captured("delete-simple"))->status(), 200);
  EXPECT_EQ(plugin_.Ask("POST", "/delete", StatusBody(kUid))->status(), 200);
  // The create that comes late starts nothing.
  EXPECT_EQ(plugin_.Ask("POST", "/create", CreateBody(kUid))->status(), 200);
  EXPECT_EQ(plugin_.hub.CountPublished("p.create.>"), 1);
}

TEST_F(InterLinkApiTest, ADeleteOfAJobThatWeHaveForgottenFindsItAtItsPool) {
  plugin_.StartSubmitter();
  plugin_.Ask("POST", "/create", Captured("create-simple"));
  const std::string origin = plugin_.daemon->origin();
  plugin_.disk = std::make_shared<MemoryStore::Disk>();
  DaemonOptions options = DaemonUnderTest::DefaultOptions();
  options.origin = origin;
  plugin_.hub.AddFault({.what = Fault::kDrop, .subject = "p.sync.>"});
  ASSERT_THAT(plugin_.Restart(options), IsOk());
  EXPECT_EQ(plugin_.Ask("POST", "/delete", Captured("delete-simple"))->status(), 200);
  plugin_.loop.Advance(absl::Seconds(5));
  EXPECT_TRUE(plugin_.submitter_disk.jobs[kSimpleUid].tombstone);
}

TEST_F(InterLinkApiTest, ADeleteThatOvertakesTheCreatesWriteWins) {
  plugin_.StartSubmitter();
  plugin_.store->HoldWrites();
  const auto create = plugin_.Ask("POST", "/create", CreateBody(kUid));
  const auto deletion = plugin_.Ask("POST", "/delete", StatusBody(kUid));
  EXPECT_FALSE(deletion->complete());
  plugin_.store->ReleaseWrites();
  plugin_.loop.RunUntilIdle();
  EXPECT_EQ(create->status(), 200);
  EXPECT_EQ(deletion->status(), 200);
  plugin_.submitter->RunEverything();
  plugin_.loop.Advance(absl::Minutes(1));
  EXPECT_LE(plugin_.counter.bodies[kUid], 0);
}

TEST_F(InterLinkApiTest, LogsComeAsText) {
  plugin_.StartSubmitter();
  plugin_.Ask("POST", "/create", Captured("create-simple"));
  plugin_.submitter->log = "hello\n";
  const auto answer = plugin_.Ask("GET", "/getLogs", Captured("logs-simple-main-plain"));
  EXPECT_TRUE(answer->complete());
  EXPECT_EQ(answer->status(), 200);
  EXPECT_EQ(answer->body(), "hello\n");
  EXPECT_THAT(std::string(answer->headers().Get("Content-Type")), HasSubstr("text/plain"));
}

TEST_F(InterLinkApiTest, FollowedLogsBeginAtOnceAndStopWithTheClient) {
  plugin_.StartSubmitter();
  plugin_.Ask("POST", "/create", Captured("create-simple"));
  plugin_.submitter->BackendBegins(kSimpleUid);
  const auto answer = plugin_.Ask("GET", "/getLogs", Captured("logs-simple-main-follow"));
  EXPECT_TRUE(answer->streaming());
  EXPECT_EQ(answer->status(), 200);
  plugin_.submitter->log = "line\n";
  plugin_.loop.Advance(absl::Seconds(1));
  EXPECT_THAT(answer->body(), testing::MatchesRegex("2026-01-01T00:00:0.\\.[0-9]{9}Z line\n"));
  EXPECT_EQ(plugin_.submitter->log_requests[0].tail_lines, 5);
  answer->ClientGoes();
  plugin_.loop.Advance(absl::Seconds(1));
  const size_t asked = plugin_.submitter->log_requests.size();
  plugin_.loop.Advance(absl::Minutes(2));
  EXPECT_EQ(plugin_.submitter->log_requests.size(), asked);
}

TEST_F(InterLinkApiTest, OfAPodThatWaitsTheLogIsEmpty) {
  plugin_.Ask("POST", "/create", Captured("create-simple"));
  const auto answer = plugin_.Ask("GET", "/getLogs", Captured("logs-simple-main-plain"));
  EXPECT_TRUE(answer->complete());
  EXPECT_EQ(answer->status(), 200);
  EXPECT_EQ(answer->body(), "");
}

TEST(ParseLogStructTest, ReadsEveryOption) {
  const absl::Time now = absl::FromUnixSeconds(1'800'000'000);
  Issues issues;
  PODFERRY_ASSERT_OK_AND_ASSIGN(
      LogQuery query,
      ParseLogStruct(R"({"PodUID":"u","ContainerName":"c","Opts":{"Tail":3,"Bytes":7,"Follow":true,
                         "Previous":true,"Timestamps":true,"SinceSeconds":60,
                         "SinceTime":"0001-01-01T00:00:00Z"}})",
                     now, &issues));
  EXPECT_TRUE(issues.empty());
  EXPECT_EQ(query.options.tail_lines, 3);
  EXPECT_EQ(query.options.limit_bytes, 7);
  EXPECT_TRUE(query.options.follow && query.options.previous && query.options.timestamps);
  EXPECT_EQ(query.options.since, now - absl::Minutes(1));
  PODFERRY_ASSERT_OK_AND_ASSIGN(
      query, ParseLogStruct(R"({"PodUID":"u","ContainerName":"c","Opts":{"Tail":0,"Bytes":0,
                               "SinceTime":"2027-01-15T08:00:00.5+01:00"}})",
                            now, &issues));
  EXPECT_TRUE(issues.empty());
  EXPECT_EQ(query.options.tail_lines, -1);
  EXPECT_EQ(query.options.limit_bytes, -1);
  EXPECT_EQ(query.options.since, now - absl::Hours(1) + absl::Milliseconds(500));
  PODFERRY_ASSERT_OK_AND_ASSIGN(
      query, ParseLogStruct(R"({"PodUID":"u","ContainerName":"c","Opts":{"Tail":-1,
                               "SinceTime":"yesterday"}})",
                            now, &issues));
  EXPECT_THAT(issues.ToString(), AllOf(HasSubstr("Opts.Tail"), HasSubstr("Opts.SinceTime")));
}

TEST_F(InterLinkApiTest, AShutdownTellsWhoAnswered) {
  auto submitter = plugin_.hub.Connect("S1");
  auto subscription = submitter->Subscribe("p.shutdown.night", "", [&](BusMessage message) {
    ShutdownReply reply;
    reply.by = {"S1", 1};
    reply.message = "draining 3 jobs";
    EXPECT_THAT(submitter->Respond(message, wire::Encode(reply)), IsOk());
  });
  ASSERT_THAT(subscription.status(), IsOk());
  const auto answer = plugin_.Ask("POST", "/shutdown/night");
  const auto nobody = plugin_.Ask("GET", "/shutdown/day");
  plugin_.loop.Advance(absl::Seconds(3));
  EXPECT_EQ(answer->status(), 200);
  EXPECT_EQ(answer->body(), R"({"submitters":{"S1":"draining 3 jobs"}})");
  EXPECT_EQ(nobody->status(), 404);
}

// A pod as interLink sends it for other plugins: no pool, and the site's own configuration.
std::string BuilderBody(const std::string& job_config = "{}", const std::string& container = "") {
  return absl::StrCat(
      R"({"pod":{"metadata":{"name":"pod","namespace":"default","uid":")", kUid,
      R"("},"spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"busybox",)",
      R"("command":["printf","it's"])", container, R"(}]}},"container":[],"jobConfig":)",
      job_config, "}");
}

constexpr char kBuilder[] = "/interlink/apptainer-cmd-builder";

TEST_F(InterLinkApiTest, BuildsAScriptForOtherPluginsWithoutAnyPool) {
  const auto answer = plugin_.Ask("POST", kBuilder, BuilderBody());
  ASSERT_EQ(answer->status(), 200) << answer->body();
  EXPECT_THAT(std::string(answer->headers().Get("Content-Type")), HasSubstr("text/plain"));
  EXPECT_THAT(answer->body(), AllOf(testing::StartsWith("#!/bin/bash\n"), HasSubstr("apptainer")));
  EXPECT_THAT(plugin_.Get("/v1/jobs"), Not(HasSubstr(kUid))) << "it is no job of ours";
}

TEST_F(InterLinkApiTest, BuildsScriptsAsInterLinksConfigurationWantsThem) {
  const auto answer = plugin_.Ask(
      "POST", kBuilder,
      BuilderBody(R"({"ApptainerOptions":{"executable":"/opt/mine/apptainer","fuseMode":"host"},)"
                  R"("Volumes":{"scratch_area":"/scratch/mine","image_dir":"/images/mine",)"
                  R"("additional_directories_in_path":["/extra/bin"]}})"));
  ASSERT_EQ(answer->status(), 200) << answer->body();
  EXPECT_THAT(answer->body(), AllOf(HasSubstr("/opt/mine/apptainer"), HasSubstr("/images/mine"),
                                    HasSubstr("/extra/bin")));
}

TEST_F(InterLinkApiTest, TheBuilderDoesWithoutAProxyThatGivesNoToken) {
  const auto answer = plugin_.Ask(
      "POST", kBuilder,
      BuilderBody(R"({"SingularityHubProxy":{"server":"hub:1","master_token":"master-secret"}})"));
  ASSERT_EQ(answer->status(), 200) << answer->body();
  EXPECT_THAT(std::string(answer->headers().Get("Podferry-Warnings")),
              AllOf(HasSubstr("shub_proxy.server"), HasSubstr("hub:1")));
  EXPECT_THAT(answer->body(), Not(HasSubstr("master-secret")));
}

TEST_F(InterLinkApiTest, TheBuilderNamesEveryFieldThatIsWrong) {
  const auto answer = plugin_.Ask("POST", kBuilder,
                                  BuilderBody(R"({"ApptainerOptions":{"fuseMode":"sideways"}})",
                                              R"(,"workingDir":7,"volumeMounts":[{"name":"none",)"
                                              R"("mountPath":"/x"}])"));
  EXPECT_EQ(answer->status(), 400);
  EXPECT_THAT(answer->body(), AllOf(HasSubstr("workingDir"), HasSubstr("volumeMounts[0]"),
                                    HasSubstr("jobConfig.ApptainerOptions.fuseMode")));
  const auto refused =
      plugin_.Ask("POST", kBuilder,
                  BuilderBody("{}", R"(,"volumeDevices":[{"name":"v","devicePath":"/dev/x"}],)"
                                    R"("securityContext":{"privileged":true})"));
  EXPECT_EQ(refused->status(), 400);
  EXPECT_THAT(refused->body(),
              AllOf(HasSubstr("spec.containers[0].volumeDevices"), HasSubstr("privileged")));
  EXPECT_EQ(plugin_.Ask("POST", kBuilder, "{")->status(), 400);
}

}  // namespace
}  // namespace podferry
