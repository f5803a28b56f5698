// With real processes.

#include "submitter/host/host_backend.h"

#include <signal.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/base/clock.h"
#include "core/base/testing/status_matchers.h"
#include "core/os/asio_event_loop.h"
#include "core/os/exit_watcher.h"
#include "core/os/file_watcher.h"
#include "core/os/posix_file_system.h"
#include "core/os/process.h"
#include "core/os/testing/run_until.h"
#include "core/os/worker_pool.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "submitter/backend/contract_test_suite.h"
#include "submitter/host/contract_script.h"
#include "submitter/host/process_tree.h"

namespace podferry {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::string NewFolder() {
  std::string folder = absl::StrCat(testing::TempDir(), "/host.XXXXXX");
  return mkdtemp(folder.data());
}

class HostHarness final : public BackendHarness {
 public:
  HostHarness() : folder_(NewFolder()) { Start(); }
  ~HostHarness() override {
    for (const auto& entry : std::filesystem::directory_iterator(root())) {
      (void)KillAll(entry.path().string(), std::nullopt);
    }
    backend_.reset();
    std::filesystem::remove_all(folder_);
  }

  Backend& backend() override { return *backend_; }
  void Stop() override { backend_.reset(); }
  void Start() override {
    backend_ = std::make_unique<HostBackend>(
        HostBackend::Options{.root = root(), .environment = JobEnvironment()}, file_system_,
        file_watcher_, exit_watcher_, pool_, clock_, loop_);
    std::filesystem::create_directories(root());
  }
  bool RunUntil(absl::FunctionRef<bool()> condition) override {
    return podferry::RunUntil(loop_, condition);
  }
  std::string Script(const JobKey& key, const ContractScript& script) override {
    std::string body = absl::StrCat("printf '%s' '", script.output, "'\n");
    if (script.exit_code.has_value()) {
      absl::StrAppend(&body, "exit ", *script.exit_code);
    } else {
      absl::StrAppend(&body, "until [[ -e '", EndFile(key), "' ]]; do sleep 0.02; done\n",
                      "exit \"$(< '", EndFile(key), "')\"");
    }
    return ContractScriptText(RunsFile(key), body);
  }
  void LetEnd(const JobKey& key, int exit_code) override {
    std::ofstream(EndFile(key) + ".new") << exit_code;
    std::filesystem::rename(EndFile(key) + ".new", EndFile(key));
    // It may be that nobody looks after it now: let it really end.
    if (backend_ == nullptr) {
      EXPECT_TRUE(RunUntil([&] { return !IsRunning(key); }));
    }
  }
  int Runs(const JobKey& key) override {
    std::ifstream file(RunsFile(key));
    int runs = 0;
    for (std::string line; std::getline(file, line);) ++runs;
    return runs;
  }
  bool IsRunning(const JobKey& key) override {
    return !ProcessesOf(Sandbox(key), std::nullopt).empty();
  }

  std::string root() const { return folder_ + "/sandboxes"; }
  std::string Sandbox(const JobKey& key) const { return root() + "/" + key.FileName(); }
  std::string RunsFile(const JobKey& key) const { return folder_ + "/runs." + key.FileName(); }
  std::string EndFile(const JobKey& key) const { return folder_ + "/end." + key.FileName(); }

 private:
  const std::string folder_;
  RealClock clock_;
  PosixFileSystem file_system_;
  AsioEventLoop loop_;
  ThreadWorkerPool pool_{loop_, 2};
  PosixFileWatcher file_watcher_{loop_};
  PosixExitWatcher exit_watcher_{loop_};
  std::unique_ptr<HostBackend> backend_;
};

const BackendHarnessFactory kHost = [] { return std::make_unique<HostHarness>(); };

INSTANTIATE_TEST_SUITE_P(Host, BackendContractTest, testing::Values(kHost));

// What is special about plain processes; with the tools of the contract suite.
class HostBackendTest : public BackendContractTest {
 protected:
  HostHarness& host() { return static_cast<HostHarness&>(*harness_); }
  Submission WithScript(const std::string& uid, std::string script) {
    Submission submission = Make(uid, {});
    submission.script = std::move(script);
    return submission;
  }
  Submission WithBody(const std::string& uid, absl::string_view body) {
    return WithScript(uid, ContractScriptText(host().RunsFile(KeyOf(uid)), body));
  }
  ProcessIdentity ProcessOf(const JobKey& key) {
    const absl::StatusOr<ProcessIdentity> process =
        ProcessIdentity::Parse(seen_[key].backend_job_id);
    EXPECT_THAT(process, IsOk());
    return process.value_or(ProcessIdentity());
  }
  std::string ReadFile(const std::string& path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
};

INSTANTIATE_TEST_SUITE_P(Real, HostBackendTest, testing::Values(kHost));

TEST_P(HostBackendTest, AScriptThatIsKilledFailsWithWords) {
  const JobKey key = KeyOf("killed");
  Submit(WithBody("killed", "sleep 1000"));
  ASSERT_TRUE(Await(key, JobPhase::kRunning));
  ASSERT_THAT(Signal(ProcessOf(key), SIGKILL), IsOk());
  ASSERT_TRUE(Await(key, JobPhase::kFailed));
  EXPECT_EQ(seen_[key].failure, FailureReason::kError);
  EXPECT_THAT(seen_[key].message, HasSubstr("signal 9"));
  // Its container does not go on without it.
  EXPECT_FALSE(host().IsRunning(key));
}

TEST_P(HostBackendTest, AScriptThatFailsBeforeItsFenceFailsWithItsLastWords) {
  const JobKey key = KeyOf("broken");
  Submit(WithScript("broken", "echo what is this >&2\nexit 7\n"));
  ASSERT_TRUE(Await(key, JobPhase::kFailed));
  EXPECT_THAT(seen_[key].message, AllOf(HasSubstr("code 7"), HasSubstr("what is this")));
}

TEST_P(HostBackendTest, AScriptThatIsGoneAfterARestartIsLost) {
  const JobKey key = KeyOf("lost");
  Submit(WithBody("lost", "sleep 1000"));
  ASSERT_TRUE(Await(key, JobPhase::kRunning));
  const ProcessIdentity process = ProcessOf(key);
  harness_->Stop();
  ASSERT_THAT(Signal(process, SIGKILL), IsOk());
  ASSERT_TRUE(harness_->RunUntil([&] { return !IsAlive(process); }));
  harness_->Start();
  complete_observations_ = 0;
  ASSERT_TRUE(Await(key, JobPhase::kFailed));
  EXPECT_EQ(seen_[key].failure, FailureReason::kNodeLost);
  EXPECT_FALSE(host().IsRunning(key));
}

TEST_P(HostBackendTest, AnotherBootWithoutAnEndIsALostNode) {
  const JobKey key = KeyOf("rebooted");
  const std::string sandbox = host().Sandbox(key);
  std::filesystem::create_directories(sandbox);
  std::ofstream(sandbox + "/started") << "";
  std::ofstream(sandbox + "/script.pid") << "00000000-0000-4000-8000-000000000000 1 1\n";
  ASSERT_TRUE(Await(key, JobPhase::kFailed));
  EXPECT_EQ(seen_[key].failure, FailureReason::kNodeLost);
  EXPECT_THAT(seen_[key].message, HasSubstr("restarted"));
}

TEST_P(HostBackendTest, AnotherBootWithAnEndHasEnded) {
  const JobKey key = KeyOf("done");
  const std::string sandbox = host().Sandbox(key);
  std::filesystem::create_directories(sandbox);
  std::ofstream(sandbox + "/started") << "";
  std::ofstream(sandbox + "/script.pid") << "00000000-0000-4000-8000-000000000000 1 1\n";
  std::ofstream(sandbox + "/finished") << "exit=0\nreason=Completed\n";
  EXPECT_TRUE(Await(key, JobPhase::kSucceeded));
}

TEST_P(HostBackendTest, FindsAProcessOfWhichNobodyWroteThePid) {
  const JobKey key = KeyOf("unnamed");
  // Stays before its fence until it is told to go on.
  const std::string go = host().EndFile(key) + ".go";
  const std::string wait = absl::StrCat("until [[ -e '", go, "' ]]; do sleep 0.02; done\n");
  Submit(WithScript("unnamed", wait + ContractScriptText(host().RunsFile(key), "sleep 1000")));
  harness_->Stop();
  std::filesystem::remove(host().Sandbox(key) + "/host.pid");
  harness_->Start();
  EXPECT_EQ(Submit(WithBody("unnamed", "true")).outcome, SubmitOutcome::kAccepted);
  std::ofstream(go) << "";
  ASSERT_TRUE(Await(key, JobPhase::kRunning));
  EXPECT_TRUE(harness_->RunUntil([&] { return host().Runs(key) == 1; }));
  EXPECT_THAT(Cancel(key), IsOk());
  EXPECT_EQ(host().Runs(key), 1);
}

TEST_P(HostBackendTest, CancelKillsWhatLeftTheSessionOrHidItsEnvironment) {
  const JobKey key = KeyOf("escapee");
  Submit(WithBody("escapee",
                  "setsid sleep 1001 &\n"
                  "env -i sleep 1002 &\n"
                  "trap '' TERM\n"
                  "sleep 1003"));
  ASSERT_TRUE(Await(key, JobPhase::kRunning));
  ASSERT_TRUE(harness_->RunUntil(
      [&] { return ProcessesOf(host().Sandbox(key), ProcessOf(key)).size() >= 4; }));
  const std::vector<ProcessIdentity> before = ProcessesOf(host().Sandbox(key), ProcessOf(key));
  EXPECT_THAT(Cancel(key, absl::Milliseconds(100)), IsOk());
  for (const ProcessIdentity& process : before) EXPECT_FALSE(IsAlive(process));
}

TEST_P(HostBackendTest, CancelLeavesOnlyTheFence) {
  const JobKey key = KeyOf("tidy");
  Submit(WithBody("tidy", "mkdir -p \"$S/volumes/a\"; chmod 0 \"$S/volumes\"; sleep 1000"));
  ASSERT_TRUE(harness_->RunUntil(
      [&] { return std::filesystem::exists(host().Sandbox(key) + "/volumes/a"); }));
  EXPECT_THAT(Cancel(key), IsOk());
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(host().Sandbox(key))) {
    left.push_back(entry.path().filename());
  }
  EXPECT_THAT(left, testing::ElementsAre("started"));
  EXPECT_EQ(ReadFile(host().Sandbox(key) + "/started"), "deleted");
  // A start that comes after all leaves at once.
  setenv("PODFERRY_SANDBOX", host().Sandbox(key).c_str(), 1);
  std::ofstream(host().EndFile(key)) << Make("tidy", {}).script;
  const int status = system(absl::StrCat("bash '", host().EndFile(key), "'").c_str());
  unsetenv("PODFERRY_SANDBOX");
  EXPECT_EQ(WEXITSTATUS(status), 213);
  EXPECT_EQ(host().Runs(key), 1);
}

TEST_P(HostBackendTest, CancelTakesOffWhatWasMountedAndNeverEmptiesIt) {
  const JobKey key = KeyOf("mounted");
  const std::string remote = host().EndFile(key) + ".remote";
  std::filesystem::create_directories(remote);
  std::ofstream(remote + "/file") << "precious";
  Submit(WithBody("mounted", absl::StrCat("mkdir -p \"$S/mounts/a b\"; setsid bindfs -f '", remote,
                                          "' \"$S/mounts/a b\"")));
  const std::string shown = host().Sandbox(key) + "/mounts/a b/file";
  ASSERT_TRUE(harness_->RunUntil([&] { return std::filesystem::exists(shown); }));
  EXPECT_THAT(Cancel(key, absl::Milliseconds(100)), IsOk());
  EXPECT_EQ(ReadFile(remote + "/file"), "precious");
  EXPECT_FALSE(std::filesystem::exists(host().Sandbox(key) + "/mounts"));
  EXPECT_EQ(ReadFile("/proc/self/mountinfo").find(host().Sandbox(key)), std::string::npos);
}

TEST_P(HostBackendTest, GivesAScriptItsGrace) {
  const JobKey key = KeyOf("graceful");
  const std::string note = host().EndFile(key) + ".note";
  Submit(WithBody("graceful", absl::StrCat("trap 'sleep 0.3; echo bye > \"", note,
                                           "\"; exit' TERM\n", "while :; do sleep 0.02; done")));
  ASSERT_TRUE(Await(key, JobPhase::kRunning));
  // The trap is in place once the log's folder has the file that the subshell writes to; give the
  // subshell the moment it needs to set it.
  ASSERT_TRUE(harness_->RunUntil([&] {
    return std::filesystem::exists(host().Sandbox(key) + "/logs/00.main/0.log") &&
           ProcessesOf(host().Sandbox(key), std::nullopt).size() >= 3;
  }));
  EXPECT_THAT(Cancel(key, absl::Seconds(20)), IsOk());
  EXPECT_EQ(ReadFile(note), "bye\n");
}

TEST_P(HostBackendTest, PassesOnNoSecretsOfTheSubmitter) {
  const JobKey key = KeyOf("nosy");
  Submit(WithBody("nosy", "env"));
  ASSERT_TRUE(Await(key, JobPhase::kSucceeded));
  const absl::StatusOr<LogPiece> log = ReadLog(key);
  ASSERT_THAT(log, IsOk());
  EXPECT_THAT(log->bytes, AllOf(HasSubstr("PODFERRY_SANDBOX="), HasSubstr("PATH=")));
  EXPECT_THAT(log->bytes, Not(HasSubstr("TEST_TMPDIR")));
}

TEST(JobEnvironmentTest, IsAListOfWhatIsNeeded) {
  for (const char* name : {"PATH", "HOME", "LC_ALL", "APPTAINER_CACHEDIR", "https_proxy"}) {
    EXPECT_TRUE(IsPassedOn(name)) << name;
  }
  for (const char* name : {"PODFERRY_NATS", "NATS_SERVER", "SHUB_PROXY_MASTER_TOKEN",
                           "APPTAINER_DOCKER_PASSWORD", "AWS_SECRET_ACCESS_KEY", "BASH_ENV"}) {
    EXPECT_FALSE(IsPassedOn(name)) << name;
  }
}

}  // namespace
}  // namespace podferry
