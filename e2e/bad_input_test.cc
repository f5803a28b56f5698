// Bad input against the real plugin: an answer of the right class that names every field at once,
// nothing of the refused pod left behind, and a daemon that goes on. Damage to its journal, too.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/json/document.h"
#include "e2e/harness/site.h"
#include "e2e/harness/wait.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;

constexpr absl::string_view kMetadata =
    R"({"name":"bad","namespace":"default","uid":"0c9b5f1e-0000-4000-8000-000000000001"})";
constexpr absl::string_view kTolerations =
    R"([{"key":"pool.vk.io","operator":"Equal","value":"pool-a"}])";
constexpr absl::string_view kContainers = R"([{"name":"main","image":"i","command":["true"]}])";

// The body of POST /create, from the parts that a case gets wrong.
struct Parts {
  std::string metadata = std::string(kMetadata);
  std::string tolerations = std::string(kTolerations);
  std::string containers = std::string(kContainers);
  std::string volumes = "[]";
  std::string data = "[]";  // "container", beside the pod: what its volumes hold
};

std::string Body(const Parts& parts) {
  return absl::StrCat(R"({"pod":{"metadata":)", parts.metadata, R"(,"spec":{"tolerations":)",
                      parts.tolerations, R"(,"containers":)", parts.containers, R"(,"volumes":)",
                      parts.volumes, R"(}},"container":)", parts.data, "}");
}

std::string Container(absl::string_view more) {
  return absl::StrCat(R"([{"name":"main","image":"i","command":["true"],)", more, "}]");
}

std::string Metadata(absl::string_view name) {
  return absl::StrCat(R"({"name":")", name,
                      R"(","namespace":"default","uid":"0c9b5f1e-0000-4000-8000-000000000002"})");
}

std::string Pool(absl::string_view name) {
  return absl::StrCat(R"([{"key":"pool.vk.io","operator":"Equal","value":")", name, R"("}])");
}

std::string Repeat(absl::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) absl::StrAppend(&out, text);
  return out;
}

struct Case {
  std::string name;
  std::string body;
  std::vector<std::string> fields;  // all that the answer names; none: the document is broken
};

std::vector<Case> Cases() {
  const std::string kCpu = "pod.spec.containers[0].resources.";
  return {
      {"empty", "", {}},
      {"malformed", R"({"pod": {)", {}},
      {"more after its end", Body({}) + "x", {}},
      {"not UTF-8", "{\"pod\":\"\xff\"}", {}},
      {"a bomb of lists", Repeat("[", 1000000), {}},
      {"a bomb of objects", Repeat(R"({"pod":)", 200000), {}},
      {"a bomb inside the pod", Body({.volumes = Repeat("[", 50000) + Repeat("]", 50000)}), {}},
      {"two pods", absl::StrCat("[", Body({}), ",", Body({}), "]"), {}},
      {"no pod", "{}", {"pod"}},
      {"no metadata, no spec", R"({"pod":{}})", {"pod.metadata", "pod.spec"}},
      {"no uid", Body({.metadata = R"({"name":"bad","namespace":"d"})"}), {"pod.metadata.uid"}},
      {"no containers", Body({.containers = "[]"}), {"pod.spec.containers"}},
      {"wrong types",
       Body({.metadata = R"({"name":"bad","namespace":"d","uid":7})",
             .containers = R"([{"name":3,"image":"i","command":"true","env":{}}])"}),
       {"pod.metadata.uid", "pod.spec.containers[0].name", "pod.spec.containers[0].command",
        "pod.spec.containers[0].env"}},
      {"no pool", Body({.tolerations = "[]"}), {"pod.spec.tolerations"}},
      {"two pools",
       Body({.tolerations = R"([{"key":"pool.vk.io","operator":"Equal","value":"a"},)"
                            R"({"key":"pool.vk.io","operator":"Equal","value":"b"}])"}),
       {"pod.spec.tolerations[1].value"}},
      {"pool *", Body({.tolerations = Pool("*")}), {"pod.spec.tolerations[0].value"}},
      {"pool >", Body({.tolerations = Pool(">")}), {"pod.spec.tolerations[0].value"}},
      {"a pool of 64",
       Body({.tolerations = Pool(std::string(64, 'p'))}),
       {"pod.spec.tolerations[0].value"}},
      {"a name of 254", Body({.metadata = Metadata(std::string(254, 'n'))}), {"pod.metadata.name"}},
      {"a name that climbs", Body({.metadata = Metadata("../../etc")}), {"pod.metadata.name"}},
      {"quantities",
       Body({.containers = Container(R"("resources":{"requests":{"cpu":"-1","memory":"much"},)"
                                     R"("limits":{"memory":"1e400"}})")}),
       {kCpu + "requests.cpu", kCpu + "requests.memory", kCpu + "limits.memory"}},
      {"variables",
       Body({.containers = Container(R"("env":[{"name":""},{"name":"A=B"},{"name":"OK"},)"
                                     R"({"name":"C","value":"\u0000"}])")}),
       {"pod.spec.containers[0].env[0].name", "pod.spec.containers[0].env[1].name",
        "pod.spec.containers[0].env[3].value"}},
      {"base64",
       Body({.data = R"([{"name":"main","configMaps":[{"metadata":{"name":"c"},)"
                     R"("binaryData":{"b":"%%"}}],"secrets":[{"metadata":{"name":"s"},)"
                     R"("data":{"p":"hush=hush"}}]}])"}),
       {"container[0].configMaps[0].binaryData.b", "container[0].secrets[0].data.p"}},
      {"data that did not come",
       Body({.containers = Container(R"("volumeMounts":[{"name":"v","mountPath":"/v"}])"),
             .volumes = R"([{"name":"v","configMap":{"name":"c"}}])"}),
       {"pod.spec.volumes[0].configMap"}},
      {"many at once",
       Body({.metadata = R"({"name":"Bad","namespace":"d"})",
             .tolerations = Pool("*"),
             .containers = Container(R"("env":[{"name":"A=B"}],)"
                                     R"("resources":{"requests":{"cpu":"-1"}})")}),
       {"pod.metadata.name", "pod.metadata.uid", "pod.spec.tolerations[0].value",
        "pod.spec.containers[0].env[0].name", kCpu + "requests.cpu"}},
  };
}

std::vector<std::string> FieldsOf(const std::string& body) {
  std::vector<std::string> fields;
  auto document = json::Document::Parse(body);
  if (!document.ok()) return {"not JSON: " + body};
  for (json::Value issue : document->Root(nullptr).Get("issues").Items()) {
    fields.emplace_back(issue.Get("field").StringOr(""));
  }
  return fields;
}

// What /v1/jobs says when there is none.
constexpr char kNoJobs[] = R"({"jobs":[]})";

TEST(BadInputTest, ARefusedPodNamesEveryFieldAtOnceAndLeavesNothing) {
  Site site;
  site.StartNats();
  site.StartPlugin();
  for (const Case& it : Cases()) {
    SCOPED_TRACE(it.name);
    HttpAnswer answer = site.http().Post("/create", it.body);
    EXPECT_EQ(answer.code, 400) << answer.body << answer.error;
    EXPECT_THAT(answer.body, HasSubstr(R"("error":")"));
    EXPECT_THAT(FieldsOf(answer.body), UnorderedElementsAreArray(it.fields)) << answer.body;
    EXPECT_EQ(site.http().Get("/v1/jobs").body, kNoJobs);
  }
  // The bad base64 came in a Secret: no answer and no log may repeat it.
  EXPECT_FALSE(absl::StrContains(ReadFile(site.Path("plugin.log")), "hush"));
  // Nor did any of it reach the journal.
  site.plugin()->Kill();
  site.StartPlugin();
  EXPECT_EQ(site.http().Get("/v1/jobs").body, kNoJobs);
}

TEST(BadInputTest, EveryOtherPathRefusesWhatItCannotReadAndStaysUp) {
  Site site;
  site.StartNats();
  site.StartPlugin();
  const std::vector<std::string> broken = {"", "{", "7", R"("pod")", "[[]]", Repeat("[", 100000)};
  for (const std::string& body : broken) {
    SCOPED_TRACE(body.substr(0, 10));
    EXPECT_EQ(site.http().Post("/delete", body).code, 400);
    EXPECT_EQ(site.http().Get("/status", body).code, 400);
    EXPECT_EQ(site.http().Get("/getLogs", body).code, 400);
    EXPECT_EQ(site.http().Post("/v1/jobs", body).code, 400);
  }
  EXPECT_EQ(site.http().Get("/create").code, 405);
  EXPECT_EQ(site.http().Get("/nothing/here").code, 404);
  EXPECT_EQ(site.http().Get("/healthz").code, 200);
  EXPECT_EQ(site.http().Get("/v1/jobs").body, kNoJobs);
}

TEST(BadInputTest, WhatMayWorkLaterIsAcceptedAndSaysWhyItWaits) {
  for (const std::string& name : {std::string("a.name.with.dots"), std::string(253, 'n')}) {
    SCOPED_TRACE(name);
    Site site;
    site.StartNats();
    site.StartPlugin();
    PodRequest pod = PodRequest::Shell(name, "true");
    ASSERT_EQ(site.Create(pod), 200);
    // First it is the plugin itself that is not connected yet.
    PodAnswer waiting;
    EXPECT_TRUE(WaitFor([&] {
      waiting = site.Status(pod);
      return absl::StrContains(waiting.ToString(), "pool-a");
    })) << waiting.ToString();
    ASSERT_EQ(waiting.containers.size(), 1u);
    EXPECT_EQ(waiting.containers[0].state, "waiting");
    site.StartSubmitter();
    ASSERT_TRUE(site.WaitForEnd(pod, &waiting)) << waiting.ToString();
    EXPECT_EQ(waiting.containers.at(0).exit_code, 0);
  }
}

// The plugin's only journal segment, the daemon being down.
std::string JournalOf(const Site& site) {
  std::string found;
  for (const auto& file : std::filesystem::directory_iterator(site.Path("plugin/journal"))) {
    if (file.path().extension() == ".log") found = file.path();
  }
  return found;
}

// Creates, while no pool is there, pods whose records are far larger than anything else in the
// journal; then ends the plugin. The last is the one whose record ends the journal.
std::vector<PodRequest> FillJournal(Site& site) {
  std::vector<PodRequest> pods;
  for (int i = 0; i < 5; ++i) {
    pods.push_back(PodRequest::Shell(absl::StrCat("pod-", i), ": " + std::string(20000, 'x')));
    EXPECT_EQ(site.Create(pods.back()), 200);
  }
  site.plugin()->Kill();
  return pods;
}

int KnownOf(const Site& site, const std::vector<PodRequest>& pods) {
  int known = 0;
  for (const PodRequest& pod : pods) known += site.Status(pod).known ? 1 : 0;
  return known;
}

TEST(JournalDamageTest, ATruncatedJournalLosesItsTailAloneAndSaysSo) {
  Site site;
  site.StartNats();
  site.StartPlugin();
  std::vector<PodRequest> pods = FillJournal(site);
  std::string journal = JournalOf(site);
  std::filesystem::resize_file(journal, std::filesystem::file_size(journal) - 10);
  site.StartPlugin();
  EXPECT_THAT(site.http().Get("/healthz").body, HasSubstr("torn write cut off"));
  EXPECT_THAT(ReadFile(site.Path("plugin.log")), HasSubstr("the store was damaged"));
  EXPECT_GE(KnownOf(site, pods), 4);
  // interLink sends what it has no JobID for again; a second create is as good as the first.
  for (const PodRequest& pod : pods) EXPECT_EQ(site.Create(pod), 200);
  EXPECT_EQ(KnownOf(site, pods), 5);
}

TEST(JournalDamageTest, AFlippedByteLosesItsRecordAloneAndDegradesReadiness) {
  Site site;
  site.StartNats();
  site.StartPlugin();
  std::vector<PodRequest> pods = FillJournal(site);
  std::string bytes = ReadFile(JournalOf(site));
  // The pods' records are almost all of the file, so the middle byte is inside one of them.
  bytes[bytes.size() / 2] ^= 0x10;
  std::ofstream(JournalOf(site), std::ios::binary) << bytes;
  site.StartPlugin();
  HttpAnswer health = site.http().Get("/healthz");
  EXPECT_EQ(health.code, 503);
  EXPECT_THAT(health.body, HasSubstr("wrong checksum"));
  EXPECT_THAT(ReadFile(site.Path("plugin.log")), HasSubstr("the store was damaged"));
  EXPECT_GE(KnownOf(site, pods), 4);
  EXPECT_EQ(site.Create(PodRequest::Shell("next", "true")), 200);
}

}  // namespace
}  // namespace podferry::e2e
