// Against a real nats-server that this test starts, kills and stops.

#include "core/nats/nats_bus.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/testing/status_matchers.h"
#include "core/http/testing/test_certificates.h"
#include "core/nats/testing/bus_contract.h"
#include "core/nats/testing/nats_server.h"
#include "core/os/asio_event_loop.h"
#include "core/os/testing/run_until.h"
#include "glog/logging.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::unique_ptr<NatsServer> StartServer(absl::string_view config = "") {
  auto server = NatsServer::Start(config);
  CHECK(server.ok()) << server.status();
  return *std::move(server);
}

NatsOptions Fast(const std::string& url) {
  NatsOptions options;
  options.url = url;
  options.reconnect_min = absl::Milliseconds(20);
  options.reconnect_max = absl::Milliseconds(200);
  options.connect_timeout = absl::Seconds(1);
  options.write_deadline = absl::Seconds(1);
  return options;
}

std::unique_ptr<NatsBus> Make(EventLoop& loop, const NatsOptions& options) {
  auto bus = NatsBus::Create(loop, options);
  CHECK(bus.ok()) << bus.status();
  return *std::move(bus);
}

class NatsHarness final : public BusHarness {
 public:
  std::unique_ptr<Bus> Connect() override { return Make(loop_, Fast(server_->url())); }
  void StopServer() override { server_->Kill(); }
  void StartServer() override { EXPECT_THAT(server_->Restart(), IsOk()); }
  bool RunUntil(absl::FunctionRef<bool()> condition) override {
    return podferry::RunUntil(loop_, condition);
  }

 private:
  AsioEventLoop loop_;
  std::unique_ptr<NatsServer> server_ = podferry::StartServer();
};

std::unique_ptr<BusHarness> MakeNatsHarness() { return std::make_unique<NatsHarness>(); }

INSTANTIATE_TEST_SUITE_P(Nats, BusContract, testing::Values(&MakeNatsHarness));

class NatsBusTest : public testing::Test {
 protected:
  bool Connected(Bus& bus) {
    return RunUntil(loop_, [&] { return bus.connected(); });
  }
  bool Flush(Bus& bus) {
    std::optional<bool> answered;
    bus.Ping(absl::Seconds(10), [&](bool ok) { answered = ok; });
    return RunUntil(loop_, [&] { return answered.has_value(); }) && *answered;
  }
  // Publishes to itself: what a connection is good for.
  bool RoundTrip(Bus& bus) {
    int heard = 0;
    const auto subscription = *bus.Subscribe("test.self", "", [&](BusMessage) { ++heard; });
    return bus.Publish("test.self", "x").ok() && RunUntil(loop_, [&] { return heard == 1; });
  }

  AsioEventLoop loop_;
};

TEST_F(NatsBusTest, RefusesOptionsThatCanNeverWork) {
  EXPECT_THAT(NatsBus::Create(loop_, {.url = "wss://nats.example"}),
              StatusIs(absl::StatusCode::kUnimplemented));
  EXPECT_THAT(NatsBus::Create(loop_, {.url = "nats://"}),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(NatsBusTest, StartsWithoutAServerAndFindsItLater) {
  const auto server = StartServer();
  server->Kill();
  const auto started = std::chrono::steady_clock::now();
  const auto bus = Make(loop_, Fast(server->url()));
  std::vector<bool> seen;
  const auto watch = bus->WatchConnection([&](bool connected) { seen.push_back(connected); });
  int heard = 0;
  const auto subscription = *bus->Subscribe("p.x", "", [&](BusMessage) { ++heard; });
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::milliseconds(500));
  EXPECT_EQ(bus->MaxPayload(), 1024 * 1024);
  ASSERT_TRUE(RunUntil(loop_, [&] { return bus->stats().failed_connects >= 2; }));
  EXPECT_THAT(bus->stats().last_error, HasSubstr("connect to 127.0.0.1"));
  ASSERT_THAT(server->Restart("max_payload: 8MB"), IsOk());
  ASSERT_TRUE(RunUntil(loop_, [&] { return !seen.empty(); }));
  EXPECT_THAT(seen, ElementsAre(true));
  EXPECT_EQ(bus->MaxPayload(), 8 * 1024 * 1024);
  EXPECT_THAT(bus->Publish("p.x", ""), IsOk());
  EXPECT_TRUE(RunUntil(loop_, [&] { return heard == 1; }));
}

TEST_F(NatsBusTest, FollowsAServerThatIsKilledAgainAndAgain) {
  const auto server = StartServer();
  const auto bus = Make(loop_, Fast(server->url()));
  std::vector<bool> seen;
  const auto watch = bus->WatchConnection([&](bool connected) { seen.push_back(connected); });
  std::vector<std::string> heard;
  const auto subscription = *bus->Subscribe(
      "p.*", "group", [&](BusMessage message) { heard.push_back(std::move(message.payload)); });
  for (size_t i = 0; i < 5; ++i) {
    ASSERT_TRUE(RunUntil(loop_, [&] { return seen.size() == 2 * i + 1; }));
    EXPECT_TRUE(bus->connected());
    EXPECT_THAT(bus->Publish("p.x", absl::StrCat(i)), IsOk());
    ASSERT_TRUE(RunUntil(loop_, [&] { return heard.size() == i + 1; }));
    ASSERT_THAT(server->Restart(), IsOk());
  }
  EXPECT_THAT(heard, ElementsAre("0", "1", "2", "3", "4"));
  EXPECT_GE(bus->stats().losses, 4u);
}

TEST_F(NatsBusTest, GoesOnWithAnotherServerOfTheList) {
  const auto a = StartServer();
  const auto b = StartServer();
  const auto bus = Make(loop_, Fast(absl::StrCat(a->url(), ",", b->url())));
  ASSERT_TRUE(Connected(*bus));
  NatsServer& used = bus->stats().server == a->address() ? *a : *b;
  NatsServer& other = &used == a.get() ? *b : *a;
  used.Kill();
  ASSERT_TRUE(RunUntil(loop_, [&] { return bus->stats().server == other.address(); }));
  ASSERT_TRUE(Connected(*bus));
  EXPECT_TRUE(RoundTrip(*bus));
}

TEST_F(NatsBusTest, AServerThatHangsNeverBlocksTheLoop) {
  const auto server = StartServer("max_payload: 16MB");
  NatsOptions options = Fast(server->url());
  options.max_queued_bytes = 64 * 1024 * 1024;
  options.ping_interval = absl::Milliseconds(300);
  options.write_deadline = absl::Seconds(3);
  auto bus = Make(loop_, options);
  ASSERT_TRUE(Connected(*bus));
  server->Pause();
  // More than any socket buffer holds: the sender is stuck in a write.
  absl::Status status;
  const auto started = std::chrono::steady_clock::now();
  int published = 0;
  while (status.ok()) {
    status = bus->Publish("p.x", std::string(4 * 1024 * 1024, 'x'));
    ++published;
    loop_.RunReady();
  }
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_GE(bus->stats().refused_full, 1u);
  std::optional<bool> pong;
  bus->Ping(absl::Milliseconds(100), [&](bool answered) { pong = answered; });
  ASSERT_TRUE(RunUntil(loop_, [&] { return pong.has_value(); }));
  EXPECT_FALSE(*pong);
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(2));
  // The write deadline gives the connection up, and what was queued with it.
  ASSERT_TRUE(RunUntil(loop_, [&] { return !bus->connected(); }));
  EXPECT_THAT(bus->Publish("p.x", ""), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_GT(bus->stats().lost_unsent, 0u);
  server->Resume();
  ASSERT_TRUE(Connected(*bus));
  EXPECT_TRUE(RoundTrip(*bus));
  EXPECT_TRUE(RunUntil(loop_, [&] { return bus->stats().queued == 0; }));

  // Without traffic the pings notice; and it can be destroyed meanwhile.
  server->Pause();
  ASSERT_TRUE(RunUntil(loop_, [&] { return !bus->connected(); }));
  bus.reset();
  server->Resume();
}

TEST_F(NatsBusTest, ALoopThatFallsBehindLosesMessagesAndCountsThem) {
  const auto server = StartServer();
  NatsOptions options = Fast(server->url());
  options.max_queued_messages = 100;
  const auto slow = Make(loop_, options);
  const auto publisher = Make(loop_, Fast(server->url()));
  ASSERT_TRUE(Connected(*slow) && Connected(*publisher));
  int heard = 0;
  const auto subscription = *slow->Subscribe("p.x", "", [&](BusMessage) { ++heard; });
  ASSERT_TRUE(Flush(*slow));
  for (int i = 0; i < 1000; ++i) ASSERT_THAT(publisher->Publish("p.x", ""), IsOk());
  // The loop stands still meanwhile.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (slow->stats().dropped_slow == 0 && std::chrono::steady_clock::now() < deadline) {
  }
  EXPECT_GT(slow->stats().dropped_slow, 0u);
  ASSERT_TRUE(Flush(*publisher) && Flush(*slow));
  EXPECT_GE(heard, 100);
  EXPECT_LT(heard, 1000);
}

TEST_F(NatsBusTest, SurvivesServersThatLowerTheirLargestPayload) {
  const auto server = StartServer("max_payload: 4MB");
  const auto bus = Make(loop_, Fast(server->url()));
  ASSERT_TRUE(Connected(*bus));
  EXPECT_THAT(bus->Publish("p.x", std::string(3'000'000, 'x')), IsOk());
  ASSERT_TRUE(Flush(*bus));
  ASSERT_THAT(server->Restart("max_payload: 1MB"), IsOk());
  ASSERT_TRUE(RunUntil(loop_, [&] { return bus->stats().connections == 2; }));
  ASSERT_TRUE(Flush(*bus));
  EXPECT_THAT(bus->Publish("p.x", std::string(3'000'000, 'x')),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_TRUE(RoundTrip(*bus));
}

constexpr char kUsers[] = R"(authorization { users: [
  {user: me, password: "%s"}
  {nkey: UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4}
]})";

std::string Users(const std::string& password) {
  std::string config = kUsers;
  return config.replace(config.find("%s"), 2, password);
}

TEST_F(NatsBusTest, APasswordThatBecomesRightConnects) {
  const auto server = StartServer(Users("not yet"));
  const auto bus = Make(loop_, Fast(absl::StrCat("nats://me:hunter2%22%5C@", server->address())));
  ASSERT_TRUE(RunUntil(loop_, [&] { return bus->stats().failed_connects >= 3; }));
  EXPECT_FALSE(bus->connected());
  EXPECT_THAT(bus->stats().last_error, HasSubstr("uthorization"));
  EXPECT_THAT(bus->stats().last_error, Not(HasSubstr("hunter2")));
  // Also one that needs care in JSON.
  ASSERT_THAT(server->Restart(Users("hunter2\\\"\\\\")), IsOk());
  ASSERT_TRUE(Connected(*bus));
  EXPECT_TRUE(RoundTrip(*bus));
  EXPECT_THAT(server->log(), Not(HasSubstr("hunter2")));
}

TEST_F(NatsBusTest, CredentialFilesAreReadAgain) {
  const auto server = StartServer(Users("x"));
  NatsOptions options = Fast(server->url());
  options.nkey_file = server->folder() + "/seed";
  const auto bus = Make(loop_, options);
  ASSERT_TRUE(RunUntil(loop_, [&] { return bus->stats().failed_connects >= 1; }));
  EXPECT_THAT(bus->stats().last_error, HasSubstr("cannot read NKey"));
  std::ofstream(options.nkey_file) << "SUACSSL3UAHUDXKF not a seed";
  ASSERT_TRUE(RunUntil(
      loop_, [&] { return bus->stats().last_error.find("no NKey seed") != std::string::npos; }));
  EXPECT_THAT(bus->stats().last_error, Not(HasSubstr("SUACSSL3")));
  std::ofstream(options.nkey_file)
      << "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY\n";
  ASSERT_TRUE(Connected(*bus));
  EXPECT_TRUE(RoundTrip(*bus));
}

TEST_F(NatsBusTest, WhatPermissionsForbidIsReportedAndTheConnectionKept) {
  const auto server = StartServer(R"(authorization { users: [{
    user: pool, password: x,
    permissions: {publish: ["ok.>", "test.self"], subscribe: ["_INBOX.>", "ok.>", "test.self"]}
  }]})");
  const auto bus = Make(loop_, Fast(absl::StrCat("nats://pool:x@", server->address())));
  ASSERT_TRUE(Connected(*bus));
  EXPECT_THAT(bus->Publish("forbidden.x", ""), IsOk());
  const auto subscription = *bus->Subscribe("forbidden.y", "", [](BusMessage) { FAIL(); });
  ASSERT_TRUE(RunUntil(loop_, [&] { return bus->stats().server_errors >= 2; }));
  EXPECT_THAT(bus->stats().last_error, HasSubstr("ermission"));
  EXPECT_TRUE(RoundTrip(*bus));
  EXPECT_EQ(bus->stats().losses, 0u);
}

class NatsTlsTest : public NatsBusTest {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/certs";
    std::filesystem::create_directories(folder_);
    certificates_ = WriteTestCertificates(folder_);
  }
  std::string TlsConfig(absl::string_view more = "") const {
    return absl::StrCat("tls {\n cert_file: \"", certificates_.server_certificate,
                        "\"\n key_file: \"", certificates_.server_key, "\"\n ", more, "\n}");
  }
  std::string folder_;
  TestCertificates certificates_;
};

TEST_F(NatsTlsTest, ConnectsToAServerWhoseAuthorityItTrusts) {
  const auto server = StartServer(TlsConfig());
  for (const std::string& host : {std::string("127.0.0.1"), std::string("localhost")}) {
    NatsOptions options = Fast(absl::StrCat("tls://", host, ":", server->port()));
    options.ca_file = certificates_.ca;
    const auto bus = Make(loop_, options);
    ASSERT_TRUE(Connected(*bus)) << host;
    EXPECT_TRUE(RoundTrip(*bus));
  }
}

TEST_F(NatsTlsTest, RefusesAServerItDoesNotTrustAndSaysWhy) {
  const auto server = StartServer(TlsConfig());
  const auto without_tls = StartServer();
  const std::string url = absl::StrCat("tls://127.0.0.1:", server->port());
  struct Case {
    std::string url;
    std::string ca_file;
    std::string error;
  };
  const Case cases[] = {
      {url, certificates_.other_ca, "issuer certificate"},
      {url, "", "issuer certificate"},  // the system's authorities
      {url, folder_ + "/none.pem", "authorities"},
      {server->url(), "", "issuer certificate"},  // asks for TLS, whatever the URL says
      {absl::StrCat("tls://", without_tls->address()), certificates_.ca, "does not offer it"},
      // Leads to the server, and is not in its certificate.
      {absl::StrCat("tls://[::ffff:127.0.0.1]:", server->port()), certificates_.ca, "mismatch"},
  };
  for (const Case& c : cases) {
    NatsOptions options = Fast(c.url);
    options.ca_file = c.ca_file;
    const auto bus = Make(loop_, options);
    ASSERT_TRUE(RunUntil(loop_, [&] { return bus->stats().failed_connects >= 1; }));
    EXPECT_THAT(bus->stats().last_error, HasSubstr(c.error)) << c.url << " " << c.ca_file;
    EXPECT_EQ(bus->stats().connections, 0u) << c.url << " " << c.ca_file;
  }
}

TEST_F(NatsTlsTest, CarriesLargeMessagesBothWaysAndFollowsARestart) {
  const auto server = StartServer(TlsConfig() + "\nmax_payload: 16MB");
  NatsOptions options = Fast(absl::StrCat("tls://localhost:", server->port()));
  options.ca_file = certificates_.ca;
  const auto bus = Make(loop_, options);
  const auto echo = *bus->Subscribe("p.echo", "", [&](BusMessage request) {
    EXPECT_THAT(bus->Respond(request, request.payload), IsOk());
  });
  std::string payload(2 * 1024 * 1024, '\0');
  for (size_t i = 0; i < payload.size(); ++i) {
    payload[i] = static_cast<char>((i * 2654435761u) >> 11);
  }
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(RunUntil(
        loop_, [&] { return bus->stats().connections == 1u + round && bus->connected(); }));
    int answered = 0;
    for (int i = 0; i < 4; ++i) {
      bus->Request("p.echo", payload, absl::Seconds(30), [&](absl::StatusOr<std::string> answer) {
        ASSERT_THAT(answer, IsOk());
        EXPECT_TRUE(*answer == payload);
        ++answered;
      });
    }
    ASSERT_TRUE(RunUntil(loop_, [&] { return answered == 4; }));
    ASSERT_THAT(server->Restart(), IsOk());
  }
}

TEST_F(NatsTlsTest, AServerThatHangsInTheMiddleIsGivenUp) {
  const auto server = StartServer(TlsConfig());
  NatsOptions options = Fast(absl::StrCat("tls://127.0.0.1:", server->port()));
  options.ca_file = certificates_.ca;
  options.ping_interval = absl::Milliseconds(300);
  auto bus = Make(loop_, options);
  ASSERT_TRUE(Connected(*bus));
  server->Pause();
  ASSERT_TRUE(RunUntil(loop_, [&] { return !bus->connected(); }));
  ASSERT_TRUE(RunUntil(loop_, [&] { return bus->stats().failed_connects >= 1; }));
  EXPECT_THAT(bus->stats().last_error, HasSubstr("no answer in time"));
  server->Resume();
  ASSERT_TRUE(Connected(*bus));
  EXPECT_TRUE(RoundTrip(*bus));
}

TEST_F(NatsTlsTest, ShowsItsOwnCertificateWhereTheServerAsks) {
  const auto server =
      StartServer(TlsConfig(absl::StrCat("ca_file: \"", certificates_.ca, "\"\n verify: true")));
  NatsOptions without = Fast(absl::StrCat("tls://127.0.0.1:", server->port()));
  without.ca_file = certificates_.ca;
  const auto refused = Make(loop_, without);
  ASSERT_TRUE(RunUntil(loop_, [&] { return refused->stats().failed_connects >= 1; }));
  NatsOptions with = without;
  with.cert_file = certificates_.client_certificate;
  with.key_file = certificates_.client_key;
  const auto bus = Make(loop_, with);
  ASSERT_TRUE(Connected(*bus));
  EXPECT_TRUE(RoundTrip(*bus));
}

}  // namespace
}  // namespace podferry
