#include "core/resources/pool_accounting.h"

#include "gtest/gtest.h"

namespace podferry {
namespace {

ResourceList Parsed(const StringMap& text) {
  Issues issues;
  return ParseResourceList(text, "", &issues);
}

TEST(PoolAccountingTest, TellsWhetherAJobFitsNowAndEver) {
  PoolAccounting pool(Parsed({{"cpu", "4"}, {"memory", "8Gi"}, {"pods", "2"}}));
  EXPECT_TRUE(pool.Fits(Parsed({{"cpu", "4"}, {"memory", "8Gi"}, {"pods", "1"}})).now);
  pool.Take("a", Parsed({{"cpu", "3"}, {"pods", "1"}}));

  const Fit later = pool.Fits(Parsed({{"cpu", "2"}, {"memory", "1Gi"}, {"pods", "1"}}));
  EXPECT_FALSE(later.now);
  EXPECT_TRUE(later.ever);
  EXPECT_EQ(later.reason, "cpu: wants 2, 1 of 4 is free");

  const Fit never = pool.Fits(Parsed({{"cpu", "5"}, {"nvidia.com/gpu", "1"}}));
  EXPECT_FALSE(never.ever);
  EXPECT_EQ(never.reason,
            "cpu: wants 5, 1 of 4 is free; nvidia.com/gpu: wants 1, the pool has none");
}

TEST(PoolAccountingTest, GivesBackWhatAJobHeld) {
  PoolAccounting pool(Parsed({{"cpu", "4"}}));
  pool.Take("a", Parsed({{"cpu", "3"}}));
  pool.Take("a", Parsed({{"cpu", "2"}}));
  EXPECT_EQ(ToString(pool.used()), "cpu=2") << "taken twice under one key";
  EXPECT_EQ(ToString(pool.Free()), "cpu=2");
  pool.Release("a");
  pool.Release("a");
  EXPECT_EQ(ToString(pool.used()), "nothing");
  EXPECT_EQ(pool.holders(), 0u);
}

TEST(PoolAccountingTest, LeavesHoldersAloneWhenThePoolShrinks) {
  PoolAccounting pool(Parsed({{"cpu", "4"}}));
  pool.Take("a", Parsed({{"cpu", "3"}}));
  pool.SetCapacity(Parsed({{"cpu", "2"}}));
  EXPECT_EQ(ToString(pool.Free()), "cpu=0");
  EXPECT_EQ(pool.Fits(Parsed({{"cpu", "1"}})).reason, "cpu: wants 1, 0 of 2 is free");
}

TEST(PoolAccountingTest, DoesNotCountStorageThatThePoolDoesNotCount) {
  EXPECT_TRUE(PoolAccounting(Parsed({{"cpu", "1"}}))
                  .Fits(Parsed({{"ephemeral-storage", "1Gi"}, {"nvidia.com/gpu", "0"}}))
                  .now);
}

}  // namespace
}  // namespace podferry
