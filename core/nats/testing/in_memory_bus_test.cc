#include "core/nats/testing/in_memory_bus.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/testing/fake_clock.h"
#include "core/base/testing/status_matchers.h"
#include "core/nats/testing/bus_contract.h"
#include "core/os/testing/fake_event_loop.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAreArray;

class InMemoryHarness final : public BusHarness {
 public:
  std::unique_ptr<Bus> Connect() override { return hub_.Connect("client"); }
  void StopServer() override { hub_.StopServer(); }
  void StartServer() override { hub_.StartServer(); }
  bool RunUntil(absl::FunctionRef<bool()> condition) override {
    loop_.RunUntilIdle();
    for (int i = 0; i < 100 && !condition(); ++i) loop_.Advance(absl::Milliseconds(100));
    return condition();
  }

 private:
  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  InMemoryHub hub_{loop_};
};

std::unique_ptr<BusHarness> MakeInMemoryHarness() { return std::make_unique<InMemoryHarness>(); }

INSTANTIATE_TEST_SUITE_P(InMemory, BusContract, testing::Values(&MakeInMemoryHarness));

class InMemoryBusTest : public testing::Test {
 protected:
  // Notes in `to` what `bus` hears.
  void Listen(Bus& bus, absl::string_view subject, std::vector<std::string>& to) {
    subscriptions_.push_back(*bus.Subscribe(
        subject, "", [&to](BusMessage message) { to.push_back(std::move(message.payload)); }));
  }
  void Echo(Bus& bus, absl::string_view subject) {
    subscriptions_.push_back(*bus.Subscribe(subject, "", [&bus](BusMessage request) {
      EXPECT_THAT(bus.Respond(request, request.payload), IsOk());
    }));
  }

  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  InMemoryHub hub_{loop_};
  std::unique_ptr<InMemoryBus> a_ = hub_.Connect("a");
  std::unique_ptr<InMemoryBus> b_ = hub_.Connect("b");
  std::vector<std::unique_ptr<Bus::Subscription>> subscriptions_;
};

TEST_F(InMemoryBusTest, DropsAsOftenAsAsked) {
  std::vector<std::string> heard;
  Listen(*b_, "p.>", heard);
  hub_.AddFault({.what = Fault::kDrop, .subject = "p.x", .skip = 1, .times = 2});
  for (int i = 0; i < 5; ++i) EXPECT_THAT(a_->Publish("p.x", absl::StrCat(i)), IsOk());
  EXPECT_THAT(a_->Publish("p.y", "y"), IsOk());
  loop_.RunUntilIdle();
  EXPECT_THAT(heard, ElementsAre("0", "3", "4", "y"));
  EXPECT_EQ(hub_.CountPublished("p.x"), 5);
  EXPECT_THAT(hub_.published(), SizeIs(6));
}

TEST_F(InMemoryBusTest, DropsTheAnswerButNotTheRequest) {
  std::vector<std::string> heard;
  Listen(*b_, "p.x", heard);
  Echo(*b_, "p.x");
  hub_.AddFault({.what = Fault::kDrop, .subject = "p.x", .replies = true, .times = 1});
  std::vector<absl::Status> results;
  const auto ask = [&] {
    a_->Request("p.x", "?", absl::Seconds(5),
                [&](absl::StatusOr<std::string> r) { results.push_back(r.status()); });
  };
  ask();
  loop_.Advance(absl::Seconds(4));
  EXPECT_THAT(heard, ElementsAre("?"));
  EXPECT_THAT(results, SizeIs(0));
  loop_.Advance(absl::Seconds(1));
  ask();
  loop_.RunUntilIdle();
  ASSERT_THAT(results, SizeIs(2));
  EXPECT_THAT(results[0], StatusIs(absl::StatusCode::kDeadlineExceeded));
  EXPECT_THAT(results[1], IsOk());
}

TEST_F(InMemoryBusTest, DuplicatesDelaysAndLetsLaterOnesOvertake) {
  std::vector<std::string> heard;
  Listen(*b_, "p.>", heard);
  hub_.AddFault({.what = Fault::kDuplicate, .subject = "p.twice", .delay = absl::Seconds(2)});
  hub_.AddFault({.what = Fault::kDelay, .subject = "p.late", .delay = absl::Seconds(1)});
  EXPECT_THAT(a_->Publish("p.late", "late"), IsOk());
  EXPECT_THAT(a_->Publish("p.twice", "twice"), IsOk());
  EXPECT_THAT(a_->Publish("p.x", "x"), IsOk());
  loop_.RunUntilIdle();
  EXPECT_THAT(heard, ElementsAre("twice", "x"));
  loop_.Advance(absl::Seconds(3));
  EXPECT_THAT(heard, ElementsAre("twice", "x", "late", "twice"));
}

TEST_F(InMemoryBusTest, ReordersTheSameWayForTheSameSeed) {
  const auto run = [](uint64_t seed) {
    FakeClock clock;
    FakeEventLoop loop(clock);
    InMemoryHub hub(loop, seed);
    const auto bus = hub.Connect("a");
    std::vector<std::string> heard;
    const auto subscription = *bus->Subscribe(
        "p", "", [&](BusMessage message) { heard.push_back(std::move(message.payload)); });
    hub.AddFault({.what = Fault::kReorder, .delay = absl::Seconds(1)});
    for (int i = 0; i < 10; ++i) EXPECT_THAT(bus->Publish("p", absl::StrCat(i)), IsOk());
    loop.Advance(absl::Seconds(1));
    return heard;
  };
  const std::vector<std::string> in_order = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  EXPECT_THAT(run(1), UnorderedElementsAreArray(in_order));
  EXPECT_NE(run(1), in_order);
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST_F(InMemoryBusTest, FaultsKnowSenderAndReceiver) {
  const auto c = hub_.Connect("c");
  std::vector<std::string> heard_b, heard_c;
  Listen(*b_, "p.x", heard_b);
  Listen(*c, "p.x", heard_c);
  hub_.AddFault({.what = Fault::kDrop, .from = "a", .to = "c"});
  EXPECT_THAT(a_->Publish("p.x", "from a"), IsOk());
  EXPECT_THAT(b_->Publish("p.x", "from b"), IsOk());
  loop_.RunUntilIdle();
  EXPECT_THAT(heard_b, ElementsAre("from a", "from b"));
  EXPECT_THAT(heard_c, ElementsAre("from b"));
  hub_.ClearFaults();
  EXPECT_THAT(a_->Publish("p.x", "again"), IsOk());
  loop_.RunUntilIdle();
  EXPECT_THAT(heard_c, ElementsAre("from b", "again"));
}

TEST_F(InMemoryBusTest, ByChanceDropsSomeButNotAll) {
  std::vector<std::string> heard;
  Listen(*b_, "p.x", heard);
  hub_.AddFault({.what = Fault::kDrop, .probability = 0.5});
  for (int i = 0; i < 1000; ++i) EXPECT_THAT(a_->Publish("p.x", ""), IsOk());
  loop_.RunUntilIdle();
  EXPECT_GT(heard.size(), 400u);
  EXPECT_LT(heard.size(), 600u);
}

TEST_F(InMemoryBusTest, OneClientLosesItsConnectionAndTheOthersKeepTheirs) {
  std::vector<std::string> heard;
  Listen(*b_, "p.x", heard);
  b_->Disconnect();
  EXPECT_FALSE(b_->connected());
  EXPECT_TRUE(a_->connected());
  absl::Status result;
  a_->Request("p.x", "?", absl::Seconds(5),
              [&](absl::StatusOr<std::string> r) { result = r.status(); });
  loop_.RunUntilIdle();
  EXPECT_THAT(result, StatusIs(absl::StatusCode::kNotFound));
  b_->Reconnect();
  EXPECT_THAT(a_->Publish("p.x", "back"), IsOk());
  loop_.RunUntilIdle();
  EXPECT_THAT(heard, ElementsAre("back"));
}

TEST_F(InMemoryBusTest, AFrozenServerHoldsMessagesAndAnswersNoPing) {
  std::vector<std::string> heard;
  Listen(*b_, "p.x", heard);
  hub_.Freeze();
  EXPECT_THAT(a_->Publish("p.x", "held"), IsOk());
  std::vector<bool> pings;
  a_->Ping(absl::Seconds(1), [&](bool answered) { pings.push_back(answered); });
  loop_.Advance(absl::Seconds(2));
  EXPECT_THAT(pings, ElementsAre(false));
  EXPECT_TRUE(a_->connected());
  EXPECT_THAT(heard, SizeIs(0));
  hub_.Thaw();
  loop_.RunUntilIdle();
  EXPECT_THAT(heard, ElementsAre("held"));
  a_->Ping(absl::Seconds(1), [&](bool answered) { pings.push_back(answered); });
  loop_.RunUntilIdle();
  EXPECT_THAT(pings, ElementsAre(false, true));
}

TEST_F(InMemoryBusTest, ClientsOutliveTheHubDisconnected) {
  auto hub = std::make_unique<InMemoryHub>(loop_);
  const auto bus = hub->Connect("a");
  std::vector<std::string> heard;
  Listen(*bus, "p.x", heard);
  EXPECT_THAT(bus->Publish("p.x", "under way"), IsOk());
  hub.reset();
  EXPECT_FALSE(bus->connected());
  EXPECT_THAT(bus->Publish("p.x", ""), StatusIs(absl::StatusCode::kUnavailable));
  loop_.RunUntilIdle();
  EXPECT_THAT(heard, SizeIs(0));
}

}  // namespace
}  // namespace podferry
