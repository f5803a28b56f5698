#include "core/nats/testing/bus_contract.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"

namespace podferry {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

std::unique_ptr<Bus> BusContract::ConnectedClient() {
  std::unique_ptr<Bus> bus = harness_->Connect();
  EXPECT_TRUE(harness_->RunUntil([&] { return bus->connected(); }));
  return bus;
}

bool BusContract::Flush(Bus& bus) {
  std::optional<bool> answered;
  bus.Ping(absl::Seconds(10), [&answered](bool ok) { answered = ok; });
  return harness_->RunUntil([&] { return answered.has_value(); }) && *answered;
}

namespace {

// A subscription that notes the payloads it gets.
class Listener {
 public:
  Listener(Bus& bus, absl::string_view subject, absl::string_view group = "") {
    auto subscription = bus.Subscribe(
        subject, group, [this](BusMessage message) { messages.push_back(std::move(message)); });
    EXPECT_THAT(subscription, IsOk());
    if (subscription.ok()) subscription_ = *std::move(subscription);
  }
  void End() { subscription_.reset(); }
  std::vector<std::string> payloads() const {
    std::vector<std::string> payloads;
    for (const BusMessage& message : messages) payloads.push_back(message.payload);
    return payloads;
  }

  std::vector<BusMessage> messages;

 private:
  std::unique_ptr<Bus::Subscription> subscription_;
};

// Answers each request with a name and what it was asked.
std::unique_ptr<Bus::Subscription> Echo(Bus& bus, absl::string_view subject, std::string name,
                                        absl::string_view group = "") {
  auto subscription =
      bus.Subscribe(subject, group, [&bus, name = std::move(name)](BusMessage request) {
        EXPECT_THAT(bus.Respond(request, absl::StrCat(name, ":", request.payload)), IsOk());
      });
  EXPECT_THAT(subscription, IsOk());
  return *std::move(subscription);
}

struct Answer {
  std::optional<absl::StatusOr<std::string>> result;
  int calls = 0;

  void Ask(Bus& bus, absl::string_view subject, std::string payload,
           absl::Duration timeout = absl::Seconds(10)) {
    bus.Request(subject, std::move(payload), timeout, [this](absl::StatusOr<std::string> r) {
      ++calls;
      result = std::move(r);
    });
    EXPECT_EQ(calls, 0) << "the handler ran inside the call";
  }
};

TEST_P(BusContract, DeliversToEverySubscriptionThatMatches) {
  const auto a = ConnectedClient();
  const auto b = ConnectedClient();
  Listener exact(*b, "p.events.hpc");
  Listener star(*b, "p.events.*");
  Listener rest(*b, "p.>");
  Listener other(*b, "p.events.other");
  Listener own(*a, "p.events.hpc");
  ASSERT_TRUE(Flush(*b));
  EXPECT_THAT(a->Publish("p.events.hpc", "one"), IsOk());
  EXPECT_THAT(a->Publish("p.events.hpc", std::string("\0two\xff", 5)), IsOk());
  ASSERT_TRUE(harness_->RunUntil([&] {
    // No order is promised between subscriptions.
    return exact.messages.size() == 2 && star.messages.size() == 2 && rest.messages.size() == 2 &&
           own.messages.size() == 2;
  }));
  EXPECT_THAT(exact.payloads(), ElementsAre("one", std::string("\0two\xff", 5)));
  EXPECT_THAT(star.payloads(), ElementsAre("one", std::string("\0two\xff", 5)));
  EXPECT_EQ(rest.messages[0].subject, "p.events.hpc");
  EXPECT_EQ(rest.messages[0].reply_to, "");
  EXPECT_TRUE(other.messages.empty());
}

TEST_P(BusContract, AQueueGroupShares) {
  const auto publisher = ConnectedClient();
  const auto a = ConnectedClient();
  const auto b = ConnectedClient();
  Listener first(*a, "p.create.hpc.*", "hpc");
  Listener second(*b, "p.create.hpc.*", "hpc");
  Listener other_group(*b, "p.create.hpc.*", "audit");
  Listener plain(*b, "p.create.>");
  ASSERT_TRUE(Flush(*a) && Flush(*b));
  for (int i = 0; i < 100; ++i) {
    EXPECT_THAT(publisher->Publish("p.create.hpc.j", absl::StrCat(i)), IsOk());
  }
  ASSERT_TRUE(harness_->RunUntil([&] {
    return plain.messages.size() == 100 && other_group.messages.size() == 100 &&
           first.messages.size() + second.messages.size() == 100;
  }));
  EXPECT_GT(first.messages.size(), 10u);
  EXPECT_GT(second.messages.size(), 10u);
}

TEST_P(BusContract, AnEndedSubscriptionHearsNothingMore) {
  const auto a = ConnectedClient();
  const auto b = ConnectedClient();
  Listener ended(*b, "p.x");
  Listener stays(*b, "p.x");
  ASSERT_TRUE(Flush(*b));
  EXPECT_THAT(a->Publish("p.x", "1"), IsOk());
  ended.End();
  EXPECT_THAT(a->Publish("p.x", "2"), IsOk());
  ASSERT_TRUE(harness_->RunUntil([&] { return stays.messages.size() == 2; }));
  EXPECT_TRUE(ended.messages.empty());
}

TEST_P(BusContract, AHandlerMayEndItsOwnSubscription) {
  const auto bus = ConnectedClient();
  int calls = 0;
  std::unique_ptr<Bus::Subscription> subscription;
  subscription = *bus->Subscribe("p.x", "", [&](BusMessage) {
    ++calls;
    subscription.reset();
  });
  Listener after(*bus, "p.x");
  ASSERT_TRUE(Flush(*bus));
  EXPECT_THAT(bus->Publish("p.x", "1"), IsOk());
  EXPECT_THAT(bus->Publish("p.x", "2"), IsOk());
  ASSERT_TRUE(harness_->RunUntil([&] { return after.messages.size() == 2; }));
  EXPECT_EQ(calls, 1);
}

TEST_P(BusContract, ARequestIsAnsweredOnce) {
  const auto plugin = ConnectedClient();
  const auto submitter = ConnectedClient();
  const auto echo = Echo(*submitter, "p.job.>", "s");
  ASSERT_TRUE(Flush(*submitter));
  Answer answer;
  answer.Ask(*plugin, "p.job.hpc.start", std::string(1, '\0'));
  ASSERT_TRUE(harness_->RunUntil([&] { return answer.calls == 1; }));
  EXPECT_THAT(*answer.result, IsOkAndHolds(std::string("s:\0", 3)));
}

TEST_P(BusContract, ManyRequestsAtOnceGetTheirOwnAnswers) {
  const auto plugin = ConnectedClient();
  const auto submitter = ConnectedClient();
  const auto echo = Echo(*submitter, "p.job.>", "s");
  ASSERT_TRUE(Flush(*submitter));
  std::vector<Answer> answers(500);
  for (size_t i = 0; i < answers.size(); ++i) answers[i].Ask(*plugin, "p.job.x", absl::StrCat(i));
  for (size_t i = 0; i < answers.size(); ++i) {
    ASSERT_TRUE(harness_->RunUntil([&] { return answers[i].calls == 1; }));
    EXPECT_THAT(*answers[i].result, IsOkAndHolds(absl::StrCat("s:", i)));
  }
}

TEST_P(BusContract, NobodyListeningIsToldAtOnce) {
  const auto bus = ConnectedClient();
  Answer answer;
  answer.Ask(*bus, "p.nobody", "x", absl::Hours(1));
  ASSERT_TRUE(harness_->RunUntil([&] { return answer.calls == 1; }));
  EXPECT_THAT(*answer.result, StatusIs(absl::StatusCode::kNotFound));
}

TEST_P(BusContract, SilenceEndsInDeadlineExceeded) {
  const auto bus = ConnectedClient();
  Listener silent(*bus, "p.silent");
  Answer answer;
  answer.Ask(*bus, "p.silent", "x", absl::Milliseconds(50));
  ASSERT_TRUE(harness_->RunUntil([&] { return answer.calls == 1; }));
  EXPECT_THAT(*answer.result, StatusIs(absl::StatusCode::kDeadlineExceeded));
  ASSERT_EQ(silent.messages.size(), 1u);
  // An answer that comes too late is nobody's.
  EXPECT_THAT(bus->Respond(silent.messages[0], "late"), IsOk());
  ASSERT_TRUE(Flush(*bus));
  EXPECT_EQ(answer.calls, 1);
}

TEST_P(BusContract, OneRequestCollectsManyAnswers) {
  const auto plugin = ConnectedClient();
  const auto a = ConnectedClient();
  const auto b = ConnectedClient();
  const auto echo_a = Echo(*a, "p.find.*", "a");
  const auto echo_b = Echo(*b, "p.find.*", "b");
  ASSERT_TRUE(Flush(*a) && Flush(*b));
  std::vector<std::string> got;
  int done = 0;
  const auto handle = plugin->RequestMany(
      "p.find.j", "?", absl::Milliseconds(500),
      [&](std::string payload) { got.push_back(std::move(payload)); }, [&] { ++done; });
  EXPECT_TRUE(got.empty() && done == 0);
  ASSERT_TRUE(harness_->RunUntil([&] { return done == 1; }));
  EXPECT_THAT(got, UnorderedElementsAre("a:?", "b:?"));
}

TEST_P(BusContract, CollectingFromNobodyIsDoneAtOnce) {
  const auto bus = ConnectedClient();
  int done = 0;
  const auto handle = bus->RequestMany(
      "p.nobody", "?", absl::Hours(1), [](std::string) { FAIL(); }, [&] { ++done; });
  ASSERT_TRUE(harness_->RunUntil([&] { return done == 1; }));
}

TEST_P(BusContract, DroppingTheHandleEndsCollectingEvenFromItsOwnCallback) {
  const auto bus = ConnectedClient();
  const auto echo_a = Echo(*bus, "p.find.*", "a");
  const auto echo_b = Echo(*bus, "p.find.*", "b");
  int answers = 0;
  std::unique_ptr<Bus::Handle> handle;
  handle = bus->RequestMany(
      "p.find.j", "?", absl::Milliseconds(50),
      [&](std::string) {
        ++answers;
        handle.reset();
      },
      [] { FAIL(); });
  ASSERT_TRUE(harness_->RunUntil([&] { return answers == 1; }));
  ASSERT_TRUE(Flush(*bus));
  EXPECT_EQ(answers, 1);
}

TEST_P(BusContract, RefusesSubjectsThatNatsWouldRefuse) {
  const auto bus = ConnectedClient();
  for (const char* subject : {"", "a b", "a..b", "a.*", ">", "a\r\nPUB b 0"}) {
    EXPECT_THAT(bus->Publish(subject, ""), StatusIs(absl::StatusCode::kInvalidArgument));
    Answer answer;
    answer.Ask(*bus, subject, "");
    ASSERT_TRUE(harness_->RunUntil([&] { return answer.calls == 1; }));
    EXPECT_THAT(*answer.result, StatusIs(absl::StatusCode::kInvalidArgument));
  }
  for (const char* subject : {"", "a b", "a..b", "a.>.b"}) {
    EXPECT_THAT(bus->Subscribe(subject, "", [](BusMessage) {}),
                StatusIs(absl::StatusCode::kInvalidArgument));
  }
  EXPECT_THAT(bus->Subscribe("a", "g h", [](BusMessage) {}),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_P(BusContract, RefusesAPayloadThatIsTooLarge) {
  const auto bus = ConnectedClient();
  Listener listener(*bus, "p.x");
  ASSERT_EQ(bus->MaxPayload(), 1024 * 1024);
  const std::string largest(bus->MaxPayload(), 'x');
  EXPECT_THAT(bus->Publish("p.x", largest + "x"), StatusIs(absl::StatusCode::kResourceExhausted));
  Answer answer;
  answer.Ask(*bus, "p.x", largest + "x");
  ASSERT_TRUE(harness_->RunUntil([&] { return answer.calls == 1; }));
  EXPECT_THAT(*answer.result, StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(bus->Publish("p.x", largest), IsOk());
  ASSERT_TRUE(harness_->RunUntil([&] { return listener.messages.size() == 1; }));
  EXPECT_TRUE(listener.messages[0].payload == largest);
  EXPECT_TRUE(bus->connected());
}

TEST_P(BusContract, NothingIsBufferedWhileTheServerIsDown) {
  const auto bus = ConnectedClient();
  std::vector<bool> seen;
  const auto watch = bus->WatchConnection([&](bool connected) { seen.push_back(connected); });
  ASSERT_TRUE(harness_->RunUntil([&] { return seen.size() == 1; }));
  Listener listener(*bus, "p.x");
  const auto echo = Echo(*bus, "p.echo", "s");
  harness_->StopServer();
  ASSERT_TRUE(harness_->RunUntil([&] { return seen.size() == 2; }));
  EXPECT_FALSE(bus->connected());
  EXPECT_THAT(bus->Publish("p.x", "lost"), StatusIs(absl::StatusCode::kUnavailable));
  Answer answer;
  answer.Ask(*bus, "p.echo", "lost", absl::Hours(1));
  ASSERT_TRUE(harness_->RunUntil([&] { return answer.calls == 1; }));
  EXPECT_THAT(*answer.result, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_FALSE(Flush(*bus));
  Listener subscribed_while_down(*bus, "p.x");

  harness_->StartServer();
  ASSERT_TRUE(harness_->RunUntil([&] { return seen.size() == 3; }));
  EXPECT_THAT(seen, ElementsAre(true, false, true));
  EXPECT_THAT(bus->Publish("p.x", "again"), IsOk());
  ASSERT_TRUE(harness_->RunUntil(
      [&] { return !listener.messages.empty() && !subscribed_while_down.messages.empty(); }));
  EXPECT_THAT(listener.payloads(), ElementsAre("again"));
  EXPECT_THAT(subscribed_while_down.payloads(), ElementsAre("again"));
  Answer after;
  after.Ask(*bus, "p.echo", "x");
  ASSERT_TRUE(harness_->RunUntil([&] { return after.calls == 1; }));
  EXPECT_THAT(*after.result, IsOkAndHolds(std::string("s:x")));
}

TEST_P(BusContract, ARequestUnderWayFailsWhenTheConnectionIsLost) {
  const auto bus = ConnectedClient();
  Listener silent(*bus, "p.silent");
  Answer answer;
  answer.Ask(*bus, "p.silent", "x", absl::Hours(1));
  ASSERT_TRUE(harness_->RunUntil([&] { return silent.messages.size() == 1; }));
  harness_->StopServer();
  ASSERT_TRUE(harness_->RunUntil([&] { return answer.calls == 1; }));
  EXPECT_THAT(*answer.result, StatusIs(absl::StatusCode::kUnavailable));
}

TEST_P(BusContract, AWatchThatBeginsLateHearsOfThePresentConnection) {
  const auto bus = ConnectedClient();
  int calls = 0;
  auto watch = bus->WatchConnection([&](bool connected) {
    EXPECT_TRUE(connected);
    ++calls;
  });
  EXPECT_EQ(calls, 0);
  ASSERT_TRUE(harness_->RunUntil([&] { return calls == 1; }));
  watch.reset();
  harness_->StopServer();
  ASSERT_TRUE(harness_->RunUntil([&] { return !bus->connected(); }));
  EXPECT_EQ(calls, 1);
}

TEST_P(BusContract, MayBeDestroyedByItsOwnHandler) {
  auto bus = ConnectedClient();
  bool called = false;
  auto subscription = *bus->Subscribe("p.x", "", [&](BusMessage) {
    called = true;
    bus.reset();
  });
  EXPECT_THAT(bus->Publish("p.x", "1"), IsOk());
  EXPECT_THAT(bus->Publish("p.x", "2"), IsOk());
  ASSERT_TRUE(harness_->RunUntil([&] { return called; }));
}

}  // namespace
}  // namespace podferry
