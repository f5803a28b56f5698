#include "core/store/redis_store.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/testing/fake_clock.h"
#include "core/base/testing/status_matchers.h"
#include "core/os/testing/fake_event_loop.h"
#include "core/store/redis_client.h"
#include "core/store/testing/redis_server.h"
#include "core/store/testing/store_contract_test.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::HasSubstr;

class RedisStoreHarness : public StoreHarness {
 public:
  RedisStoreHarness() {
    options_.url = server_.url();
    options_.timeout = absl::Seconds(20);
    options_.retry = absl::Milliseconds(10);
    options_.ping = absl::Milliseconds(20);
    Reopen();
  }

  Store& store() override { return *store_; }
  void Reopen() override {
    store_.reset();
    absl::StatusOr<std::unique_ptr<RedisStore>> store = RedisStore::Open(options_, loop_);
    EXPECT_THAT(store, IsOk());
    if (store.ok()) store_ = *std::move(store);
  }
  bool RunUntil(absl::FunctionRef<bool()> condition) override { return loop_.RunUntil(condition); }

  absl::Status Write(Store& store, std::vector<Mutation> batch) {
    std::optional<absl::Status> result;
    store.Write(std::move(batch), [&](absl::Status status) { result = status; });
    EXPECT_TRUE(RunUntil([&] { return result.has_value(); }));
    return *result;
  }
  absl::StatusOr<std::string> Read(Store& store, const std::string& key) {
    std::optional<absl::StatusOr<std::string>> result;
    store.Read(key, [&](absl::StatusOr<std::string> value) { result = value; });
    EXPECT_TRUE(RunUntil([&] { return result.has_value(); }));
    return *result;
  }
  absl::Status Command(RedisClient::Arguments arguments) {
    absl::StatusOr<RedisUrl> url = ParseRedisUrl(server_.url());
    absl::StatusOr<std::unique_ptr<RedisClient>> client =
        RedisClient::Connect(*url, absl::Seconds(10));
    return client.ok() ? (*client)->Run(arguments).status() : client.status();
  }
  bool BecomesReady(bool ready) {
    // Health follows the pings of an idle connection.
    const absl::Time deadline = absl::Now() + absl::Seconds(20);
    while (store_->health().ready != ready && absl::Now() < deadline) absl::SleepFor(options_.ping);
    return store_->health().ready == ready;
  }

  RedisServer server_;
  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  RedisStoreOptions options_;
  std::unique_ptr<RedisStore> store_;
};

INSTANTIATE_TEST_SUITE_P(Redis, StoreContractTest,
                         testing::Values([] { return std::make_unique<RedisStoreHarness>(); }));

TEST(RedisStoreTest, AStoreThatWasTakenOverCanNoLongerWrite) {
  RedisStoreHarness harness;
  ASSERT_THAT(harness.Write(harness.store(), {Mutation::Put("a", "old")}), IsOk());
  PODFERRY_ASSERT_OK_AND_ASSIGN(std::unique_ptr<RedisStore> newer,
                                RedisStore::Open(harness.options_, harness.loop_));
  ASSERT_THAT(harness.Write(*newer, {Mutation::Put("a", "new")}), IsOk());
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(harness.Write(harness.store(), {Mutation::Put("a", "stale")}),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("taken over")));
  }
  EXPECT_FALSE(harness.store().health().ready);
  EXPECT_THAT(harness.Read(*newer, "a"), IsOkAndHolds("new"));
  EXPECT_THAT(harness.Write(*newer, {Mutation::Put("a", "newest")}), IsOk());
}

TEST(RedisStoreTest, AnIdleStoreNoticesThatItWasTakenOver) {
  RedisStoreHarness harness;
  PODFERRY_ASSERT_OK_AND_ASSIGN(std::unique_ptr<RedisStore> newer,
                                RedisStore::Open(harness.options_, harness.loop_));
  EXPECT_TRUE(harness.BecomesReady(false));
}

TEST(RedisStoreTest, OtherInstancesAreOfNoConcern) {
  RedisStoreHarness harness;
  RedisStoreOptions options = harness.options_;
  options.instance = "other";
  PODFERRY_ASSERT_OK_AND_ASSIGN(std::unique_ptr<RedisStore> other,
                                RedisStore::Open(options, harness.loop_));
  ASSERT_THAT(harness.Write(*other, {Mutation::Put("a", "other")}), IsOk());
  ASSERT_THAT(harness.Write(harness.store(), {Mutation::Put("a", "ours")}), IsOk());
  EXPECT_THAT(harness.Read(*other, "a"), IsOkAndHolds("other"));
}

TEST(RedisStoreTest, SurvivesAKilledServer) {
  RedisStoreHarness harness;
  ASSERT_THAT(harness.Write(harness.store(), {Mutation::Put("before", "1")}), IsOk());
  harness.server_.Kill();
  EXPECT_TRUE(harness.BecomesReady(false));
  std::optional<absl::Status> result;
  harness.store().Write({Mutation::Put("during", "2")}, [&](absl::Status s) { result = s; });
  harness.server_.Start();
  ASSERT_TRUE(harness.RunUntil([&] { return result.has_value(); }));
  EXPECT_THAT(*result, IsOk());
  EXPECT_THAT(harness.Read(harness.store(), "before"), IsOkAndHolds("1"));
  EXPECT_THAT(harness.Read(harness.store(), "during"), IsOkAndHolds("2"));
  EXPECT_TRUE(harness.store().health().ready);
}

TEST(RedisStoreTest, GivesUpWhenTheServerStaysAway) {
  RedisStoreHarness harness;
  harness.options_.timeout = absl::Milliseconds(200);
  harness.Reopen();
  harness.server_.Kill();
  const absl::Status status = harness.Write(harness.store(), {Mutation::Put("a", "1")});
  EXPECT_TRUE(absl::IsUnavailable(status) || absl::IsUnknown(status)) << status;
  EXPECT_THAT(harness.Read(harness.store(), "a"), StatusIs(absl::StatusCode::kUnavailable));
  harness.server_.Start();
  EXPECT_THAT(harness.Write(harness.store(), {Mutation::Put("a", "2")}), IsOk());
}

TEST(RedisStoreTest, AServerThatForgotItsDataIsNotTakenForOurs) {
  RedisStoreHarness harness;
  ASSERT_THAT(harness.Command({"FLUSHALL"}), IsOk());
  EXPECT_THAT(harness.Write(harness.store(), {Mutation::Put("a", "1")}),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST(RedisStoreTest, AServerWithoutMemoryIsFull) {
  RedisStoreHarness harness;
  ASSERT_THAT(harness.Command({"CONFIG", "SET", "maxmemory", "1"}), IsOk());
  EXPECT_THAT(harness.Write(harness.store(), {Mutation::Put("a", "1"), Mutation::Put("b", "1")}),
              StatusIs(absl::StatusCode::kResourceExhausted));
  ASSERT_THAT(harness.Command({"CONFIG", "SET", "maxmemory", "0"}), IsOk());
  EXPECT_THAT(harness.Read(harness.store(), "a"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(harness.Write(harness.store(), {Mutation::Put("a", "1")}), IsOk());
}

TEST(RedisStoreTest, ReplicasThatAreMissingAreToldAsUnknown) {
  RedisStoreHarness harness;
  harness.options_.wait_replicas = 1;
  harness.options_.timeout = absl::Milliseconds(100);
  harness.Reopen();
  EXPECT_THAT(harness.Write(harness.store(), {Mutation::Put("a", "1")}),
              StatusIs(absl::StatusCode::kUnknown, HasSubstr("only 0 replicas")));
}

TEST(RedisStoreTest, AServerThatWantsAPasswordRefusesUs) {
  RedisServer server({"--requirepass", "secret"});
  FakeClock clock;
  FakeEventLoop loop(clock);
  RedisStoreOptions options;
  options.url = server.url();
  EXPECT_THAT(RedisStore::Open(options, loop), StatusIs(absl::StatusCode::kPermissionDenied));
}

TEST(RedisStoreTest, SaysWhenThereIsNoServer) {
  FakeClock clock;
  FakeEventLoop loop(clock);
  RedisStoreOptions options;
  options.url = "redis+unix:/no/such/socket";
  EXPECT_THAT(RedisStore::Open(options, loop),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("/no/such/socket")));
  options.url = "redis:nonsense";
  EXPECT_THAT(RedisStore::Open(options, loop), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace podferry
