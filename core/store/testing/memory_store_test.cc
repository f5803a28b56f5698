#include "core/store/testing/memory_store.h"

#include <memory>
#include <string>

#include "core/base/testing/fake_clock.h"
#include "core/base/testing/status_matchers.h"
#include "core/os/testing/fake_event_loop.h"
#include "core/store/testing/store_contract_test.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

class MemoryStoreHarness : public StoreHarness {
 public:
  Store& store() override { return *store_; }
  void Reopen() override { store_ = std::make_unique<MemoryStore>(loop_, disk_); }
  bool RunUntil(absl::FunctionRef<bool()> condition) override { return loop_.RunUntil(condition); }

 private:
  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  std::shared_ptr<MemoryStore::Disk> disk_ = std::make_shared<MemoryStore::Disk>();
  std::unique_ptr<MemoryStore> store_ = std::make_unique<MemoryStore>(loop_, disk_);
};

INSTANTIATE_TEST_SUITE_P(Memory, StoreContractTest,
                         testing::Values([] { return std::make_unique<MemoryStoreHarness>(); }));

TEST(MemoryStoreTest, HeldWritesAreNotOnTheDiskUntilReleased) {
  FakeClock clock;
  FakeEventLoop loop(clock);
  MemoryStore store(loop);
  bool done = false;
  store.HoldWrites();
  store.Write({Mutation::Put("a", "1")}, [&](absl::Status) { done = true; });
  loop.RunUntilIdle();
  EXPECT_FALSE(done);
  EXPECT_TRUE(store.disk().empty());
  EXPECT_EQ(store.held_writes(), 1u);
  store.ReleaseWrites();
  loop.RunUntilIdle();
  EXPECT_TRUE(done);
  EXPECT_EQ(store.disk()["a"], "1");
}

TEST(MemoryStoreTest, FailedWritesChangeNothing) {
  FakeClock clock;
  FakeEventLoop loop(clock);
  MemoryStore store(loop);
  absl::Status result;
  store.FailWrites(absl::ResourceExhaustedError("full"));
  store.Write({Mutation::Put("a", "1")}, [&](absl::Status status) { result = status; });
  loop.RunUntilIdle();
  EXPECT_THAT(result, StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_TRUE(store.disk().empty());
}

}  // namespace
}  // namespace podferry
