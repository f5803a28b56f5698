// What every store must do. A store's own test makes one kind of it:
//
//   class LocalStoreHarness : public StoreHarness { ... };
//   INSTANTIATE_TEST_SUITE_P(Local, StoreContractTest, testing::Values(&MakeLocalStoreHarness));

#ifndef PODFERRY_CORE_STORE_TESTING_STORE_CONTRACT_TEST_H_
#define PODFERRY_CORE_STORE_TESTING_STORE_CONTRACT_TEST_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/store/store.h"
#include "gtest/gtest.h"

namespace podferry {

class StoreHarness {
 public:
  virtual ~StoreHarness() = default;

  virtual Store& store() = 0;
  // Closes the store and opens it again on what it kept, as after a restart of the daemon.
  virtual void Reopen() = 0;
  // Runs the event loop until `condition` holds; false if it never does.
  virtual bool RunUntil(absl::FunctionRef<bool()> condition) = 0;
};

using MakeStoreHarness = std::function<std::unique_ptr<StoreHarness>()>;

class StoreContractTest : public testing::TestWithParam<MakeStoreHarness> {
 protected:
  void SetUp() override { harness_ = GetParam()(); }

  absl::Status Write(std::vector<Mutation> batch);
  absl::StatusOr<std::string> Read(const std::string& key);
  absl::StatusOr<Store::Entries> Scan(const std::string& prefix);

  std::unique_ptr<StoreHarness> harness_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_STORE_TESTING_STORE_CONTRACT_TEST_H_
