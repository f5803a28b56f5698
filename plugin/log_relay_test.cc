#include "plugin/log_relay.h"

#include <memory>
#include <string>
#include <vector>

#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "plugin/testing/model_submitter.h"
#include "plugin/testing/plugin_under_test.h"

namespace podferry {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct Heard {
  std::string text;
  bool finished = false;
  absl::Status failure;
  size_t buffered = 0;
  absl::AnyInvocable<void()> on_drained;
};

class RecordingSink final : public LogSink {
 public:
  explicit RecordingSink(Heard& heard) : heard_(heard) {}
  void Write(absl::string_view text) override { heard_.text += std::string(text); }
  size_t buffered() const override { return heard_.buffered; }
  void OnDrained(absl::AnyInvocable<void()> callback) override {
    heard_.on_drained = std::move(callback);
  }
  void Finish() override { heard_.finished = true; }
  void Fail(const absl::Status& status) override { heard_.failure = status; }

 private:
  Heard& heard_;
};

class LogRelayTest : public testing::Test {
 protected:
  LogRelayTest() {
    disk_.id = "S1";
    plugin_ = std::make_unique<PluginUnderTest>(loop_, clock_, hub_.Connect("plugin"),
                                                std::make_shared<MemoryStore::Disk>(), 1);
    plugin_->Start();
    StartSubmitter();
    plugin_->Create("u1");
    loop_.RunUntilIdle();
  }

  void StartSubmitter() {
    submitter_ = nullptr;
    submitter_ = std::make_unique<ModelSubmitter>(loop_, clock_, hub_.Connect("S1"), disk_,
                                                  backend_, counter_, "pool");
    loop_.RunUntilIdle();
  }

  uint64_t Open(LogOptions options, const std::string& uid = "u1") {
    options.container = "main";
    return plugin_->logs.Start(uid, options, std::make_unique<RecordingSink>(heard_));
  }

  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  InMemoryHub hub_{loop_};
  ModelSubmitter::Disk disk_;
  ModelSubmitter::Backend backend_;
  BodyCounter counter_;
  std::unique_ptr<PluginUnderTest> plugin_;
  std::unique_ptr<ModelSubmitter> submitter_;
  Heard heard_;
};

TEST_F(LogRelayTest, KnowsJobsAndTheirContainers) {
  EXPECT_THAT(plugin_->logs.Check("u1", "main"), IsOk());
  EXPECT_THAT(plugin_->logs.Check("u1", "other"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("other")));
  EXPECT_THAT(plugin_->logs.Check("u2", "main"), StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(LogRelayTest, ReadsAWholeLogInPieces) {
  submitter_->log = std::string(300'000, 'x') + "end\n";
  submitter_->log_ended = true;
  Open({});
  loop_.RunUntilIdle();
  EXPECT_EQ(heard_.text, submitter_->log);
  EXPECT_TRUE(heard_.finished);
  EXPECT_EQ(plugin_->logs.streams(), 0u);
}

TEST_F(LogRelayTest, WithoutFollowItStopsAtTheEndOfWhatIsThere) {
  submitter_->log = "so far\n";
  Open({});
  loop_.RunUntilIdle();
  EXPECT_EQ(heard_.text, "so far\n");
  EXPECT_TRUE(heard_.finished);
  EXPECT_EQ(submitter_->log_requests[0].wait, absl::ZeroDuration());
}

TEST_F(LogRelayTest, FollowsUntilTheContainerHasEnded) {
  submitter_->BackendBegins("u1");
  submitter_->log = "one\n";
  Open({.follow = true});
  loop_.Advance(absl::Seconds(1));
  EXPECT_EQ(heard_.text, "one\n");
  EXPECT_GT(submitter_->log_requests[0].wait, absl::Seconds(10));
  submitter_->log += "two\n";
  submitter_->log_ended = true;
  submitter_->BackendEnds("u1");
  loop_.Advance(absl::Seconds(2));
  EXPECT_EQ(heard_.text, "one\ntwo\n");
  EXPECT_TRUE(heard_.finished);
}

TEST_F(LogRelayTest, AsksForTailAndSinceOnceAndThenFromThere) {
  submitter_->log = std::string(200'000, 'x');
  submitter_->log_ended = true;
  LogOptions options;
  options.tail_lines = 7;
  options.since = clock_.Now();
  Open(options);
  loop_.RunUntilIdle();
  ASSERT_EQ(submitter_->log_requests.size(), 2u);
  EXPECT_EQ(submitter_->log_requests[0].tail_lines, 7);
  EXPECT_EQ(submitter_->log_requests[0].since, options.since);
  EXPECT_EQ(submitter_->log_requests[1].tail_lines, -1);
  EXPECT_EQ(submitter_->log_requests[1].since, absl::InfinitePast());
  EXPECT_GT(submitter_->log_requests[1].offset, 0);
}

TEST_F(LogRelayTest, StopsPullingAtTheLimit) {
  submitter_->log = std::string(1'000'000, 'x');
  Open({.limit_bytes = 5});
  loop_.RunUntilIdle();
  EXPECT_EQ(heard_.text, "xxxxx");
  EXPECT_TRUE(heard_.finished);
  EXPECT_EQ(submitter_->log_requests.size(), 1u);
}

TEST_F(LogRelayTest, ASlowReaderHoldsItBack) {
  submitter_->log = std::string(1'000'000, 'x');
  submitter_->log_ended = true;
  heard_.buffered = 500'000;
  Open({});
  loop_.RunUntilIdle();
  EXPECT_EQ(submitter_->log_requests.size(), 1u);
  heard_.buffered = 0;
  heard_.on_drained();
  loop_.RunUntilIdle();
  EXPECT_EQ(heard_.text.size(), 1'000'000u);
  EXPECT_TRUE(heard_.finished);
}

TEST_F(LogRelayTest, AReaderWhoHasGoneCostsNothingMore) {
  const uint64_t stream = Open({.follow = true});
  loop_.Advance(absl::Seconds(1));
  plugin_->logs.Stop(stream);
  const size_t asked = submitter_->log_requests.size();
  loop_.Advance(absl::Minutes(5));
  EXPECT_EQ(submitter_->log_requests.size(), asked);
  EXPECT_FALSE(heard_.finished);
}

TEST_F(LogRelayTest, FollowingSurvivesARestartOfTheSubmitterAndOfNats) {
  submitter_->BackendBegins("u1");
  submitter_->log = "one\n";
  Open({.follow = true});
  loop_.Advance(absl::Seconds(1));
  submitter_ = nullptr;
  loop_.Advance(absl::Minutes(1));
  hub_.StopServer();
  loop_.Advance(absl::Minutes(1));
  hub_.StartServer();
  StartSubmitter();
  submitter_->log = "one\ntwo\n";
  loop_.Advance(absl::Minutes(1));
  EXPECT_EQ(heard_.text, "one\ntwo\n");
  EXPECT_FALSE(heard_.finished);
}

TEST_F(LogRelayTest, WithoutFollowAnUnreachablePoolIsAnError) {
  submitter_ = nullptr;
  Open({});
  loop_.Advance(absl::Minutes(1));
  EXPECT_THAT(heard_.failure, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("pool")));
}

TEST_F(LogRelayTest, OfAJobThatWaitsThereIsAnEmptyLog) {
  plugin_->Create("waiting", "no-such-pool");
  loop_.RunUntilIdle();
  Open({}, "waiting");
  loop_.RunUntilIdle();
  EXPECT_TRUE(heard_.finished);
  EXPECT_THAT(heard_.text, IsEmpty());
}

TEST_F(LogRelayTest, FollowingWaitsForTheStart) {
  submitter_->RefuseOffers(Refusal::kBusy);
  plugin_->Create("u2");
  loop_.RunUntilIdle();
  Open({.follow = true}, "u2");
  loop_.Advance(absl::Seconds(10));
  EXPECT_FALSE(heard_.finished);
  submitter_->RefuseOffers(Refusal::kUnspecified);
  submitter_->log = "hello\n";
  loop_.Advance(absl::Minutes(1));
  EXPECT_EQ(heard_.text, "hello\n");
}

TEST_F(LogRelayTest, WhereThereIsNoLogTheReasonOfTheFailureIsOne) {
  plugin_->Create("u3", "pool", JobSource::kInterLink, /*refused=*/true);
  loop_.RunUntilIdle();
  Open({}, "u3");
  loop_.RunUntilIdle();
  EXPECT_THAT(heard_.text, HasSubstr("spec.nodeSelector: is refused\n"));
  EXPECT_TRUE(heard_.finished);
}

TEST_F(LogRelayTest, ThePreviousAttemptIsAskedForAndNotFollowed) {
  submitter_->log = "old\n";
  submitter_->log_ended = true;
  Open({.follow = true, .previous = true});
  loop_.RunUntilIdle();
  EXPECT_EQ(submitter_->log_requests[0].attempt, -2);
  EXPECT_EQ(submitter_->log_requests[0].wait, absl::ZeroDuration());
  EXPECT_TRUE(heard_.finished);
}

}  // namespace
}  // namespace podferry
