#include "plugin/script_builder.h"

#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/base/testing/fake_clock.h"
#include "core/base/testing/status_matchers.h"
#include "core/http/testing/in_process_client.h"
#include "core/os/testing/fake_event_loop.h"
#include "core/os/testing/inline_worker_pool.h"
#include "core/pool/build_config_toml.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Says in the script what it was given.
Translation TranslateForTest(const RetrievedPod& pod, const JobKey& key, absl::string_view pool,
                             const BuildConfig& config, const TranslateOptions& options) {
  Translation translation;
  if (pod.pod.metadata.name == "refused") {
    translation.issues.Add("spec.a", "cannot be");
    translation.issues.Add("spec.b", "cannot be either");
    return translation;
  }
  translation.bundle.script = absl::StrCat(key.ToString(), " at ", pool, "\ntoken ",
                                           options.registry_proxy_token, "\n", ToToml(config));
  return translation;
}

std::string Body(const std::string& job_config, const std::string& name = "p",
                 const std::string& spec = "") {
  return absl::StrCat(R"({"pod":{"metadata":{"name":")", name,
                      R"(","namespace":"default","uid":"6ba7b810-9dad-41d1-80b4-00c04fd430c8"},)",
                      R"("spec":{"containers":[{"name":"c","image":"i"}])", spec,
                      R"(}},"container":[],"jobConfig":)", job_config, "}");
}

class ScriptBuilderTest : public testing::Test {
 protected:
  BuiltScript Build(const std::string& body) {
    std::optional<BuiltScript> built;
    builder_.Build(body, [&](BuiltScript result) { built = std::move(result); });
    loop_.RunUntilIdle();
    EXPECT_TRUE(built.has_value());
    return built.value_or(BuiltScript{});
  }

  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  InlineWorkerPool workers_{loop_};
  PoolDirectory directory_{absl::Minutes(15)};
  InProcessClient http_{loop_, [](HttpRequest, ResponseWriter writer) {
                          writer.Send(HttpResponse::Text(200, "short-lived"));
                        }};
  RegistryProxy proxy_{&http_, clock_, {}};
  ScriptBuilder builder_{workers_, directory_, proxy_, &TranslateForTest, "origin"};
};

TEST_F(ScriptBuilderTest, NeedsNoPoolAndRunsUnderApptainer) {
  const BuiltScript built = Build(Body("{}"));
  EXPECT_THAT(built.issues, IsEmpty());
  EXPECT_THAT(built.script, AllOf(HasSubstr("origin/6ba7b810"), HasSubstr(" at interlink\n"),
                                  HasSubstr("kind = \"apptainer\"")));
}

TEST_F(ScriptBuilderTest, TakesOverWhatInterLinksJobConfigSays) {
  const BuiltScript built = Build(Body(R"({
      "ApptainerOptions":{"executable":"/opt/apptainer","fuseMode":"host-privileged",
        "fakeroot":true,"containall":true,"noInit":true,"noHome":true,"noPrivs":true,
        "nvidiaSupport":true,"cleanenv":false,"unsquash":true},
      "Volumes":{"scratch_area":"/scratch","apptainer_cachedir":"/cache","image_dir":"/images",
        "additional_directories_in_path":["/a","/b"],"fuse_sleep_seconds":9},
      "SingularityHubProxy":{"server":"hub:1","master_token":"master-secret",
        "cache_validity_seconds":5}})"));
  EXPECT_THAT(built.issues, IsEmpty());
  for (const char* line :
       {"executable = \"/opt/apptainer\"", "fuse_mode = \"host-privileged\"", "fakeroot = true",
        "containall = true", "no_init = true", "no_home = true", "no_privs = true",
        "nvidia_support = true", "cleanenv = false", "unsquash = true",
        "scratch_area = \"/scratch\"", "apptainer_cachedir = \"/cache\"", "image_dir = \"/images\"",
        "additional_directories_in_path = [\"/a\", \"/b\"]", "fuse_sleep_seconds = 9",
        "server = \"hub:1\"", "token short-lived"}) {
    EXPECT_THAT(built.script, HasSubstr(absl::StrCat(line, "\n")));
  }
  EXPECT_THAT(built.script, Not(HasSubstr("master-secret")));
}

TEST_F(ScriptBuilderTest, AProxyWithoutATokenCostsAWarningOnly) {
  const BuiltScript built = Build(Body(R"({"SingularityHubProxy":{"server":"hub:1"}})"));
  EXPECT_THAT(built.issues, IsEmpty());
  EXPECT_THAT(built.script, HasSubstr("token \n"));
  EXPECT_THAT(built.warnings, ElementsAre(HasSubstr("shub_proxy.server")));
}

TEST_F(ScriptBuilderTest, NamesEveryFieldThatIsWrong) {
  const BuiltScript invalid = Build(Body(R"({"ApptainerOptions":{"fuseMode":"sideways"}})",
                                         "Bad_Name", R"(,"restartPolicy":"Sometimes")"));
  EXPECT_THAT(invalid.issues.ToString(),
              AllOf(HasSubstr("pod.metadata.name"), HasSubstr("pod.spec.restartPolicy"),
                    HasSubstr("jobConfig.ApptainerOptions.fuseMode: want one of container, host, "
                              "host-privileged, got \"sideways\"")));
  EXPECT_THAT(Build(Body("{}", "refused")).issues.ToString(),
              AllOf(HasSubstr("spec.a: "), HasSubstr("spec.b: ")));
  EXPECT_THAT(Build("{").status, StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace podferry
