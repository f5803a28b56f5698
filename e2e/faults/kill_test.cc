// Plugin, submitter and nats-server die by SIGKILL at every named point of a pod's way. Whatever
// happens, every accepted pod runs exactly once, its exit code and its whole log are there
// afterwards, and nothing runs after its delete.

#include <signal.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "e2e/harness/heartbeat.h"
#include "e2e/harness/site.h"
#include "e2e/harness/wait.h"
#include "gtest/gtest.h"

namespace podferry::e2e {
namespace {

enum class Victim { kItself, kNats };

struct Case {
  std::string failpoint;
  Victim victim;
};

// On the way out and back, and on the way of a delete.
const char* const kPoints[] = {
    "plugin.create.before_journal",      "plugin.create.after_journal",
    "plugin.create.before_reply",        "plugin.create.after_reply",
    "plugin.dispatch.before_offer",      "plugin.dispatch.after_reservation",
    "plugin.dispatch.before_owner_sync", "plugin.dispatch.after_owner_sync",
    "plugin.dispatch.after_start",       "plugin.delta.after_first",
    "submitter.reserve.before_journal",  "submitter.reserve.after_journal",
    "submitter.start.before_journal",    "submitter.start.after_journal",
    "submitter.host.before_fork",        "submitter.host.after_exec",
    "submitter.host.before_pid_record",  "submitter.host.after_pid_record",
    "submitter.delta.before_first",      "submitter.delta.after_first",
    "plugin.delete.before_journal",      "plugin.delete.after_journal",
    "plugin.delete.after_confirm",       "submitter.delete.before_journal",
    "submitter.delete.after_journal",    "submitter.delete.before_confirm",
    "submitter.delete.after_confirm",
};

std::vector<Case> AllCases() {
  std::vector<Case> cases;
  for (const char* point : kPoints) {
    cases.push_back({point, Victim::kItself});
    cases.push_back({point, Victim::kNats});
  }
  return cases;
}

constexpr int kLines = 40;

std::string WholeLog() {
  std::string log;
  for (int i = 1; i <= kLines; ++i) absl::StrAppend(&log, "line ", i, "\n");
  return log;
}

class KillTest : public testing::TestWithParam<Case> {
 protected:
  bool OfPlugin() const { return absl::StartsWith(GetParam().failpoint, "plugin."); }
  bool OfDelete() const { return absl::StrContains(GetParam().failpoint, ".delete."); }

  void Start() {
    std::string action = GetParam().victim == Victim::kItself ? "" : "=stop";
    std::string failpoint = GetParam().failpoint + action;
    site_.StartNats();
    site_.StartPlugin(OfPlugin() ? failpoint : "");
    site_.StartSubmitter(OfPlugin() ? "" : failpoint);
    ASSERT_TRUE(site_.WaitForPool());
  }

  // Waits until the failpoint is reached and lets the fault happen: the victim dies, and is started
  // again.
  void LetItHappen() {
    Process* at = OfPlugin() ? site_.plugin() : site_.submitter();
    if (GetParam().victim == Victim::kItself) {
      ASSERT_TRUE(WaitFor([&] { return !at->Running(); })) << "the failpoint was never reached";
      OfPlugin() ? site_.StartPlugin() : site_.StartSubmitter();
      return;
    }
    ASSERT_TRUE(WaitFor([&] { return at->Stopped(); })) << "the failpoint was never reached";
    site_.nats()->Kill();
    at->Signal(SIGCONT);
    site_.StartNats();
  }

  // Sends what interLink would send, on a thread of its own, since the daemon that answers may die;
  // then the fault.
  void SendThroughTheFault(const std::string& path, const std::string& body) {
    HttpAnswer first;
    std::thread sender([&] { first = site_.http().Post(path, body); });
    LetItHappen();
    sender.join();
    // No answer: interLink (or the virtual node behind it) comes again.
    if (first.code != 200) {
      HttpAnswer again;
      ASSERT_TRUE(WaitFor([&] { return (again = site_.http().Post(path, body)).code == 200; }))
          << again.code << " " << again.body << again.error;
    }
  }

  PodRequest Counting() const {
    return PodRequest::Shell(
        "count", absl::StrCat("echo run >> ", site_.Path("runs"), "; i=0; while [ $i -lt ", kLines,
                              " ]; do i=$((i+1)); echo line $i; sleep 0.01; done; exit 7"));
  }

  Site site_;
};

TEST_P(KillTest, TheAcceptedPodRunsExactlyOnceAndNothingRunsAfterItsDelete) {
  ASSERT_NO_FATAL_FAILURE(Start());
  PodRequest pod = Counting();
  if (OfDelete()) {
    ASSERT_EQ(site_.Create(pod), 200);
  } else {
    ASSERT_NO_FATAL_FAILURE(SendThroughTheFault("/create", pod.CreateBody()));
  }
  PodAnswer answer;
  ASSERT_TRUE(site_.WaitForEnd(pod, &answer)) << answer.ToString();
  EXPECT_EQ(answer.containers.at(0).exit_code, 7) << answer.ToString();
  EXPECT_EQ(ReadFile(site_.Path("runs")), "run\n");
  EXPECT_TRUE(WaitFor([&] { return site_.Log(pod) == WholeLog(); })) << site_.Log(pod);

  // A second pod that never ends by itself shows what a delete does.
  Heartbeat heart(site_);
  PodRequest endless = PodRequest::Shell("endless", heart.Script());
  endless.grace_seconds = 1;
  ASSERT_EQ(site_.Create(endless), 200);
  ASSERT_TRUE(WaitFor([&] { return heart.HasBegun(); }));
  if (OfDelete()) {
    ASSERT_NO_FATAL_FAILURE(SendThroughTheFault("/delete", endless.PodJson()));
  } else {
    ASSERT_EQ(site_.Delete(endless), 200);
  }
  ASSERT_TRUE(WaitFor([&] { return !heart.Runs(); })) << "it runs after its delete";
  std::string last = heart.Beats();
  // A repeated create of a deleted pod is answered and starts nothing.
  EXPECT_EQ(site_.Create(endless), 200);
  absl::SleepFor(absl::Milliseconds(300));
  EXPECT_EQ(heart.Beats(), last);
  EXPECT_EQ(ReadFile(site_.Path("runs")), "run\n");
}

INSTANTIATE_TEST_SUITE_P(AtEveryPoint, KillTest, testing::ValuesIn(AllCases()),
                         [](const testing::TestParamInfo<Case>& info) {
                           return absl::StrReplaceAll(info.param.failpoint, {{".", "_"}}) +
                                  (info.param.victim == Victim::kNats ? "_kills_nats"
                                                                      : "_kills_itself");
                         });

}  // namespace
}  // namespace podferry::e2e
