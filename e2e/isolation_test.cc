// Pods that are alike in all but their namespace, at once on one node: none sees a log line, a file
// or an exit code of another.

#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "e2e/harness/site.h"
#include "e2e/harness/wait.h"
#include "gtest/gtest.h"

namespace podferry::e2e {
namespace {

constexpr int kLines = 30;

class IsolationTest : public testing::TestWithParam<std::tuple<Runtime, int>> {};

// Says who it is again and again, in its log and in a file of the pod's volume, then what the file
// and the ConfigMap hold. Slow enough that all pods run at the same time.
std::string Chatter(const std::string& container, int code) {
  return absl::StrCat("i=0; while [ $i -lt ", kLines, " ]; do i=$((i+1)); echo \"$WHO ", container,
                      " $i\"; echo \"$WHO\" >> /shared/", container,
                      "; sleep 0.03; done; sort -u /shared/", container, "; cat /config/who; exit ",
                      code);
}

ContainerRequest Member(const std::string& name, const std::string& who, int code) {
  ContainerRequest container{.name = name,
                             .command = {"/bin/sh", "-c", Chatter(name, code)},
                             .env = {{"WHO", who}},
                             .mounts = {{"shared", "/shared"}, {"config", "/config"}}};
  container.config_maps["same"] =
      absl::StrCat(R"({"metadata":{"name":"same"},"data":{"who":"config of )", who, R"(\n"}})");
  return container;
}

std::string LogOf(const std::string& name, const std::string& who) {
  std::string log;
  for (int i = 1; i <= kLines; ++i) absl::StrAppend(&log, who, " ", name, " ", i, "\n");
  return absl::StrCat(log, who, "\nconfig of ", who, "\n");
}

PodRequest Twin(int number) {
  const std::string who = absl::StrCat("pod-", number);
  PodRequest pod;
  pod.name = "same";
  pod.pod_namespace = absl::StrCat("namespace-", number);
  pod.volumes =
      R"([{"name":"shared","emptyDir":{}},{"name":"config","configMap":{"name":"same"}}])";
  pod.init_containers = {Member("prepare", who, 0)};
  pod.containers = {Member("main", who, 10 + number), Member("helper", who, 30 + number)};
  return pod;
}

void ExpectItsOwn(const Site& site, int number, const PodRequest& pod, const PodAnswer& answer) {
  SCOPED_TRACE(pod.pod_namespace);
  const std::string who = absl::StrCat("pod-", number);
  const std::pair<std::string, int> ends[] = {
      {"prepare", 0}, {"main", 10 + number}, {"helper", 30 + number}};
  for (const auto& [name, code] : ends) {
    SCOPED_TRACE(name);
    const ContainerAnswer* container = answer.Find(name);
    ASSERT_NE(container, nullptr);
    EXPECT_EQ(container->exit_code, code) << answer.ToString();
    WaitFor([&, &name = name] { return site.Log(pod, name) == LogOf(name, who); },
            absl::Seconds(10));
    EXPECT_EQ(site.Log(pod, name), LogOf(name, who));
  }
}

TEST_P(IsolationTest, NoPodSeesAnythingOfAnother) {
  const auto& [runtime, count] = GetParam();
  ASSERT_EQ(runtime.missing, "");
  Site site(runtime);
  site.StartAll();
  std::vector<PodRequest> pods;
  for (int i = 0; i < count; ++i) pods.push_back(Twin(i));
  for (const PodRequest& pod : pods) ASSERT_EQ(site.Create(pod), 200);
  for (int i = 0; i < count; ++i) {
    PodAnswer answer;
    ASSERT_TRUE(site.WaitForEnd(pods[i], &answer, absl::Seconds(180))) << answer.ToString();
    ExpectItsOwn(site, i, pods[i], answer);
  }
  for (const PodRequest& pod : pods) EXPECT_EQ(site.Delete(pod), 200);
  EXPECT_TRUE(WaitFor([&] { return site.Leftovers().empty(); })) << site.Leftovers();
}

INSTANTIATE_TEST_SUITE_P(Pods, IsolationTest,
                         testing::Combine(testing::ValuesIn(AllRuntimes()),
                                          testing::Values(2, 4, 16)),
                         [](const auto& info) {
                           return absl::StrCat(std::get<0>(info.param).name, "_",
                                               std::get<1>(info.param));
                         });

}  // namespace
}  // namespace podferry::e2e
