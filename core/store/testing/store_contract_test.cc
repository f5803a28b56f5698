#include "core/store/testing/store_contract_test.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"

namespace podferry {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

absl::Status StoreContractTest::Write(std::vector<Mutation> batch) {
  std::optional<absl::Status> result;
  harness_->store().Write(std::move(batch), [&](absl::Status status) { result = status; });
  EXPECT_FALSE(result.has_value()) << "called inline";
  EXPECT_TRUE(harness_->RunUntil([&] { return result.has_value(); }));
  return result.value_or(absl::DeadlineExceededError("no answer"));
}

absl::StatusOr<std::string> StoreContractTest::Read(const std::string& key) {
  std::optional<absl::StatusOr<std::string>> result;
  harness_->store().Read(key, [&](absl::StatusOr<std::string> value) { result = value; });
  EXPECT_FALSE(result.has_value()) << "called inline";
  EXPECT_TRUE(harness_->RunUntil([&] { return result.has_value(); }));
  return result.value_or(absl::DeadlineExceededError("no answer"));
}

absl::StatusOr<Store::Entries> StoreContractTest::Scan(const std::string& prefix) {
  std::optional<absl::StatusOr<Store::Entries>> result;
  harness_->store().Scan(prefix, [&](absl::StatusOr<Store::Entries> entries) { result = entries; });
  EXPECT_FALSE(result.has_value()) << "called inline";
  EXPECT_TRUE(harness_->RunUntil([&] { return result.has_value(); }));
  return result.value_or(absl::DeadlineExceededError("no answer"));
}

TEST_P(StoreContractTest, ANewStoreIsEmptyAndReady) {
  EXPECT_THAT(Scan(""), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(Read("job/1"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_TRUE(harness_->store().health().ready);
  EXPECT_THAT(harness_->store().health().damage, IsEmpty());
}

TEST_P(StoreContractTest, KeepsValuesOfAnyBytesAcrossARestart) {
  std::string all_bytes;
  for (int byte = 0; byte < 256; ++byte) all_bytes.push_back(static_cast<char>(byte));
  ASSERT_THAT(Write({Mutation::Put("body/1", all_bytes), Mutation::Put("empty", ""),
                     Mutation::Put(all_bytes, "a key of any bytes")}),
              IsOk());
  for (int round = 0; round < 2; ++round) {
    EXPECT_THAT(Read("body/1"), IsOkAndHolds(all_bytes));
    EXPECT_THAT(Read("empty"), IsOkAndHolds(""));
    EXPECT_THAT(Read(all_bytes), IsOkAndHolds("a key of any bytes"));
    harness_->Reopen();
  }
}

TEST_P(StoreContractTest, KeepsLargeValues) {
  const std::string large(5 << 20, 'x');
  ASSERT_THAT(Write({Mutation::Put("body/1", large), Mutation::Put("job/1", "small")}), IsOk());
  harness_->Reopen();
  EXPECT_TRUE(Read("body/1").value_or("") == large);
  ASSERT_THAT(Write({Mutation::Put("body/1", "replaced")}), IsOk());
  EXPECT_THAT(Read("body/1"), IsOkAndHolds("replaced"));
}

TEST_P(StoreContractTest, ABatchIsAppliedInOrder) {
  ASSERT_THAT(Write({Mutation::Put("a", "1"), Mutation::Put("a", "2"), Mutation::Delete("b"),
                     Mutation::Put("b", "3"), Mutation::Put("c", "4"), Mutation::Delete("c")}),
              IsOk());
  EXPECT_THAT(Scan(""), IsOkAndHolds(ElementsAre(Pair("a", "2"), Pair("b", "3"))));
  harness_->Reopen();
  EXPECT_THAT(Scan(""), IsOkAndHolds(ElementsAre(Pair("a", "2"), Pair("b", "3"))));
}

TEST_P(StoreContractTest, AnEmptyBatchAndADeleteOfNothingAreFine) {
  EXPECT_THAT(Write({}), IsOk());
  EXPECT_THAT(Write({Mutation::Delete("nothing")}), IsOk());
}

TEST_P(StoreContractTest, DeletesStayDeletedAfterARestart) {
  ASSERT_THAT(Write({Mutation::Put("job/1", "x"), Mutation::Put("job/2", "y")}), IsOk());
  ASSERT_THAT(Write({Mutation::Delete("job/1")}), IsOk());
  EXPECT_THAT(Read("job/1"), StatusIs(absl::StatusCode::kNotFound));
  harness_->Reopen();
  EXPECT_THAT(Read("job/1"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(Scan("job/"), IsOkAndHolds(ElementsAre(Pair("job/2", "y"))));
}

TEST_P(StoreContractTest, ScansByPrefixInTheOrderOfTheKeysBytes) {
  ASSERT_THAT(Write({Mutation::Put("job/b", "2"), Mutation::Put("job/a", "1"),
                     Mutation::Put("job0", "not below job/"), Mutation::Put("job/\xff", "3"),
                     Mutation::Put("body/a", "b"), Mutation::Put("job/*", "no wildcard")}),
              IsOk());
  EXPECT_THAT(Scan("job/"),
              IsOkAndHolds(ElementsAre(Pair("job/*", "no wildcard"), Pair("job/a", "1"),
                                       Pair("job/b", "2"), Pair("job/\xff", "3"))));
  EXPECT_THAT(Scan("job/*"), IsOkAndHolds(SizeIs(1)));
  EXPECT_THAT(Scan("none"), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(Scan(""), IsOkAndHolds(SizeIs(6)));
}

TEST_P(StoreContractTest, WritesTakeEffectInTheOrderOfTheCalls) {
  std::vector<int> done;
  for (int i = 0; i < 100; ++i) {
    harness_->store().Write({Mutation::Put("counter", absl::StrCat(i))}, [&, i](absl::Status s) {
      EXPECT_THAT(s, IsOk());
      done.push_back(i);
    });
  }
  ASSERT_TRUE(harness_->RunUntil([&] { return done.size() == 100; }));
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_THAT(Read("counter"), IsOkAndHolds("99"));
}

TEST_P(StoreContractTest, RefusesKeysOutOfBoundsAndAppliesNothingOfTheBatch) {
  const std::vector<std::string> bad_keys = {"", std::string(1025, 'k')};
  for (const std::string& bad : bad_keys) {
    EXPECT_THAT(Write({Mutation::Put("good", "x"), Mutation::Put(bad, "y")}),
                StatusIs(absl::StatusCode::kInvalidArgument));
  }
  EXPECT_THAT(Read("good"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(Write({Mutation::Put(std::string(1024, 'k'), "longest")}), IsOk());
}

TEST_P(StoreContractTest, ClosingCallsNobodyBack) {
  harness_->store().Write({Mutation::Put("a", "1")}, [](absl::Status) { FAIL() << "called"; });
  harness_->store().Read("a", [](absl::StatusOr<std::string>) { FAIL() << "called"; });
  harness_->store().Scan("", [](absl::StatusOr<Store::Entries>) { FAIL() << "called"; });
  harness_->Reopen();
  EXPECT_THAT(Write({Mutation::Put("b", "2")}), IsOk());
}

TEST_P(StoreContractTest, BehavesLikeAMap) {
  std::map<std::string, std::string> model;
  std::mt19937 random(20260101);
  for (int step = 0; step < 300; ++step) {
    std::vector<Mutation> batch;
    for (size_t i = random() % 4; i > 0; --i) {
      const std::string key = absl::StrCat(random() % 2 ? "job/" : "body/", random() % 20);
      if (random() % 3 == 0) {
        model.erase(key);
        batch.push_back(Mutation::Delete(key));
      } else {
        model[key] = std::string(random() % 3000, static_cast<char>('a' + random() % 26));
        batch.push_back(Mutation::Put(key, model[key]));
      }
    }
    ASSERT_THAT(Write(std::move(batch)), IsOk());
    if (step % 100 == 99) {
      if (step % 200 == 99) harness_->Reopen();
      PODFERRY_ASSERT_OK_AND_ASSIGN(Store::Entries entries, Scan(""));
      ASSERT_EQ(entries, Store::Entries(model.begin(), model.end())) << "after step " << step;
    }
  }
}

}  // namespace podferry
