#include "submitter/backend/fake_backend.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/testing/fake_clock.h"
#include "core/base/testing/status_matchers.h"
#include "core/os/testing/fake_event_loop.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "submitter/backend/contract_test_suite.h"

namespace podferry {
namespace {

class FakeHarness final : public BackendHarness {
 public:
  explicit FakeHarness(FakeBackend::Options options) : options_(std::move(options)) { Start(); }

  Backend& backend() override { return *backend_; }
  void Stop() override { backend_.reset(); }
  void Start() override {
    backend_ = std::make_unique<FakeBackend>(options_, world_, clock_, loop_);
    for (const auto& [key, code] : std::exchange(ends_, {})) backend_->End(key, code);
  }
  bool RunUntil(absl::FunctionRef<bool()> condition) override {
    for (int i = 0; i < 1000; ++i) {
      loop_.RunUntilIdle();
      if (condition()) return true;
      loop_.Advance(absl::Milliseconds(10));
    }
    return false;
  }
  std::string Script(const JobKey&, const ContractScript& script) override {
    const std::string code =
        script.exit_code.has_value() ? absl::StrCat(*script.exit_code) : "never";
    return absl::StrCat("#fake exit=", code, " log=", script.output);
  }
  void LetEnd(const JobKey& key, int exit_code) override {
    if (backend_ == nullptr) {
      ends_.emplace_back(key, exit_code);
    } else {
      backend_->End(key, exit_code);
    }
  }
  int Runs(const JobKey& key) override {
    const auto job = world_->jobs().find(key);
    return job == world_->jobs().end() ? 0 : job->second.bodies;
  }
  bool IsRunning(const JobKey& key) override {
    const FakeBackend::Job* job = world_->Find(key);
    return job != nullptr && job->status.phase == JobPhase::kRunning;
  }

 private:
  const FakeBackend::Options options_;
  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  std::shared_ptr<FakeBackend::World> world_ = std::make_shared<FakeBackend::World>();
  std::unique_ptr<FakeBackend> backend_;
  std::vector<std::pair<JobKey, int>> ends_;
};

BackendHarnessFactory With(FakeBackend::Options options) {
  return [options] { return std::make_unique<FakeHarness>(options); };
}

INSTANTIATE_TEST_SUITE_P(Prompt, BackendContractTest, testing::Values(With({})));
INSTANTIATE_TEST_SUITE_P(Slow, BackendContractTest,
                         testing::Values(With({.latency = absl::Milliseconds(50),
                                               .start_delay = absl::Milliseconds(300)})));
INSTANTIATE_TEST_SUITE_P(Polled, BackendContractTest, testing::Values(With({.pushes = false})));

class FakeBackendTest : public ::testing::Test {
 protected:
  SubmitResult Submit(const std::string& uid) {
    SubmitResult answer;
    std::vector<Submission> batch(1);
    batch[0].job.key = {"o", uid};
    backend_.Submit(std::move(batch), [&](SubmitResult result) { answer = std::move(result); });
    loop_.RunUntilIdle();
    return answer;
  }

  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  std::shared_ptr<FakeBackend::World> world_ = std::make_shared<FakeBackend::World>();
  FakeBackend backend_{{}, world_, clock_, loop_};
};

TEST_F(FakeBackendTest, SaysThatItDidNotWhenItDid) {
  backend_.AnswerNext({.outcome = SubmitOutcome::kUncertain, .message = "Socket timed out"});
  EXPECT_EQ(Submit("a").outcome, SubmitOutcome::kUncertain);
  EXPECT_EQ(world_->Find({"o", "a"})->bodies, 1);
}

TEST_F(FakeBackendTest, SaysThatItDidWhenItDidNot) {
  backend_.AnswerNext({.outcome = SubmitOutcome::kAccepted, .takes_effect = false});
  EXPECT_EQ(Submit("a").outcome, SubmitOutcome::kAccepted);
  EXPECT_EQ(world_->Find({"o", "a"})->bodies, 0);
}

}  // namespace
}  // namespace podferry
