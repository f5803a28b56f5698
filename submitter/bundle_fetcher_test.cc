#include "submitter/bundle_fetcher.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/testing/status_matchers.h"
#include "core/wire/codec.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "submitter/test_site.h"

namespace podferry {
namespace {

using ::testing::IsEmpty;

class BundleServer {
 public:
  BundleServer(TestSite& site, std::string script) : site_(site), script_(std::move(script)) {
    subscription_ = *site.plugin_bus().Subscribe(
        site.subjects().AllBundles("origin"), "", [this](BusMessage message) {
          const absl::StatusOr<BundleRequest> request =
              wire::Decode<BundleRequest>(message.payload);
          ASSERT_THAT(request, IsOk());
          ++asked;
          largest = std::max(largest, request->max_bytes);
          BundleReply reply{.from = site_.plugin, .known = known};
          if (known) {
            reply.offset = request->offset;
            reply.total = static_cast<int64_t>(script_.size());
            reply.bytes = script_.substr(static_cast<size_t>(request->offset),
                                         static_cast<size_t>(request->max_bytes));
            if (damage) reply.bytes[0] ^= 1;
          }
          (void)site_.plugin_bus().Respond(message, wire::Encode(reply));
        });
  }

  bool known = true;
  bool damage = false;
  int asked = 0;
  int32_t largest = 0;

 private:
  TestSite& site_;
  const std::string script_;
  std::unique_ptr<Bus::Subscription> subscription_;
};

std::string BigScript() {
  std::string script = TestSite::ScriptOf("0");
  while (script.size() < 3'000'000) absl::StrAppend(&script, "# padding ", script.size(), "\n");
  return script;
}

TEST(BundleFetcherTest, FetchesAScriptThatDidNotFitIntoItsOffer) {
  TestSite site;
  const std::string script = BigScript();
  BundleServer server(site, script);
  EXPECT_TRUE(site.SendOffer("a", 1, script, false)->reserved);
  EXPECT_EQ(server.asked, 0) << "a reservation has no side effect";
  EXPECT_TRUE(site.SendStart("a", 1, script)->started);
  site.loop().Advance(absl::Seconds(1));
  EXPECT_EQ(server.asked, 6);
  EXPECT_LE(server.largest, 512 * 1024);
  ASSERT_NE(site.world().Find(site.Key("a")), nullptr);
  EXPECT_EQ(site.world().Find(site.Key("a"))->script, script);
  EXPECT_EQ(site.LastStatus("a").phase, JobPhase::kSucceeded);
}

TEST(BundleFetcherTest, GoesOnFetchingThroughLossDamageAndACrash) {
  TestSite site;
  const std::string script = BigScript();
  BundleServer server(site, script);
  site.hub().AddFault({.what = Fault::kDrop, .subject = "*.bundle.>", .times = 3});
  server.damage = true;
  EXPECT_TRUE(site.SendOffer("a", 1, script, false)->reserved);
  EXPECT_TRUE(site.SendStart("a", 1, script)->started);
  site.loop().Advance(absl::Minutes(2));
  EXPECT_THAT(site.world().jobs(), IsEmpty());
  site.Crash();
  server.damage = false;
  site.Start();
  site.loop().Advance(absl::Minutes(1));
  ASSERT_NE(site.world().Find(site.Key("a")), nullptr);
  EXPECT_EQ(site.world().Find(site.Key("a"))->script, script);
}

TEST(BundleFetcherTest, AScriptThatThePluginDoesNotHaveAnyMoreFailsTheJob) {
  TestSite site;
  const std::string script = BigScript();
  BundleServer server(site, script);
  server.known = false;
  EXPECT_TRUE(site.SendOffer("a", 1, script, false)->reserved);
  EXPECT_TRUE(site.SendStart("a", 1, script)->started);
  site.loop().Advance(absl::Seconds(1));
  EXPECT_EQ(site.LastStatus("a").failure, FailureReason::kSubmitRejected);
}

TEST(BundleFetcherTest, ADeleteEndsTheFetchingOfAScript) {
  TestSite site;
  const std::string script = BigScript();
  EXPECT_TRUE(site.SendOffer("a", 1, script, false)->reserved);
  EXPECT_TRUE(site.SendStart("a", 1, script)->started);
  EXPECT_TRUE(site.SendDelete("a")->confirmed);
  BundleServer server(site, script);
  site.loop().Advance(absl::Minutes(5));
  EXPECT_EQ(server.asked, 0);
}

}  // namespace
}  // namespace podferry
