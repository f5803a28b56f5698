#include "core/pod/pod_validator.h"

#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/testing/golden.h"
#include "core/base/testing/status_matchers.h"
#include "core/pod/testing/pod_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::vector<std::string> IssuesOf(const RetrievedPod& pod) {
  Issues issues;
  ValidateRetrievedPod(pod, &issues);
  std::vector<std::string> texts;
  for (const Issue& issue : issues) texts.push_back(issue.ToString());
  return texts;
}

using Change = std::function<void(PodBuilder&)>;

Toleration PoolToleration(const std::string& value, const std::string& op = "Equal") {
  Toleration toleration;
  toleration.key = kPoolTolerationKey;
  toleration.op = op;
  toleration.value = value;
  return toleration;
}

TEST(PodValidatorTest, TakesWhatInterLinkReallySends) {
  for (const char* name : {"simple", "volumes", "lifecycle", "indexed-0", "indexed-1"}) {
    Issues issues;
    const std::string path = absl::StrCat("core/testdata/interlink/create-", name, ".json");
    EXPECT_THAT(AdmitPod(ReadTestData(path), &issues), IsOk());
    EXPECT_THAT(issues, IsEmpty()) << name;
  }
}

TEST(PodValidatorTest, TakesUnusualButLegalPods) {
  const Change kChanges[] = {
      [](PodBuilder& b) { b.pod().metadata.name = "with.dots.in.it"; },
      [](PodBuilder& b) { b.pod().metadata.name = std::string(253, 'a'); },
      [](PodBuilder& b) { b.Pool("A_b.c-1"); },
      [](PodBuilder& b) {
        b.spec().tolerations = {PoolToleration("p"), PoolToleration("p"),
                                PoolToleration("", "Exists")};
      },
      [](PodBuilder& b) { b.Env("CM_settings.ini", "").Env("A", "1").Env("A", "2"); },
      [](PodBuilder& b) { b.Args({std::string(kMaxArgumentBytes, 'x')}); },
      [](PodBuilder& b) { b.EmptyDir("a", "/a").Mount("a", "/b"); },
      [](PodBuilder& b) {
        b.ConfigMap("c", "/c", {});
        b.retrieved().containers.clear();
        std::get<ConfigMapVolume>(b.spec().volumes[0].source).optional = true;
      },
      // Not mounted, so interLink did not send it.
      [](PodBuilder& b) {
        b.spec().volumes.push_back({"v", SecretVolume{"s", {}, 0644, false}});
      },
      [](PodBuilder& b) { b.Request("cpu", "1").Limit("cpu", "1000m").Limit("a.b/c", "1"); },
  };
  int number = 0;
  for (const Change& change : kChanges) {
    PodBuilder builder;
    change(builder);
    EXPECT_THAT(IssuesOf(builder.Build()), IsEmpty()) << "case " << number;
    ++number;
  }
}

TEST(PodValidatorTest, NamesWhatIsWrongAndWhere) {
  const struct {
    Change change;
    std::string issue;
  } kCases[] = {
      {[](PodBuilder& b) { b.Uid(""); }, "pod.metadata.uid: missing"},
      {[](PodBuilder& b) { b.Uid("../x"); },
       "pod.metadata.uid: want letters, digits and '-', at most 63: ../x"},
      {[](PodBuilder& b) { b.pod().metadata.name = "A"; },
       "pod.metadata.name: want lower case letters, digits, '-' and '.', at most 253: A"},
      {[](PodBuilder& b) { b.pod().metadata.namespace_name = "a.b"; },
       "pod.metadata.namespace: want lower case letters, digits and '-', at most 63: a.b"},
      {[](PodBuilder& b) { b.spec().containers.clear(); }, "pod.spec.containers: missing"},
      {[](PodBuilder& b) { b.container().image = ""; }, "pod.spec.containers[0].image: missing"},
      {[](PodBuilder& b) { b.AddContainer("main"); },
       "pod.spec.containers[1].name: is taken already: main"},
      {[](PodBuilder& b) { b.AddInitContainer("main"); },
       "pod.spec.containers[0].name: is taken already: main"},
      {[](PodBuilder& b) { b.Env("a=b", "c"); },
       "pod.spec.containers[0].env[0].name: may hold only printable ASCII characters without '='"},
      {[](PodBuilder& b) { b.Env("a", std::string("b\0c", 3)); },
       "pod.spec.containers[0].env[0].value: has a NUL byte, which no variable can hold"},
      {[](PodBuilder& b) { b.Env("a", std::string(kMaxArgumentBytes - 1, 'x')); },
       "pod.spec.containers[0].env[0].value: NAME=VALUE is 131072 bytes long; Linux takes at most "
       "131071"},
      {[](PodBuilder& b) {
         b.Args({"ok", std::string(kMaxArgumentBytes + 1, 'x')});
       },
       "pod.spec.containers[0].args[1]: is 131072 bytes long; Linux takes at most 131071 in one "
       "argument"},
      {[](PodBuilder& b) { b.Command({std::string("a\0", 2)}); },
       "pod.spec.containers[0].command[0]: has a NUL byte, which no argument can hold"},
      {[](PodBuilder& b) { b.Request("cpu", "-1"); },
       "pod.spec.containers[0].resources.requests.cpu: is negative: -1"},
      {[](PodBuilder& b) { b.Request("memory", "2Gi").Limit("memory", "1Gi"); },
       "pod.spec.containers[0].resources.requests.memory: 2Gi is more than the limit of 1Gi"},
      {[](PodBuilder& b) { b.Limit("nvidia.com/gpu", "-1"); },
       "pod.spec.containers[0].resources.limits[nvidia.com/gpu]: is negative: -1"},
      {[](PodBuilder& b) { b.Mount("none", "/a"); },
       "pod.spec.containers[0].volumeMounts[0].name: the pod has no volume none"},
      {[](PodBuilder& b) { b.EmptyDir("v", "a"); },
       "pod.spec.containers[0].volumeMounts[0].mountPath: want an absolute path, got a"},
      {[](PodBuilder& b) { b.EmptyDir("v", "/a/../b"); },
       "pod.spec.containers[0].volumeMounts[0].mountPath: may not contain '..': /a/../b"},
      {[](PodBuilder& b) { b.EmptyDir("v", "/a").EmptyDir("w", "/a"); },
       "pod.spec.containers[0].volumeMounts[1].mountPath: something is mounted there already: /a"},
      {[](PodBuilder& b) {
         b.EmptyDir("v", "/a").container().volume_mounts[0].sub_path = "../escape";
       },
       "pod.spec.containers[0].volumeMounts[0].subPath: want a path inside the volume: relative, "
       "without '..'"},
      {[](PodBuilder& b) {
         b.spec().volumes = {{"v", UnknownVolume{}}};
       },
       "pod.spec.volumes[0]: has no source"},
      {[](PodBuilder& b) {
         b.EmptyDir("v", "/v").spec().volumes.push_back({"v", CsiVolume{"d"}});
       },
       "pod.spec.volumes[1].name: is taken already: v"},
      {[](PodBuilder& b) { b.ConfigMap("c", "/c", {}).retrieved().containers.clear(); },
       "pod.spec.volumes[0].configMap: the data of ConfigMap c did not come"},
      {[](PodBuilder& b) { b.Secret("s", "/s", {}).retrieved().containers.clear(); },
       "pod.spec.volumes[0].secret: the data of Secret s did not come"},
      {[](PodBuilder& b) {
         b.ConfigMap("c", "/c", {{"a", ""}});
         std::get<ConfigMapVolume>(b.spec().volumes[0].source).items = {{"b", "b", {}}};
       },
       "pod.spec.volumes[0].configMap.items[0].key: ConfigMap c has no key b"},
      {[](PodBuilder& b) {
         b.ConfigMap("c", "/c", {{"a", ""}});
         std::get<ConfigMapVolume>(b.spec().volumes[0].source).items = {{"a", "x/../../y", {}}};
       },
       "pod.spec.volumes[0].configMap.items[0].path: want a path inside the volume, relative and "
       "without '..': x/../../y"},
      {[](PodBuilder& b) {
         b.Secret("s", "/s", {{"a", ""}});
         std::get<SecretVolume>(b.spec().volumes[0].source).items = {{"a", "a", 01000}};
       },
       "pod.spec.volumes[0].secret.items[0].mode: want 0 to 511 (octal 0777), got 512"},
      {[](PodBuilder& b) {
         b.Secret("s", "/s", {});
         std::get<SecretVolume>(b.spec().volumes[0].source).default_mode = -1;
       },
       "pod.spec.volumes[0].secret.defaultMode: want 0 to 511 (octal 0777), got -1"},
      {[](PodBuilder& b) { b.spec().tolerations.clear(); },
       "pod.spec.tolerations: none names the pool (key pool.vk.io, operator Equal, value the "
       "pool)"},
      {[](PodBuilder& b) { b.spec().tolerations = {PoolToleration("", "Exists")}; },
       "pod.spec.tolerations: none names the pool (key pool.vk.io, operator Equal, value the "
       "pool)"},
      {[](PodBuilder& b) {
         b.spec().tolerations = {PoolToleration("a"), PoolToleration("b")};
       },
       "pod.spec.tolerations[1].value: names the pool b, another toleration names a"},
      {[](PodBuilder& b) { b.Pool("*"); },
       "pod.spec.tolerations[0].value: is no pool's name (a label value: letters, digits, '-', "
       "'_' and '.', at most 63): *"},
      {[](PodBuilder& b) { b.RestartPolicy("Sometimes"); },
       "pod.spec.restartPolicy: want Always, OnFailure or Never"},
      {[](PodBuilder& b) { b.spec().active_deadline_seconds = 0; },
       "pod.spec.activeDeadlineSeconds: want at least 1"},
      {[](PodBuilder& b) { b.spec().hostname = "a.b"; },
       "pod.spec.hostname: want lower case letters, digits and '-', at most 63: a.b"},
      {[](PodBuilder& b) { b.container().liveness_probe.emplace(); },
       "pod.spec.containers[0].livenessProbe: names nothing to do (exec, httpGet, tcpSocket, grpc "
       "or sleep)"},
      {[](PodBuilder& b) {
         b.container().startup_probe.emplace().handler = TcpSocketAction{"", {0, "web"}};
       },
       "pod.spec.containers[0].startupProbe.tcpSocket.port: the container has no port named web"},
  };
  for (const auto& test : kCases) {
    PodBuilder builder;
    test.change(builder);
    EXPECT_THAT(IssuesOf(builder.Build()), ElementsAre(test.issue));
  }
}

TEST(PodValidatorTest, ReportsUnparsableQuantities) {
  PodBuilder builder;
  builder.Request("cpu", "lots").Limit("memory", "1Zi");
  builder.spec().overhead["cpu"] = "";
  std::vector<std::string> fields;
  Issues issues;
  ValidateRetrievedPod(builder.Build(), &issues);
  for (const Issue& issue : issues) fields.push_back(issue.field);
  EXPECT_THAT(fields, UnorderedElementsAre("pod.spec.containers[0].resources.requests.cpu",
                                           "pod.spec.containers[0].resources.limits.memory",
                                           "pod.spec.overhead.cpu"));
}

TEST(AdmitPodTest, ReportsReadingAndValidationTogetherAndNothingTwice) {
  Issues issues;
  ASSERT_THAT(AdmitPod(R"({"pod":{"metadata":{"name":7,"namespace":"default"},"spec":{
      "containers":[{"name":"main","image":3,"command":["a"]}],
      "tolerations":[{"key":"pool.vk.io","value":"a"},{"key":"pool.vk.io","value":"b"}]}}})",
                       &issues),
              IsOk());
  std::vector<std::string> texts;
  for (const Issue& issue : issues) texts.push_back(issue.ToString());
  EXPECT_THAT(texts, UnorderedElementsAre(
                         "pod.metadata.name: want string, got number", "pod.metadata.uid: missing",
                         "pod.spec.containers[0].image: want string, got number",
                         "pod.spec.tolerations[1].value: names the pool b, another toleration "
                         "names a"));
}

TEST(AdmitPodTest, WhoBringsItsOwnPoolNeedsNoToleration) {
  const char* const kPod = R"({"pod":{"metadata":{"name":"a","namespace":"b","uid":"c"},"spec":{
      "containers":[{"name":"c","image":"i"}]}}})";
  Issues required, optional;
  ASSERT_THAT(AdmitPod(kPod, &required), IsOk());
  ASSERT_THAT(AdmitPod(kPod, &optional, PoolNeed::kOptional), IsOk());
  EXPECT_EQ(required.size(), 1u) << required.ToString();
  EXPECT_TRUE(optional.empty()) << optional.ToString();
}

TEST(AdmitPodTest, SaysOnceThatTheSpecIsMissing) {
  Issues issues;
  ASSERT_THAT(AdmitPod(R"({"pod":{"metadata":{"name":"a","namespace":"b","uid":"c"}}})", &issues),
              IsOk());
  EXPECT_EQ(issues.ToString(), "pod.spec: missing");
  Issues nothing;
  ASSERT_THAT(AdmitPod("{}", &nothing), IsOk());
  EXPECT_EQ(nothing.ToString(), "pod: missing");
}

// What is damaged is refused or reported; under the sanitizers this is a small fuzz test.
TEST(AdmitPodTest, SurvivesDamagedRequests) {
  const std::string whole = ReadTestData("core/testdata/interlink/create-volumes.json");
  constexpr absl::string_view kPieces[] = {"null", "{}", "[]",     "7", "-1", "\"\"", "\"\\u0000\"",
                                           "1e99", "[[", "\"a\":", ",", "}",  "true", "\xff"};
  std::mt19937 random(20260711);
  int refused = 0;
  int reported = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = whole;
    for (int i = 0; i < 1 + round % 4; ++i) {
      const size_t at = random() % text.size();
      const absl::string_view piece = kPieces[random() % std::size(kPieces)];
      // Half of them replace a whole value, which mostly leaves good JSON of a wrong type.
      const size_t colon = text.find("\":", at);
      const size_t end = colon == text.npos ? text.npos : text.find_first_of(",}", colon);
      if (round % 2 == 0 && end != text.npos) {
        text.replace(colon + 2, end - colon - 2, piece.data(), piece.size());
      } else {
        text.replace(at, random() % 8, piece.data(), piece.size());
      }
    }
    Issues issues;
    refused += AdmitPod(text, &issues).ok() ? 0 : 1;
    reported += issues.empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 300);
  EXPECT_GT(reported, 100);
}

TEST(ValidatePodTest, WritesPathsUnderTheParentThatItIsGiven) {
  Issues issues;
  ValidatePod(PodBuilder().Uid("").Build().pod, "", &issues);
  EXPECT_EQ(issues.ToString(), "metadata.uid: missing");
}

}  // namespace
}  // namespace podferry
