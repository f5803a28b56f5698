// Images are fetched once per site: a second pod with the same image pulls nothing, and of ten pods
// that start at once, one pulls. Counted by the registry itself (tools/testenv/registry).

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "e2e/harness/http.h"
#include "e2e/harness/process.h"
#include "e2e/harness/site.h"
#include "e2e/harness/wait.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry::e2e {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

class Registry {
 public:
  explicit Registry(const Site& site) : log_(site.Path("registry.log")) {
    process_ = Process::Start({.argv = {std::getenv("PODFERRY_TEST_REGISTRY"), "--serve"},
                               .log = log_,
                               .keep_stdin_open = true});
    WaitFor([this] { return !Said("ca ").empty() || !process_->Running(); });
  }

  std::string place() const { return Said("https "); }  // "127.0.0.1:PORT"
  std::string certificate() const { return Said("ca "); }

  // How often each blob was sent so far.
  std::map<std::string, int> BlobsSent() const {
    std::map<std::string, int> sent;
    const std::string log = HttpClient("http://" + Said("http ")).Get("/_log").body;
    for (const absl::string_view line : absl::StrSplit(log, '\n')) {
      const std::vector<std::string> words = absl::StrSplit(line, ' ');  // METHOD PATH STATUS
      if (words.size() == 3 && words[0] == "GET" && absl::StrContains(words[1], "/blobs/") &&
          words[2] == "200") {
        ++sent[words[1]];
      }
    }
    return sent;
  }

 private:
  std::string Said(absl::string_view key) const {
    for (const absl::string_view line : absl::StrSplit(ReadFile(log_), '\n')) {
      if (absl::StartsWith(line, key)) return std::string(line.substr(key.size()));
    }
    return "";
  }

  std::string log_;
  std::unique_ptr<Process> process_;
};

class ImagePullTest : public testing::TestWithParam<Runtime> {
 protected:
  // The runtime, told to trust the registry.
  static Runtime Trusting(Runtime runtime, const Registry& registry) {
    runtime.env["SSL_CERT_FILE"] = registry.certificate();
    return runtime;
  }

  static std::vector<PodRequest> Pods(const std::string& image, int count) {
    std::vector<PodRequest> pods;
    for (int i = 0; i < count; ++i) {
      pods.push_back(PodRequest::Shell(absl::StrCat("pod-", i), "echo ran"));
      pods.back().containers[0].image = image;
    }
    return pods;
  }

  static void RunAll(Site& site, const std::vector<PodRequest>& pods) {
    for (const PodRequest& pod : pods) ASSERT_EQ(site.Create(pod), 200);
    for (const PodRequest& pod : pods) {
      PodAnswer answer;
      ASSERT_TRUE(site.WaitForEnd(pod, &answer, absl::Seconds(180))) << answer.ToString();
      EXPECT_EQ(answer.Phase(), "Succeeded") << answer.ToString();
    }
  }
};

TEST_P(ImagePullTest, TenPodsAtOncePullOnceAndALaterOneNothing) {
  ASSERT_EQ(GetParam().missing, "");
  ASSERT_NE(std::getenv("PODFERRY_TEST_REGISTRY"), nullptr)
      << "bazel test $(tools/testenv/make --bazel)";
  Site files;
  Registry registry(files);
  ASSERT_NE(registry.place(), "");
  Site site(Trusting(GetParam(), registry));
  site.StartAll();
  const std::string image = registry.place() + "/library/busybox:1.36";
  ASSERT_NO_FATAL_FAILURE(RunAll(site, Pods(image, 10)));
  const std::map<std::string, int> once = registry.BlobsSent();
  EXPECT_THAT(once, Not(IsEmpty()));
  EXPECT_THAT(once, Each(Pair(HasSubstr("/blobs/"), 1)));
  ASSERT_NO_FATAL_FAILURE(RunAll(site, Pods(image, 1)));
  EXPECT_EQ(registry.BlobsSent(), once);
}

TEST_P(ImagePullTest, AnImageThatDoesNotExistIsSaidInTheRuntimesWords) {
  ASSERT_EQ(GetParam().missing, "");
  ASSERT_NE(std::getenv("PODFERRY_TEST_REGISTRY"), nullptr)
      << "bazel test $(tools/testenv/make --bazel)";
  Site files;
  Registry registry(files);
  ASSERT_NE(registry.place(), "");
  Site site(Trusting(GetParam(), registry));
  site.StartAll();
  const PodRequest pod = Pods(registry.place() + "/library/never:1", 1)[0];
  ASSERT_EQ(site.Create(pod), 200);
  PodAnswer answer;
  ASSERT_TRUE(WaitFor([&] {
    answer = site.Status(pod);
    return absl::StrContains(answer.ToString(), "ImagePull");
  })) << answer.ToString();
  EXPECT_THAT(answer.containers.at(0).message, HasSubstr("manifest unknown"));
  EXPECT_EQ(site.Delete(pod), 200);
  EXPECT_TRUE(WaitFor([&] { return site.Leftovers().empty(); })) << site.Leftovers();
}

INSTANTIATE_TEST_SUITE_P(Runtimes, ImagePullTest, testing::ValuesIn(RuntimesWithImages()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace podferry::e2e
