// What the plugin does for others and with others' servers: scripts that run without a submitter of
// ours, and tokens of a registry proxy.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "e2e/harness/process.h"
#include "e2e/harness/site.h"
#include "e2e/harness/wait.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kMaster[] = "master-token-of-the-proxy";
constexpr char kToken[] = "short-lived-token";

// Of tools/testenv; a test that misses it fails.
std::string FromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  EXPECT_NE(value, nullptr) << name << " is not set: bazel test $(tools/testenv/make --bazel) ...";
  return value == nullptr ? "" : value;
}

std::string WithJobConfig(const PodRequest& pod, const std::string& job_config) {
  std::string body = pod.CreateBody();
  return body.insert(1, absl::StrCat("\"jobConfig\":", job_config, ","));
}

// Every regular file below `folder`.
std::string AllBytesIn(const std::string& folder) {
  std::string all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) all += ReadFile(entry.path());
  }
  return all;
}

class BuilderTest : public testing::Test {
 protected:
  Site site_;
};

TEST_F(BuilderTest, AScriptForOthersRunsByItselfInASandboxInTheCurrentFolder) {
  site_.StartNats();
  site_.StartPlugin();
  PodRequest pod = PodRequest::Shell("alone", "echo \"it's $GREETING\"; pwd; exit 5");
  pod.containers[0].env = {{"GREETING", "me \"here\" $(x)"}};
  const std::string job_config = absl::StrCat(
      R"({"ApptainerOptions":{"executable":")", FromEnvironment("PODFERRY_TEST_APPTAINER"),
      R"(","noHome":true,"noPrivs":true,"cleanenv":true},"Volumes":{"scratch_area":")",
      site_.folder(), R"(","apptainer_cachedir":")", site_.Path("cache"), R"(","image_dir":")",
      FromEnvironment("PODFERRY_TEST_APPTAINER_IMAGES"), "/image_dir\"}}");
  const HttpAnswer built =
      site_.http().Post("/interlink/apptainer-cmd-builder", WithJobConfig(pod, job_config));
  ASSERT_EQ(built.code, 200) << built.body;

  const std::string work = site_.Path("elsewhere");
  std::filesystem::create_directory(work);
  std::ofstream(work + "/job.sh") << built.body;
  auto script =
      Process::Start({.argv = {"bash", "-c", absl::StrCat("cd ", work, " && exec bash ./job.sh")},
                      .log = site_.Path("script.log")});
  EXPECT_EQ(script->WaitForExit(kDeadline), 5) << ReadFile(site_.Path("script.log"));
  std::vector<std::string> made;
  for (const auto& entry : std::filesystem::directory_iterator(work)) {
    if (entry.is_directory()) made.push_back(entry.path());
  }
  ASSERT_EQ(made.size(), 1u);
  EXPECT_THAT(made[0], HasSubstr(pod.uid));
  EXPECT_THAT(ReadFile(made[0] + "/logs/00.main/0.log"), HasSubstr("it's me \"here\" $(x)\n"))
      << ReadFile(made[0] + "/status/00.main");
}

// A small registry proxy: one token for whoever knows the master token.
constexpr char kProxy[] = R"(
import base64, http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        want = 'Basic ' + base64.b64encode(b'admin:' + sys.argv[2].encode()).decode()
        good = self.path == '/token' and self.headers.get('Authorization') == want
        self.send_response(200 if good else 401)
        self.end_headers()
        if good: self.wfile.write(sys.argv[3].encode())
http.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()
)";

TEST_F(BuilderTest, AJobGetsATokenOfThePoolsProxyAndTheMasterTokenStaysInThePlugin) {
  const std::string server = absl::StrCat("127.0.0.1:", FreePort());
  auto proxy =
      Process::Start({.argv = {"python3", "-c", kProxy, server.substr(10), kMaster, kToken},
                      .log = site_.Path("proxy.log")});
  ASSERT_TRUE(WaitFor([&] { return HttpClient("http://" + server).Get("/").code == 401; }));
  const std::string outside = site_.Path("token-file");
  std::ofstream(outside) << kMaster << "\n";
  site_.StartNats();
  site_.StartPlugin("", {"--shub-proxy-token-file", outside, "--shub-proxy", server});
  site_.StartSubmitter();
  ASSERT_TRUE(site_.WaitForPool());
  const auto config_time = [&] {
    const std::string pools = site_.http().Get("/v1/pools").body;
    const size_t at = pools.find("\"config_time\"");
    return at == pools.npos ? "" : pools.substr(at, 45);
  };
  ASSERT_TRUE(WaitFor([&] { return !config_time().empty(); }));
  const std::string before = config_time();
  std::ofstream(site_.Path("build.toml"))
      << "[runtime]\nkind = \"apptainer\"\n[shub_proxy]\nserver = \"" << server << "\"\n";
  ASSERT_TRUE(WaitFor([&] {
    return absl::StrContains(ReadFile(site_.Path("submitter.log")), "has changed") &&
           config_time() != before;
  }));

  const auto bundle_of = [&](const PodRequest& pod) {
    EXPECT_EQ(site_.Create(pod), 200);
    HttpAnswer answer;
    EXPECT_TRUE(WaitFor([&] {
      answer = site_.http().Get(absl::StrCat("/v1/jobs/", pod.uid, "/bundle"));
      return answer.code == 200;
    })) << answer.body;
    return answer.body;
  };
  EXPECT_THAT(bundle_of(PodRequest::Shell("with", "true")),
              AllOf(HasSubstr(kToken), Not(HasSubstr(kMaster))));

  // What was fetched is kept; a plugin that starts while the proxy is down does without.
  proxy->Kill();
  site_.plugin()->Kill();
  site_.StartPlugin("", {"--shub-proxy-token-file", outside, "--shub-proxy", server});
  ASSERT_TRUE(site_.WaitForPool());
  const PodRequest without = PodRequest::Shell("without", "true");
  EXPECT_THAT(bundle_of(without), Not(HasSubstr(kToken)));
  EXPECT_THAT(
      site_.http().Get("/v1/jobs").body,
      AllOf(HasSubstr("shub_proxy.server: images come from the registry"), HasSubstr(server)));

  std::filesystem::remove(outside);
  EXPECT_THAT(AllBytesIn(site_.folder()), Not(HasSubstr(kMaster)));
}

}  // namespace
}  // namespace podferry::e2e
