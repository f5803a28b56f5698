// What every Bus must do: one suite, run against the in-memory bus and against nats.c with a real
// server. An implementation's test instantiates it:
//
//   INSTANTIATE_TEST_SUITE_P(InMemory, BusContract, testing::Values(&MakeInMemoryHarness));

#ifndef PODFERRY_CORE_NATS_TESTING_BUS_CONTRACT_H_
#define PODFERRY_CORE_NATS_TESTING_BUS_CONTRACT_H_

#include <functional>
#include <memory>

#include "absl/functional/function_ref.h"
#include "core/nats/bus.h"
#include "gtest/gtest.h"

namespace podferry {

class BusHarness {
 public:
  virtual ~BusHarness() = default;
  // A client of the one server, connected or about to be.
  virtual std::unique_ptr<Bus> Connect() = 0;
  virtual void StopServer() = 0;
  virtual void StartServer() = 0;
  // Lets time pass until the condition holds; false when it does not within some seconds.
  virtual bool RunUntil(absl::FunctionRef<bool()> condition) = 0;
};

using MakeBusHarness = std::unique_ptr<BusHarness> (*)();

class BusContract : public testing::TestWithParam<MakeBusHarness> {
 protected:
  std::unique_ptr<Bus> ConnectedClient();
  // True once all that `bus` did so far has got to the server.
  bool Flush(Bus& bus);

  std::unique_ptr<BusHarness> harness_ = GetParam()();
};

}  // namespace podferry

#endif  // PODFERRY_CORE_NATS_TESTING_BUS_CONTRACT_H_
