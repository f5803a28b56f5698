// The main job, nothing mocked: interLink's requests in, real NATS between, real processes at the
// pool, true states and live logs back.

#include <unistd.h>

#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/json/document.h"
#include "e2e/harness/heartbeat.h"
#include "e2e/harness/site.h"
#include "e2e/harness/user.h"
#include "e2e/harness/wait.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(MainJobTest, APodGoesOutRunsAndComesBackWithItsLog) {
  Site site;
  site.StartAll();
  PodRequest pod = PodRequest::Shell("simple", "echo hello; echo oops >&2; exit 3");
  HttpAnswer created = site.http().Post("/create", pod.CreateBody());
  ASSERT_EQ(created.code, 200) << created.body;
  EXPECT_THAT(created.body, HasSubstr(absl::StrCat("\"PodUID\":\"", pod.uid, "\"")));
  PodAnswer answer;
  ASSERT_TRUE(site.WaitForEnd(pod, &answer)) << answer.ToString();
  ASSERT_EQ(answer.containers.size(), 1u);
  EXPECT_EQ(answer.containers[0].exit_code, 3);
  EXPECT_EQ(answer.containers[0].reason, "Error");
  EXPECT_EQ(site.Log(pod), "hello\noops\n");
}

TEST(MainJobTest, APodIsTheSubmittersUser) {
  Site site;
  site.StartAll();
  PodRequest pod = PodRequest::Shell("user", "id -u; id -G");
  ASSERT_EQ(site.Create(pod), 200);
  PodAnswer answer;
  ASSERT_TRUE(site.WaitForEnd(pod, &answer)) << answer.ToString();
  const std::optional<User> user = TestUser();
  if (user.has_value()) {
    EXPECT_EQ(site.Log(pod), absl::StrCat(user->uid, "\n", user->gid, "\n"));
  } else {
    EXPECT_THAT(site.Log(pod), StartsWith(absl::StrCat(getuid(), "\n")));
  }
}

TEST(MainJobTest, LogsArriveWhileThePodRuns) {
  Site site;
  site.StartAll();
  std::string gate = site.Path("gate");
  PodRequest pod = PodRequest::Shell("live", absl::StrCat("echo first; while [ ! -e ", gate,
                                                          " ]; do sleep 0.05; done; echo last"));
  ASSERT_EQ(site.Create(pod), 200);
  auto stream = site.http().StartGet("/getLogs", pod.LogBody("main", R"({"Follow":true})"));
  ASSERT_TRUE(WaitFor([&] { return stream->Received() == "first\n"; })) << stream->Received();
  EXPECT_FALSE(stream->Ended());
  EXPECT_EQ(site.Status(pod).containers.at(0).state, "running");
  std::ofstream{gate};
  ASSERT_TRUE(WaitFor([&] { return stream->Ended(); }));
  EXPECT_EQ(stream->Received(), "first\nlast\n");
}

TEST(MainJobTest, DeleteEndsTheWholeProcessTreeAfterItsGrace) {
  Site site;
  site.StartAll();
  Heartbeat heart(site);
  PodRequest pod =
      PodRequest::Shell("tree", absl::StrCat("trap 'echo bye > ", site.Path("bye"),
                                             "; exit 0' TERM; ", "(setsid sh -c '", heart.Script(),
                                             "' &) ; while :; do sleep 0.05; done"));
  pod.grace_seconds = 5;
  ASSERT_EQ(site.Create(pod), 200);
  ASSERT_TRUE(WaitFor([&] { return heart.HasBegun(); }));
  ASSERT_EQ(site.Delete(pod), 200);
  ASSERT_TRUE(WaitFor([&] { return ReadFile(site.Path("bye")) == "bye\n"; }));
  EXPECT_TRUE(WaitFor([&] { return !heart.Runs(); }));
}

TEST(MainJobTest, APodSeesNoSecretOfAnotherInTheSubmittersState) {
  Site site;
  site.StartAll();
  PodRequest owner = PodRequest::Shell("owner", "echo up; sleep 1000");
  owner.containers[0].env.emplace_back("PASSWORD", "dont-tell-anybody");
  ASSERT_EQ(site.Create(owner), 200);
  ASSERT_TRUE(WaitFor([&] { return site.Log(owner) == "up\n"; }));
  PodRequest thief = PodRequest::Shell(
      "thief",
      absl::StrCat("grep -rsl dont-tell- ", site.Path("submitter"), " /proc/[0-9]*/environ",
                   " | grep -v /proc/self; echo; ls -A ", site.Path("submitter")));
  ASSERT_EQ(site.Create(thief), 200);
  PodAnswer answer;
  ASSERT_TRUE(site.WaitForEnd(thief, &answer)) << answer.ToString();
  EXPECT_EQ(site.Log(thief), "\n");
  EXPECT_EQ(site.Delete(owner), 200);
}

TEST(MainJobTest, InitContainersRunInOrderAndAFailedOneEndsThePod) {
  Site site;
  site.StartAll();
  PodRequest pod = PodRequest::Shell("init", "echo main >> " + site.Path("order"));
  pod.init_containers.push_back(
      {.name = "one", .command = {"/bin/sh", "-c", "echo one >> " + site.Path("order")}});
  pod.init_containers.push_back(
      {.name = "two",
       .command = {"/bin/sh", "-c", "echo two >> " + site.Path("order") + "; exit 4"}});
  ASSERT_EQ(site.Create(pod), 200);
  PodAnswer answer;
  ASSERT_TRUE(site.WaitForEnd(pod, &answer)) << answer.ToString();
  EXPECT_EQ(ReadFile(site.Path("order")), "one\ntwo\n");
  EXPECT_EQ(answer.init_containers.at(0).exit_code, 0);
  EXPECT_EQ(answer.init_containers.at(1).exit_code, 4);
  EXPECT_EQ(answer.containers.at(0).state, "terminated");
  EXPECT_NE(answer.containers.at(0).exit_code, 0);
}

TEST(MainJobTest, CreateIsAcceptedWhileNatsIsDownAndRunsOnceItIsBack) {
  Site site;
  site.StartAll();
  site.nats()->Kill();
  PodRequest pod = PodRequest::Shell("later", "echo run >> " + site.Path("runs"));
  ASSERT_EQ(site.Create(pod), 200);
  PodAnswer waiting = site.Status(pod);
  ASSERT_EQ(waiting.containers.size(), 1u);
  EXPECT_EQ(waiting.containers[0].state, "waiting");
  EXPECT_FALSE(waiting.containers[0].message.empty());
  site.StartNats();
  PodAnswer answer;
  ASSERT_TRUE(site.WaitForEnd(pod, &answer)) << answer.ToString();
  EXPECT_EQ(ReadFile(site.Path("runs")), "run\n");
}

TEST(MainJobTest, ACreateThatIsRepeatedRunsOnce) {
  Site site;
  site.StartAll();
  PodRequest pod = PodRequest::Shell("twice", "echo run >> " + site.Path("runs"));
  for (int i = 0; i < 5; ++i) ASSERT_EQ(site.Create(pod), 200);
  PodAnswer answer;
  ASSERT_TRUE(site.WaitForEnd(pod, &answer)) << answer.ToString();
  ASSERT_EQ(site.Create(pod), 200);
  EXPECT_EQ(ReadFile(site.Path("runs")), "run\n");
}

TEST(MainJobTest, AnUnknownPodGetsAnEmptyListAndThePingTheCapacity) {
  Site site;
  site.StartAll();
  PodRequest pod = PodRequest::Shell("never", "true");
  HttpAnswer status = site.http().Get("/status", pod.StatusBody());
  EXPECT_EQ(status.code, 200);
  EXPECT_EQ(status.body, "[]");
  HttpAnswer ping = site.http().Get("/status", "[]");
  EXPECT_EQ(ping.code, 200);
  auto document = json::Document::Parse(ping.body);
  ASSERT_TRUE(document.ok()) << ping.body;
  json::Value resources = document->Root(nullptr).Get("resources");
  EXPECT_EQ(resources.Get("cpu").StringOr(""), "4") << ping.body;
  EXPECT_EQ(resources.Get("memory").StringOr(""), "8Gi") << ping.body;
  EXPECT_EQ(resources.Get("pods").StringOr(""), "100") << ping.body;
}

TEST(MainJobTest, TwentyIncompressibleMebibytesArriveByteIdentical) {
  Site site;
  site.StartAll();
  std::string bytes(20 << 20, '\0');
  uint64_t state = 88172645463325252u;
  for (char& byte : bytes) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    byte = static_cast<char>(state);
  }
  PodRequest pod =
      PodRequest::Shell("big", absl::StrCat("cp /payload/blob ", site.Path("copy.part"), " && mv ",
                                            site.Path("copy.part"), " ", site.Path("copy")));
  pod.volumes = R"([{"name":"data","configMap":{"name":"big"}}])";
  pod.containers[0].mounts["data"] = "/payload";
  pod.containers[0].config_maps["big"] = absl::StrCat(
      R"({"metadata":{"name":"big"},"binaryData":{"blob":")", absl::Base64Escape(bytes), "\"}}");
  ASSERT_EQ(site.Create(pod), 200);
  PodAnswer answer;
  ASSERT_TRUE(site.WaitForEnd(pod, &answer)) << answer.ToString();
  EXPECT_EQ(answer.containers.at(0).exit_code, 0) << site.Log(pod);
  EXPECT_TRUE(ReadFile(site.Path("copy")) == bytes);
}

}  // namespace
}  // namespace podferry::e2e
