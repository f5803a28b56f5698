#include "core/pod/pod_parser.h"

#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/testing/golden.h"
#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

RetrievedPod Captured(const std::string& name) {
  Issues issues;
  const std::string path = absl::StrCat("core/testdata/interlink/create-", name, ".json");
  absl::StatusOr<RetrievedPod> pod = ParseRetrievedPod(ReadTestData(path), &issues);
  EXPECT_THAT(pod, IsOk());
  EXPECT_THAT(issues, IsEmpty());
  return pod.ok() ? *std::move(pod) : RetrievedPod();
}

std::vector<std::string> IssuesOf(const std::string& json) {
  Issues issues;
  EXPECT_THAT(ParseRetrievedPod(json, &issues), IsOk());
  std::vector<std::string> texts;
  for (const Issue& issue : issues) texts.push_back(issue.ToString());
  return texts;
}

std::string WithSpec(const std::string& spec) {
  return absl::StrCat(R"({"pod":{"metadata":{"name":"a"},"spec":)", spec, "}}");
}

TEST(PodParserTest, ReadsASimplePodAsInterLinkSendsIt) {
  const RetrievedPod simple = Captured("simple");
  const Pod& pod = simple.pod;
  EXPECT_EQ(pod.metadata.name, "simple");
  EXPECT_EQ(pod.metadata.namespace_name, "default");
  EXPECT_EQ(pod.metadata.uid, "50998ef5-7fc6-4aad-a3d3-4823e81163eb");
  EXPECT_THAT(pod.metadata.labels, ElementsAre(Pair("app", "demo")));
  EXPECT_EQ(pod.spec.restart_policy, "Never");
  EXPECT_EQ(pod.spec.termination_grace_period_seconds, 30);
  EXPECT_EQ(PoolOf(pod), "pool-a");
  ASSERT_EQ(pod.spec.containers.size(), 1u);
  EXPECT_THAT(pod.spec.containers[0].command, ElementsAre("/bin/sh", "-c"));
  EXPECT_THAT(pod.spec.containers[0].args, ElementsAre("echo hello; sleep 1"));
  EXPECT_EQ(pod.status.phase, "Pending");
  EXPECT_TRUE(simple.job_config.has_value());
  EXPECT_EQ(simple.job_script, "");
}

TEST(PodParserTest, ReadsEveryKindOfVolumeAndItsData) {
  const RetrievedPod pod = Captured("volumes");
  const PodSpec& spec = pod.pod.spec;
  EXPECT_EQ(std::get<EmptyDirVolume>(FindVolume(spec, "scratch")->source).size_limit, "1Gi");
  EXPECT_EQ(std::get<EmptyDirVolume>(FindVolume(spec, "shm")->source).medium, "Memory");
  EXPECT_EQ(std::get<HostPathVolume>(FindVolume(spec, "host")->source).path, "/data");
  const auto& one = std::get<ConfigMapVolume>(FindVolume(spec, "one")->source);
  ASSERT_EQ(one.items.size(), 1u);
  EXPECT_EQ(one.items[0].path, "bin/run.sh");
  EXPECT_EQ(one.items[0].mode, 0755);
  EXPECT_EQ(std::get<SecretVolume>(FindVolume(spec, "sec")->source).default_mode, 0400);
  const auto& projected = std::get<ProjectedVolume>(FindVolume(spec, "proj")->source);
  ASSERT_EQ(projected.sources.size(), 3u);
  EXPECT_EQ(std::get<ProjectedSecret>(projected.sources[1]).items[0].path, "pw");

  ASSERT_EQ(pod.containers.size(), 1u);
  EXPECT_EQ(pod.containers[0].config_maps.size(), 1u) << "sent twice, kept once";
  EXPECT_THAT(FindConfigMap(pod, "settings")->files,
              UnorderedElementsAre(Pair("empty", ""),
                                   Pair("run.sh", "#!/bin/sh\necho from the config map\n"),
                                   Pair("settings.ini", "[main]\nname = value with spaces\n"),
                                   Pair("blob.bin", std::string("\0\1\2\3\xff", 5))));
  EXPECT_EQ(FindSecret(pod, "credentials")->files.at("password"), "p@ss'word\"$(id)");
  EXPECT_EQ(FindProjectedVolume(pod, "info")->files.at("labels"), "user=\"alice\"\n");
  EXPECT_EQ(FindProjectedVolume(pod, "nothing"), nullptr);
}

TEST(PodParserTest, KeepsTheOrderOfVariablesAndSetsTheEmptyOnes) {
  const std::vector<EnvVar> env = Captured("volumes").pod.spec.containers[0].env;
  ASSERT_EQ(env.size(), 8u);
  EXPECT_EQ(env[0].name, "CM_settings.ini");
  EXPECT_EQ(env[3].name, "EMPTY");
  EXPECT_EQ(env[3].value, "");
}

TEST(PodParserTest, ReadsProbesHooksAndSidecars) {
  const PodSpec spec = Captured("lifecycle").pod.spec;
  ASSERT_EQ(spec.init_containers.size(), 2u);
  EXPECT_FALSE(spec.init_containers[0].IsSidecar());
  EXPECT_TRUE(spec.init_containers[1].IsSidecar());
  const Container& server = spec.containers[0];
  EXPECT_EQ(std::get<HttpGetAction>(server.startup_probe->handler).port.name, "http");
  EXPECT_EQ(server.startup_probe->failure_threshold, 30);
  EXPECT_THAT(std::get<ExecAction>(server.liveness_probe->handler).command,
              ElementsAre("cat", "/tmp/ok"));
  EXPECT_EQ(std::get<TcpSocketAction>(server.readiness_probe->handler).port.number, 8080);
  EXPECT_TRUE(std::holds_alternative<ExecAction>(*server.lifecycle.pre_stop));
  EXPECT_EQ(server.security_context.read_only_root_filesystem, true);
  EXPECT_EQ(spec.security_context.run_as_user, 1000);
  EXPECT_EQ(spec.active_deadline_seconds, 600);
  EXPECT_EQ(spec.subdomain, "workers");
  EXPECT_TRUE(spec.containers[1].tty);
  EXPECT_EQ(spec.containers[1].resources.limits.at("nvidia.com/gpu"), "1");
}

TEST(PodParserTest, TakesAListOfOneAsOldVersionsSendIt) {
  Issues issues;
  PODFERRY_ASSERT_OK_AND_ASSIGN(
      const RetrievedPod pod,
      ParseRetrievedPod(R"([{"pod":{"metadata":{"name":"old"},"spec":{"hostname":7}}}])", &issues));
  EXPECT_EQ(pod.pod.metadata.name, "old");
  EXPECT_EQ(issues.ToString(), "pod.spec.hostname: want string, got number");
}

TEST(PodParserTest, ReadsStatusListsAndDeletes) {
  Issues issues;
  PODFERRY_ASSERT_OK_AND_ASSIGN(
      const std::vector<Pod> pods,
      ParsePodList(ReadTestData("core/testdata/interlink/status-simple.json"), &issues));
  ASSERT_EQ(pods.size(), 1u);
  EXPECT_EQ(pods[0].metadata.annotations.at("JobID"), pods[0].metadata.uid);
  PODFERRY_ASSERT_OK_AND_ASSIGN(
      const Pod deleted,
      ParsePod(ReadTestData("core/testdata/interlink/delete-volumes.json"), &issues));
  EXPECT_EQ(deleted.metadata.name, "volumes");
  EXPECT_THAT(issues, IsEmpty());
  EXPECT_THAT(ParsePodList("[]", &issues), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(ParsePodList("null", &issues), IsOkAndHolds(IsEmpty()));
}

TEST(PodParserTest, TakesNullWhereGoDoes) {
  EXPECT_THAT(IssuesOf(R"({"pod":{"metadata":{"name":null,"labels":null,"creationTimestamp":null},
      "spec":{"containers":[{"name":"a","args":null,"env":[{"name":"A","value":null}],
      "resources":null,"livenessProbe":null,"securityContext":null,"volumeMounts":null}],
      "volumes":[{"name":"v","emptyDir":{"sizeLimit":null},"configMap":null}],
      "tolerations":null,"activeDeadlineSeconds":null},"status":null},
      "container":[{"name":"a","configMaps":null,"secrets":null,"emptyDirs":null}],
      "jobConfig":null,"jobScript":null})"),
              IsEmpty());
}

TEST(PodParserTest, TakesQuantitiesAndPortsAsStringsOrNumbers) {
  Issues issues;
  PODFERRY_ASSERT_OK_AND_ASSIGN(
      const RetrievedPod pod,
      ParseRetrievedPod(WithSpec(R"({"containers":[{"resources":{"limits":{"cpu":2,"memory":"1Gi",
          "example.com/x":1.5}},"livenessProbe":{"httpGet":{"port":80}},
          "readinessProbe":{"httpGet":{"port":"81"}}}]})"),
                        &issues));
  EXPECT_THAT(issues, IsEmpty());
  const Container& container = pod.pod.spec.containers[0];
  EXPECT_THAT(container.resources.limits,
              ElementsAre(Pair("cpu", "2"), Pair("example.com/x", "1.5"), Pair("memory", "1Gi")));
  EXPECT_EQ(std::get<HttpGetAction>(container.liveness_probe->handler).port.number, 80);
  EXPECT_EQ(std::get<HttpGetAction>(container.readiness_probe->handler).port.number, 81);
}

TEST(PodParserTest, NamesEveryFieldThatIsWrong) {
  EXPECT_THAT(IssuesOf(WithSpec(R"({"containers":[{"name":1,"image":["x"],"args":[1,"b"],
      "env":{"a":"b"},"tty":"yes"},7],"terminationGracePeriodSeconds":"30",
      "volumes":[{"name":"v","emptyDir":{},"hostPath":{"path":"/"}}],
      "tolerations":[{"key":"a","value":5}],"activeDeadlineSeconds":1.5})")),
              UnorderedElementsAre(
                  "pod.spec.containers[0].name: want string, got number",
                  "pod.spec.containers[0].image: want string, got array",
                  "pod.spec.containers[0].args[0]: want string, got number",
                  "pod.spec.containers[0].env: want array, got object",
                  "pod.spec.containers[0].tty: want bool, got string",
                  "pod.spec.containers[1]: want object, got number",
                  "pod.spec.terminationGracePeriodSeconds: want integer, got string",
                  "pod.spec.volumes[0]: has two sources, emptyDir and hostPath; may have only one",
                  "pod.spec.tolerations[0].value: want string, got number",
                  "pod.spec.activeDeadlineSeconds: want integer, got 1.5"));
}

TEST(PodParserTest, NamesTheKeyOfBadBase64) {
  EXPECT_THAT(
      IssuesOf(R"({"pod":{"metadata":{},"spec":{}},"container":[{"name":"a",
      "secrets":[{"metadata":{"name":"s"},"data":{"good":"aGk=","bad.key":"***"}}],
      "configMaps":[{"metadata":{"name":"c"},"binaryData":{"blob":"a"}}]}]})"),
      UnorderedElementsAre("container[0].secrets[0].data[bad.key]: is not valid base64",
                           "container[0].configMaps[0].binaryData.blob: is not valid base64"));
}

TEST(PodParserTest, RefusesAProbeThatDoesTwoThings) {
  EXPECT_THAT(IssuesOf(WithSpec(R"({"containers":[{"livenessProbe":{"exec":{"command":["a"]},
      "tcpSocket":{"port":1}}}]})")),
              ElementsAre("pod.spec.containers[0].livenessProbe: has both exec and tcpSocket, may "
                          "have only one"));
}

TEST(PodParserTest, SaysWhatIsMissing) {
  EXPECT_THAT(IssuesOf("{}"), ElementsAre("pod: missing"));
  EXPECT_THAT(IssuesOf(R"({"pod":{}})"), ElementsAre("pod.metadata: missing", "pod.spec: missing"));
}

TEST(PodParserTest, RefusesWhatIsNoRequestAtAll) {
  Issues issues;
  for (const std::string& text : {std::string(), std::string("{"), std::string("7"),
                                  std::string("[]"), std::string("[{},{}]"), std::string("[7]"),
                                  std::string(100000, '['), std::string(R"({"a":1,"a":2})")}) {
    EXPECT_THAT(ParseRetrievedPod(text, &issues), StatusIs(absl::StatusCode::kInvalidArgument))
        << text.substr(0, 20);
  }
  EXPECT_THAT(ParseRetrievedPod("[{},{}]", &issues),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("list of 2")));
  EXPECT_THAT(ParsePod("[]", &issues), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ParsePodList("7", &issues), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(PodParserTest, KeepsAnUnknownVolumesTypeForTheRefusal) {
  Issues issues;
  PODFERRY_ASSERT_OK_AND_ASSIGN(
      const RetrievedPod pod,
      ParseRetrievedPod(WithSpec(R"({"volumes":[{"name":"v","image":{"reference":"x"}},
          {"name":"w"}]})"),
                        &issues));
  EXPECT_THAT(issues, IsEmpty());
  EXPECT_EQ(VolumeTypeName(pod.pod.spec.volumes[0].source), "image");
  EXPECT_EQ(VolumeTypeName(pod.pod.spec.volumes[1].source), "");
}

}  // namespace
}  // namespace podferry
