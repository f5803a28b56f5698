// The pool's BuildConfig while everything runs: edits are published at once, a broken one leaves
// the last good one in use and says so, and what a pod loses by it is visible in its status.

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "e2e/harness/process.h"
#include "e2e/harness/site.h"
#include "e2e/harness/wait.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ConfigTest : public testing::Test {
 protected:
  void Start() {
    site_.StartNats();
    site_.StartPlugin();
    const int port = FreePort();
    metrics_ = absl::StrCat("http://127.0.0.1:", port);
    site_.StartSubmitter("", {"--metrics-listen", absl::StrCat("127.0.0.1:", port)});
    ASSERT_TRUE(site_.WaitForPool());
    ASSERT_TRUE(WaitFor([&] { return HttpClient(metrics_).Get("/healthz").body == "ok\n"; }));
  }
  // As an editor does it: a new file in the old one's place.
  void Edit(const std::string& text) {
    std::ofstream(site_.Path("build.toml.new")) << text;
    ASSERT_EQ(std::rename(site_.Path("build.toml.new").c_str(), site_.Path("build.toml").c_str()),
              0);
  }
  std::string Pools() {
    const std::string log = site_.Path(absl::StrCat("pools-", ++runs_, ".log"));
    auto process = Process::Start(
        {.argv = {Program("tools/podferry/podferry"), "--plugin", site_.http().base(), "pools"},
         .log = log});
    EXPECT_EQ(process->WaitForExit(kDeadline), 0);
    return ReadFile(log);
  }

  Site site_;
  std::string metrics_;
  int runs_ = 0;
};

TEST_F(ConfigTest, AnEditIsPublishedAtOnceAndABrokenOneLeavesTheLastGoodOneInUse) {
  Start();
  Edit("[runtime]\nkind = \"host\"\n[resources]\ncpu = 77\n");
  const absl::Time begin = absl::Now();
  EXPECT_TRUE(WaitFor(
      [&] { return absl::StrContains(site_.http().Get("/v1/pools").body, "\"cpu\":\"77\""); }));
  const absl::Duration took = absl::Now() - begin;
  EXPECT_LT(took, absl::Seconds(1));
  EXPECT_THAT(Pools(), HasSubstr("0/77"));

  Edit("[runtime]\nkind = \"hots\"\n[resources]\ncpu = 78\n");
  EXPECT_TRUE(WaitFor(
      [&] { return absl::StrContains(ReadFile(site_.Path("submitter.log")), "\"hots\""); }));
  const HttpAnswer health = HttpClient(metrics_).Get("/healthz");
  EXPECT_EQ(health.code, 200) << "a restart would not mend it";
  EXPECT_THAT(health.body, AllOf(HasSubstr("runtime.kind: line 2, column 8: want one of"),
                                 HasSubstr("\"hots\"")));
  EXPECT_THAT(HttpClient(metrics_).Get("/metrics").body,
              HasSubstr("podferry_submitter_build_config_refused 1"));
  EXPECT_THAT(Pools(), HasSubstr("0/77"));
  const PodRequest pod = PodRequest::Shell("works", "exit 0");
  ASSERT_EQ(site_.Create(pod), 200);
  PodAnswer answer;
  EXPECT_TRUE(site_.WaitForEnd(pod, &answer)) << answer.ToString();

  Edit("[runtime]\nkind = \"host\"\n[resources]\ncpu = 79\n");
  EXPECT_TRUE(WaitFor(
      [&] { return absl::StrContains(site_.http().Get("/v1/pools").body, "\"cpu\":\"79\""); }));
  EXPECT_EQ(HttpClient(metrics_).Get("/healthz").body, "ok\n");
  EXPECT_THAT(HttpClient(metrics_).Get("/metrics").body,
              HasSubstr("podferry_submitter_build_config_refused 0"));
}

TEST_F(ConfigTest, TheStrictDoNotStartWithAnUnknownKeyAndHearOfAllAtOnce) {
  const std::string file = site_.Path("strict.toml");
  std::ofstream(file) << "[runtime]\nkind = \"host\"\nbwrap = \"b\"\n[slrum]\n";
  const std::string log = site_.Path("strict.log");
  auto process =
      Process::Start({.argv = {Program("submitter/submitter"), "host", "--pool", "p", "--state",
                               site_.Path("strict"), "--build-config", file, "--strict"},
                      .log = log});
  EXPECT_EQ(process->WaitForExit(kDeadline), 2);
  EXPECT_THAT(ReadFile(log), AllOf(HasSubstr("runtime.bwrap: line 3, column 1: unknown key; the "
                                             "nearest known one is bwrap_executable"),
                                   HasSubstr("slrum: line 4")));
}

TEST_F(ConfigTest, WhatIsIgnoredOfAPodAndWhatIsRefusedStandsInItsStatus) {
  Start();
  PodRequest refused = PodRequest::Shell("refused", "true");
  refused.volumes =
      R"([{"name":"a","csi":{"driver":"x.example.org"}},{"name":"b","csi":{"driver":"x.example.org"}}])";
  refused.containers[0].mounts = {{"a", "/a"}, {"b", "/b"}};
  ASSERT_EQ(site_.Create(refused), 200);
  PodAnswer answer;
  ASSERT_TRUE(site_.WaitForEnd(refused, &answer)) << answer.ToString();
  EXPECT_THAT(answer.containers[0].message,
              AllOf(HasSubstr("spec.volumes[0]"), HasSubstr("spec.volumes[1]")));

  const PodRequest warned = PodRequest::Shell("warned", "exit 3");
  std::string body = warned.CreateBody();
  body.replace(body.find("\"spec\":{"), 8, "\"spec\":{\"runtimeClassName\":\"gvisor\",");
  ASSERT_EQ(site_.http().Post("/create", body).code, 200);
  ASSERT_TRUE(site_.WaitForEnd(warned, &answer)) << answer.ToString();
  EXPECT_THAT(answer.containers[0].message, HasSubstr("ignored: spec.runtimeClassName"));
  EXPECT_THAT(site_.http().Get("/v1/jobs").body,
              HasSubstr("\"warnings\":[\"spec.runtimeClassName"));
}

// Plays the script of a runtime with images: it says what it is told to in its status files, and
// goes on to the next when a file appears.
std::string Player(const std::vector<std::string>& statuses, const std::string& folder) {
  std::string script =
      "#!/bin/bash\n# podferry-script 1: plays a runtime\n"
      "cd -- \"$PODFERRY_SANDBOX\" && mkdir -p status logs/00.main || exit 1\n"
      "set -C; { echo $$ > started; } || exit 213; set +C\n"
      "stat=$(< /proc/$$/stat); set -- ${stat##*) }\n"
      "printf '%s %s %s\\n' \"$(< /proc/sys/kernel/random/boot_id)\" $$ \"${20}\" > pid.tmp\n"
      "mv pid.tmp script.pid\n";
  for (size_t i = 0; i < statuses.size(); ++i) {
    absl::StrAppend(&script, "printf '", statuses[i],
                    "' > status.tmp && mv status.tmp status/00.main\n");
    // An end is shown once the job is over.
    if (i + 1 == statuses.size()) break;
    absl::StrAppend(&script, "until [ -e ", folder, "/step.", i, " ]; do sleep 0.02; done\n");
  }
  return script + "printf 'exit=1\\nreason=Error\\n' > f.tmp && mv f.tmp finished\n";
}

std::string JsonEscaped(const std::string& text) {
  return absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}});
}

TEST_F(ConfigTest, WhatARuntimeSaysOfAnImageReachesInterLinkInItsOwnWords) {
  Start();
  const std::vector<std::string> statuses = {
      "state=waiting\\nreason=ErrImagePull\\nmessage=FATAL: manifest %%22x%%22 unknown\\n",
      "state=waiting\\nreason=ImagePullBackOff\\nmessage=back-off 10s\\nrestarts=0\\n",
      "state=running\\nstarted=1800000000\\nready=0\\nimage_id=sha256:1234\\nrestarts=2\\n"
      "last_state=terminated\\nlast_reason=OOMKilled\\nlast_exit=137\\nlast_signal=9\\n"
      "last_message=too big\\nlast_started=1800000000\\nlast_finished=1800000005\\n",
      "state=terminated\\nreason=CreateContainerConfigError\\nmessage=no apptainer "
      "here\\nexit=128\\n"
      "finished=1800000009\\nimage_id=sha256:1234\\nrestarts=2\\n"};
  const std::vector<std::vector<std::string>> wanted = {
      {R"("waiting":{"reason":"ErrImagePull","message":"FATAL: manifest \"x\" unknown"})"},
      {R"("waiting":{"reason":"ImagePullBackOff","message":"back-off 10s"})"},
      {R"("running":{"startedAt":"2027-01-15T08:00:00Z"})", R"("imageID":"sha256:1234")",
       R"("restartCount":2)", R"("ready":false)",
       R"("lastState":{"terminated":{"exitCode":137,"signal":9,"reason":"OOMKilled",)"
       R"("message":"too big","startedAt":"2027-01-15T08:00:00Z",)"
       R"("finishedAt":"2027-01-15T08:00:05Z"}})"},
      {R"("terminated":{"exitCode":128,"reason":"CreateContainerConfigError",)"
       R"("message":"no apptainer here")",
       R"("imageID":"sha256:1234")"}};
  const PodRequest pod = PodRequest::Shell("played", "true");
  std::string body = pod.CreateBody();
  ASSERT_EQ(body.front(), '{');
  body.insert(
      1, absl::StrCat("\"jobScript\":\"", JsonEscaped(Player(statuses, site_.folder())), "\","));
  ASSERT_EQ(site_.http().Post("/create", body).code, 200);
  for (size_t i = 0; i < wanted.size(); ++i) {
    std::string answer;
    for (const std::string& words : wanted[i]) {
      EXPECT_TRUE(WaitFor(
          [&] {
            answer = site_.http().Get("/status", pod.StatusBody()).body;
            return absl::StrContains(answer, words);
          },
          absl::Seconds(20)))
          << "wanted " << words << "\ngot " << answer;
    }
    std::ofstream(site_.Path(absl::StrCat("step.", i))) << "go on";
  }
}

}  // namespace
}  // namespace podferry::e2e
