#include "plugin/bundle_maker.h"

#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/base/testing/fake_clock.h"
#include "core/base/testing/status_matchers.h"
#include "core/http/testing/in_process_client.h"
#include "core/os/testing/fake_event_loop.h"
#include "core/os/testing/inline_worker_pool.h"
#include "core/store/testing/memory_store.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "plugin/store_keys.h"

namespace podferry {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kUid[] = "6ba7b810-9dad-41d1-80b4-00c04fd430c8";

// Says in the script what it was given.
Translation Translate(const RetrievedPod& pod, const JobKey&, absl::string_view,
                      const BuildConfig& config, const TranslateOptions& options) {
  Translation translation;
  translation.bundle.script =
      absl::StrCat(pod.pod.metadata.name, " ", config.shub_proxy.server, " ",
                   config.shub_proxy.master_token, "|", options.registry_proxy_token);
  translation.warnings = {"spec.x: ignored"};
  return translation;
}

class BundleMakerTest : public testing::Test {
 protected:
  void Store(const std::string& job_config = "{}") {
    store_.Write(
        {Mutation::Put(
            BodyStoreKey(kUid),
            absl::StrCat(R"({"pod":{"metadata":{"name":"p","namespace":"default","uid":")", kUid,
                         R"("},"spec":{"containers":[{"name":"c","image":"i"}],)",
                         R"("tolerations":[{"key":"pool.vk.io","operator":"Equal",)",
                         R"("value":"pool"}]}},"container":[],"jobConfig":)", job_config, "}"))},
        [](absl::Status status) { EXPECT_THAT(status, IsOk()); });
    loop_.RunUntilIdle();
  }
  absl::StatusOr<Translation> Make(const BuildConfig& config) {
    JobRecord record;
    record.job.key = {"origin", kUid};
    record.job.pool = "pool";
    std::optional<absl::StatusOr<Translation>> made;
    bundles_.Make(record, std::make_shared<BuildConfig>(config),
                  [&](absl::StatusOr<Translation> result) { made = std::move(result); });
    loop_.RunUntilIdle();
    EXPECT_TRUE(made.has_value());
    return made.value_or(absl::UnknownError("no answer"));
  }
  static BuildConfig WithProxy() {
    BuildConfig config;
    config.shub_proxy.server = "hub:8080";
    return config;
  }

  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  InlineWorkerPool workers_{loop_};
  MemoryStore store_{loop_, std::make_shared<MemoryStore::Disk>()};
  InProcessClient http_{loop_, [this](HttpRequest request, ResponseWriter writer) {
                          authorization_ = std::string(request.headers.Get("Authorization"));
                          writer.Send(HttpResponse::Text(200, "short-lived"));
                        }};
  std::string authorization_;
  RegistryProxy proxy_{&http_, clock_, {.master_token = "master"}};
  BundleMaker bundles_{store_, workers_, proxy_, &Translate};
};

TEST_F(BundleMakerTest, TranslatesTheStoredBodyAndAsksNoProxyWhereThePoolHasNone) {
  Store();
  const absl::StatusOr<Translation> made = Make(BuildConfig());
  ASSERT_THAT(made, IsOk());
  EXPECT_EQ(made->bundle.script, "p  |");
  EXPECT_THAT(http_.seen(), IsEmpty());
  BuildConfig host = WithProxy();
  host.runtime.kind = RuntimeKind::kHost;
  EXPECT_THAT(Make(host), IsOk());
  EXPECT_THAT(http_.seen(), IsEmpty()) << "there are no images to get";
}

TEST_F(BundleMakerTest, PassesOnATokenAndNeverTheMasterToken) {
  Store();
  const absl::StatusOr<Translation> made = Make(WithProxy());
  ASSERT_THAT(made, IsOk());
  EXPECT_EQ(made->bundle.script, "p hub:8080 |short-lived");
  EXPECT_THAT(made->warnings, ElementsAre("spec.x: ignored"));
}

TEST_F(BundleMakerTest, AProxyThatIsDownCostsAWarningOnly) {
  Store();
  http_.FailWith(absl::UnavailableError("cannot connect to hub:8080"));
  const absl::StatusOr<Translation> made = Make(WithProxy());
  ASSERT_THAT(made, IsOk());
  EXPECT_EQ(made->bundle.script, "p hub:8080 |");
  ASSERT_THAT(made->warnings, SizeIs(2));
  EXPECT_THAT(made->warnings[1], AllOf(HasSubstr("shub_proxy.server"), HasSubstr("cannot connect"),
                                       Not(HasSubstr("master"))));
}

TEST_F(BundleMakerTest, TakesTheMasterTokenOfInterLinksJobConfigForItsOwnProxy) {
  Store(R"({"SingularityHubProxy":{"server":"hub:8080","master_token":"theirs"}})");
  EXPECT_THAT(Make(WithProxy()), IsOk());
  EXPECT_EQ(authorization_, "Basic YWRtaW46dGhlaXJz");
  Store(R"({"SingularityHubProxy":{"server":"other","master_token":"theirs"}})");
  EXPECT_THAT(Make(WithProxy()), IsOk());
  EXPECT_EQ(authorization_, "Basic YWRtaW46bWFzdGVy") << "ours";
}

TEST_F(BundleMakerTest, SaysWhenThereIsNoBody) {
  EXPECT_THAT(Make(BuildConfig()), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(Make(WithProxy()), StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace podferry
