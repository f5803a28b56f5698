// Daemons go and come back while pods run: nothing is lost, doubled or forgotten.

#include <signal.h>

#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "e2e/harness/heartbeat.h"
#include "e2e/harness/site.h"
#include "e2e/harness/wait.h"
#include "gtest/gtest.h"

namespace podferry::e2e {
namespace {

// A pod that counts its starts, then runs until `gate` exists.
PodRequest Gated(const Site& site, const std::string& gate) {
  return PodRequest::Shell(
      "gated", absl::StrCat("echo run >> ", site.Path("runs"), "; echo begun; while [ ! -e ", gate,
                            " ]; do sleep 0.05; done; echo done; exit 5"));
}

void ExpectTheGatedPodEndsWell(Site& site, const PodRequest& pod, const std::string& gate) {
  std::ofstream{gate};
  PodAnswer answer;
  ASSERT_TRUE(site.WaitForEnd(pod, &answer)) << answer.ToString();
  EXPECT_EQ(answer.containers.at(0).exit_code, 5);
  EXPECT_EQ(site.Log(pod), "begun\ndone\n");
  EXPECT_EQ(ReadFile(site.Path("runs")), "run\n");
}

TEST(RestartTest, ASubmitterThatIsStoppedPolitelyLeavesItsJobsRunningAndAdoptsThem) {
  Site site;
  site.StartAll();
  std::string gate = site.Path("gate");
  PodRequest pod = Gated(site, gate);
  ASSERT_EQ(site.Create(pod), 200);
  ASSERT_TRUE(WaitFor([&] { return ReadFile(site.Path("runs")) == "run\n"; }));
  site.submitter()->Signal(SIGTERM);
  EXPECT_EQ(site.submitter()->WaitForExit(kDeadline), 0);
  site.StartSubmitter();
  ExpectTheGatedPodEndsWell(site, pod, gate);
}

TEST(RestartTest, APodThatEndsWhileItsSubmitterIsAwayIsReportedAfterwards) {
  Site site;
  site.StartAll();
  std::string gate = site.Path("gate");
  PodRequest pod = Gated(site, gate);
  ASSERT_EQ(site.Create(pod), 200);
  ASSERT_TRUE(WaitFor([&] { return ReadFile(site.Path("runs")) == "run\n"; }));
  site.submitter()->Kill();
  std::ofstream{gate};
  site.StartSubmitter();
  ExpectTheGatedPodEndsWell(site, pod, gate);
}

TEST(RestartTest, APluginThatIsStoppedPolitelyKnowsItsPodsAndPoolsAgain) {
  Site site;
  site.StartAll();
  std::string gate = site.Path("gate");
  PodRequest pod = Gated(site, gate);
  ASSERT_EQ(site.Create(pod), 200);
  ASSERT_TRUE(WaitFor([&] { return ReadFile(site.Path("runs")) == "run\n"; }));
  site.plugin()->Signal(SIGTERM);
  EXPECT_EQ(site.plugin()->WaitForExit(kDeadline), 0);
  site.StartPlugin();
  EXPECT_TRUE(site.Status(pod).known);
  ExpectTheGatedPodEndsWell(site, pod, gate);
}

TEST(RestartTest, ADeleteWhileThePoolIsAwayReachesItWhenItIsBack) {
  Site site;
  site.StartAll();
  Heartbeat heart(site);
  PodRequest pod = PodRequest::Shell("beat", heart.Script());
  pod.grace_seconds = 1;
  ASSERT_EQ(site.Create(pod), 200);
  ASSERT_TRUE(WaitFor([&] { return heart.HasBegun(); }));
  site.submitter()->Kill();
  ASSERT_EQ(site.Delete(pod), 200);
  site.StartSubmitter();
  EXPECT_TRUE(WaitFor([&] { return !heart.Runs(); }));
}

}  // namespace
}  // namespace podferry::e2e
