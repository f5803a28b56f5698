// The server configuration that docs/protocol.md shows: it lets everybody do what the protocol asks
// of them, and no pool another pool's part.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/testing/golden.h"
#include "core/base/testing/status_matchers.h"
#include "core/nats/nats_bus.h"
#include "core/nats/testing/nats_server.h"
#include "core/os/asio_event_loop.h"
#include "core/os/testing/run_until.h"
#include "core/wire/subjects.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string DocumentedConfig() {
  const std::string page = ReadTestData("docs/protocol.md");
  const size_t begin = page.find("```conf\n") + 8;
  return page.substr(begin, page.find("```", begin) - begin);
}

class PermissionsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto server = NatsServer::Start(DocumentedConfig());
    ASSERT_THAT(server, IsOk());
    server_ = *std::move(server);
    plugin_ = Connect("plugin");
    submitter_ = Connect("hpc");
  }
  std::unique_ptr<NatsBus> Connect(const std::string& user) {
    NatsOptions options;
    options.url = absl::StrCat("nats://", user, ":", user, "-password@", server_->address());
    options.inbox_prefix = absl::StrCat("_INBOX_", user);
    auto bus = NatsBus::Create(loop_, options);
    EXPECT_THAT(bus, IsOk());
    EXPECT_TRUE(RunUntil(loop_, [&] { return (*bus)->connected(); }));
    return *std::move(bus);
  }
  void Hear(NatsBus& bus, const std::string& subject, std::vector<std::string>& to) {
    subscriptions_.push_back(*bus.Subscribe(subject, "", [&](BusMessage message) {
      to.push_back(message.subject);
      EXPECT_THAT(bus.Respond(message, "answer"), IsOk());
    }));
  }
  void Flush(NatsBus& bus) {
    bool answered = false;
    bus.Ping(absl::Seconds(10), [&](bool) { answered = true; });
    EXPECT_TRUE(RunUntil(loop_, [&] { return answered; }));
  }
  absl::StatusOr<std::string> Ask(NatsBus& bus, const std::string& subject) {
    std::optional<absl::StatusOr<std::string>> result;
    bus.Request(subject, "?", absl::Seconds(10),
                [&](absl::StatusOr<std::string> answer) { result = std::move(answer); });
    EXPECT_TRUE(RunUntil(loop_, [&] { return result.has_value(); }));
    return *result;
  }

  AsioEventLoop loop_;
  const wire::Subjects subjects_{"interlink"};
  std::unique_ptr<NatsServer> server_;
  std::unique_ptr<NatsBus> plugin_;
  std::unique_ptr<NatsBus> submitter_;
  std::vector<std::unique_ptr<Bus::Subscription>> subscriptions_;
};

TEST_F(PermissionsTest, LetThroughAllThatTheProtocolAsksFor) {
  std::vector<std::string> at_submitter, at_plugin, at_controller;
  for (const std::string& subject :
       {subjects_.AllCreates("hpc"), subjects_.AllJobs("hpc", "S", "start"),
        subjects_.AllFinds("hpc"), subjects_.Sync("hpc"), subjects_.Shutdown("stop")}) {
    Hear(*submitter_, subject, at_submitter);
  }
  for (const std::string& subject : {subjects_.AllEvents(), subjects_.AllConfigs(),
                                     subjects_.AllResources(), subjects_.AllBundles("o")}) {
    Hear(*plugin_, subject, at_plugin);
  }
  const auto controller = Connect("controller");
  Hear(*controller, subjects_.AllResources(), at_controller);
  Flush(*submitter_);
  Flush(*plugin_);
  Flush(*controller);
  for (const std::string& subject :
       {subjects_.Create("hpc", "j"), subjects_.Job("hpc", "S", "start", "j"),
        subjects_.Find("hpc", "j"), subjects_.Sync("hpc"), subjects_.Shutdown("stop")}) {
    EXPECT_THAT(Ask(*plugin_, subject), IsOkAndHolds(std::string("answer"))) << subject;
  }
  EXPECT_THAT(Ask(*submitter_, subjects_.Bundle("hpc", "o", "j")),
              IsOkAndHolds(std::string("answer")));
  for (const std::string& subject :
       {subjects_.Events("hpc"), subjects_.Config("hpc"), subjects_.Resources("hpc")}) {
    EXPECT_THAT(submitter_->Publish(subject, "x"), IsOk());
  }
  EXPECT_TRUE(RunUntil(loop_, [&] { return at_plugin.size() == 4 && at_controller.size() == 1; }));
  EXPECT_EQ(plugin_->stats().server_errors, 0u);
  EXPECT_EQ(submitter_->stats().server_errors, 0u);
  EXPECT_EQ(controller->stats().server_errors, 0u);
}

TEST_F(PermissionsTest, KeepAPoolToItsOwnSubjects) {
  std::vector<std::string> stolen, at_plugin;
  for (const std::string& subject :
       {subjects_.AllCreates("other"), subjects_.AllJobs("other", "S", "start"),
        std::string("interlink.>"), std::string("_INBOX_plugin.>")}) {
    Hear(*submitter_, subject, stolen);
  }
  Hear(*plugin_, subjects_.AllEvents(), at_plugin);
  Flush(*submitter_);
  Flush(*plugin_);
  EXPECT_THAT(submitter_->Publish(subjects_.Events("other"), "forged"), IsOk());
  EXPECT_THAT(submitter_->Publish(subjects_.Create("hpc", "j"), "forged"), IsOk());
  EXPECT_THAT(submitter_->Publish(subjects_.Events("hpc"), "own"), IsOk());
  EXPECT_THAT(plugin_->Publish(subjects_.Create("other", "j"), "x"), IsOk());
  EXPECT_TRUE(RunUntil(loop_, [&] { return !at_plugin.empty(); }));
  EXPECT_TRUE(RunUntil(loop_, [&] { return submitter_->stats().server_errors >= 6; }));
  Flush(*plugin_);
  Flush(*submitter_);
  EXPECT_THAT(at_plugin, ElementsAre(subjects_.Events("hpc")));
  EXPECT_THAT(stolen, IsEmpty());
}

}  // namespace
}  // namespace podferry
