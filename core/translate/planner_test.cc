#include "core/translate/planner.h"

#include <algorithm>
#include <functional>

#include "core/base/testing/golden.h"
#include "core/pod/testing/pod_builder.h"
#include "core/translate/runtime.h"
#include "core/translate/supported_fields.h"
#include "core/translate/translate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

BuildConfig HostConfig() {
  BuildConfig config;
  config.runtime.kind = RuntimeKind::kHost;
  return config;
}

PlanResult Plan(const PodBuilder& pod, const BuildConfig& config = HostConfig()) {
  return PlanJob(pod.Build(), {"origin", "uid"}, "pool-a", config);
}

std::vector<std::string> Fields(const Issues& issues) {
  std::vector<std::string> fields;
  for (const Issue& issue : issues) fields.push_back(issue.field);
  return fields;
}

PodBuilder& Simple(PodBuilder& pod) { return pod.Shell("true"); }

struct FieldCase {
  std::string field;
  std::function<void(PodBuilder&)> set;
};

VolumeSource Projected(ProjectedSource source) {
  ProjectedVolume volume;
  volume.sources.push_back(std::move(source));
  return volume;
}

std::function<void(PodBuilder&)> WithVolume(const VolumeSource& source) {
  return [source](PodBuilder& pod) {
    pod.spec().volumes.push_back({"v", source});
    pod.Mount("v", "/v");
  };
}

TEST(PlannerTest, RefusesWhatItCannotHonourByItsPath) {
  const std::vector<FieldCase> cases = {
      {"spec.containers[0].command", [](PodBuilder& p) { p.container().command.clear(); }},
      {"spec.containers[0].livenessProbe.sleep",
       [](PodBuilder& p) { p.container().liveness_probe = Probe{SleepAction{1}}; }},
      {"spec.containers[0].lifecycle.preStop.tcpSocket",
       [](PodBuilder& p) {
         p.container().lifecycle.pre_stop = TcpSocketAction{"", {80, ""}};
       }},
      {"spec.containers[0].lifecycle.stopSignal",
       [](PodBuilder& p) { p.container().lifecycle.stop_signal = "SIGNOT"; }},
      {"spec.containers[0].securityContext.privileged",
       [](PodBuilder& p) { p.container().security_context.privileged = true; }},
      {"spec.containers[0].securityContext.capabilities.add",
       [](PodBuilder& p) { p.container().security_context.add_capabilities = {"SYS_ADMIN"}; }},
      {"spec.containers[0].resources.limits[nvidia.com/gpu]",
       [](PodBuilder& p) { p.Limit("nvidia.com/gpu", "1"); }},
      {"spec.containers[0].resources.requests[hugepages-2Mi]",
       [](PodBuilder& p) { p.Request("hugepages-2Mi", "1"); }},
      {"spec.containers[0].volumeDevices",
       [](PodBuilder& p) {
         p.container().volume_devices = {{"v", "/dev/x"}};
       }},
      {"spec.hostPID", [](PodBuilder& p) { p.spec().host_pid = true; }},
      {"spec.hostIPC", [](PodBuilder& p) { p.spec().host_ipc = true; }},
      {"spec.shareProcessNamespace",
       [](PodBuilder& p) { p.spec().share_process_namespace = true; }},
      {"spec.securityContext.sysctls",
       [](PodBuilder& p) { p.spec().security_context.sysctls["a"] = "b"; }},
      {"spec.volumes[0].hostPath", WithVolume(HostPathVolume{"/data", ""})},
      {"spec.volumes[0].persistentVolumeClaim", WithVolume(PersistentVolumeClaimVolume{"c"})},
      {"spec.volumes[0].nfs", WithVolume(NfsVolume{"s", "/p"})},
      {"spec.volumes[0].csi", WithVolume(CsiVolume{"d"})},
      {"spec.volumes[0].gitRepo", WithVolume(UnknownVolume{"gitRepo"})},
      {"spec.volumes[0].emptyDir.medium", WithVolume(EmptyDirVolume{"HugePages", ""})},
      {"spec.volumes[0].configMap", WithVolume(ConfigMapVolume{"missing"})},
      {"spec.volumes[0].projected.sources[0].secret", WithVolume(Projected(ProjectedSecret{"s"}))},
      {"metadata.annotations[fuse.vk.io/v]",
       [](PodBuilder& p) { p.EmptyDir("v", "/v").Annotation("fuse.vk.io/v", "#!/bin/sh"); }},
      {"metadata.annotations[slurm-job.vk.io/pre-exec]",
       [](PodBuilder& p) { p.Annotation("slurm-job.vk.io/pre-exec", "x"); }},
  };
  for (const FieldCase& c : cases) {
    PodBuilder pod;
    Simple(pod);
    c.set(pod);
    EXPECT_THAT(Fields(Plan(pod).issues), ElementsAre(c.field));
  }
}

TEST(PlannerTest, SaysAllProblemsAtOnce) {
  PodBuilder pod;
  pod.container().readiness_probe = Probe{SleepAction{1}};
  pod.AddInitContainer("init");
  pod.spec().host_pid = true;
  EXPECT_THAT(Fields(Plan(pod).issues),
              ElementsAre("spec.hostPID", "spec.initContainers[0].command",
                          "spec.containers[0].command", "spec.containers[0].readinessProbe.sleep"));
}

TEST(PlannerTest, WarnsOfWhatIsSafelyIgnored) {
  PodBuilder pod;
  Simple(pod).Annotation("cvmfs.vk.io/v", "").Limit("cpu", "1");
  pod.container().tty = true;
  pod.spec().security_context.run_as_user = 1000;
  const PlanResult result = Plan(pod);
  EXPECT_TRUE(result.issues.empty()) << result.issues.ToString();
  EXPECT_THAT(result.warnings,
              ElementsAre(HasSubstr("metadata.annotations[cvmfs.vk.io/v]: "),
                          HasSubstr("spec.securityContext.runAsUser: "),
                          HasSubstr("spec.containers[0].tty: "),
                          HasSubstr("spec.containers[0].resources.limits[cpu]: ")));
}

TEST(PlannerTest, WarnsOfVariablesThatApptainerSetsItself) {
  PodBuilder pod;
  Simple(pod).Env("APPTAINER_NAME", "mine").Env("OTHER", "mine");
  BuildConfig config;
  config.runtime.kind = RuntimeKind::kApptainer;
  EXPECT_THAT(Plan(pod, config).warnings, ElementsAre(HasSubstr("spec.containers[0].env[0]: ")));
}

TEST(PlannerTest, ALineEndThatApptainerWouldChangeIsRefusedInAMount) {
  BuildConfig config;
  config.runtime.kind = RuntimeKind::kApptainer;
  PodBuilder pod;
  Simple(pod).EmptyDir("v", "/a\r\nb");
  EXPECT_THAT(Fields(Plan(pod, config).issues), ElementsAre("spec.containers[0].volumeMounts[0]"));
  PodBuilder fine;
  Simple(fine).EmptyDir("v", "/a\nb\rc");
  EXPECT_THAT(Fields(Plan(fine, config).issues), ElementsAre());
}

TEST(PlannerTest, MountPathsAreCleanedOrRefused) {
  const struct {
    const char* path;
    const char* clean;  // nullptr: refused
  } cases[] = {
      {"/data", "/data"}, {"//data/./x/", "/data/x"}, {"/", nullptr},     {"data", nullptr},
      {"", nullptr},      {"/a/../b", nullptr},       {"/proc", nullptr}, {"/proc/sys", nullptr},
      {"/..a", "/..a"},   {"/process", "/process"},
  };
  for (const auto& c : cases) {
    PodBuilder pod;
    Simple(pod).EmptyDir("data", c.path);
    const PlanResult result = Plan(pod);
    if (c.clean == nullptr) {
      EXPECT_THAT(Fields(result.issues),
                  ElementsAre("spec.containers[0].volumeMounts[0].mountPath"));
    } else {
      ASSERT_TRUE(result.issues.empty()) << c.path << result.issues.ToString();
      const std::vector<PlannedMount>& mounts = result.plan.containers[0].mounts;
      EXPECT_TRUE(std::any_of(mounts.begin(), mounts.end(), [&c](const auto& mount) {
        return mount.path == c.clean;
      })) << c.clean;
    }
  }
}

TEST(PlannerTest, SubPathsStayBelowTheirVolume) {
  const struct {
    const char* sub_path;
    const char* expression;
    const char* clean;  // nullptr: refused
  } cases[] = {
      {"a/b", "", "a/b"},       {"a//b/.", "", "a/b"},       {"../x", "", nullptr},
      {"a/..", "", nullptr},    {"/abs", "", nullptr},       {"", "u/$(NAME)", "u/ann"},
      {"", "$(EVIL)", nullptr}, {"", "$(UNKNOWN)", nullptr},
  };
  for (const auto& c : cases) {
    PodBuilder pod;
    Simple(pod).EmptyDir("data", "/data").Env("NAME", "ann").Env("EVIL", "../..");
    pod.container().volume_mounts[0].sub_path = c.sub_path;
    pod.container().volume_mounts[0].sub_path_expr = c.expression;
    const PlanResult result = Plan(pod);
    EXPECT_EQ(result.issues.empty(), c.clean != nullptr) << result.issues.ToString();
    if (c.clean != nullptr) {
      EXPECT_EQ(result.plan.containers[0].mounts[0].sub_path, c.clean);
    }
  }
}

TEST(PlannerTest, TwoMountsAtOnePathAreRefused) {
  PodBuilder pod;
  Simple(pod).EmptyDir("a", "/x").EmptyDir("b", "/x/");
  EXPECT_THAT(Fields(Plan(pod).issues),
              ElementsAre("spec.containers[0].volumeMounts[1].mountPath"));
}

TEST(PlannerTest, AVolumeThatNobodyMountsIsLeftOut) {
  PodBuilder pod;
  Simple(pod);
  pod.spec().volumes.push_back({"host", HostPathVolume{"/data", ""}});
  const PlanResult result = Plan(pod);
  EXPECT_TRUE(result.issues.empty());
  EXPECT_TRUE(result.plan.volumes.empty());
}

TEST(PlannerTest, LaterVariablesWinAndExpandInArguments) {
  PodBuilder pod;
  pod.Env("A", "1").Env("B", "").Env("A", "2");
  pod.Command({"$(A)$(B)", "$$(A)", "$(C)"});
  const PlanResult result = Plan(pod);
  EXPECT_THAT(result.plan.containers[0].env, ElementsAre(Pair("A", "2"), Pair("B", "")));
  EXPECT_THAT(result.plan.containers[0].command, ElementsAre("2", "$(A)", "$(C)"));
}

TEST(PlannerTest, ResolvesVariablesThatInterlinkLeftOpen) {
  PodBuilder pod("web");
  Simple(pod).Secret("s", "/s", {{"key", "secret"}}).Limit("memory", "1Mi");
  const auto add = [&pod](const char* name, EnvSource source) {
    pod.container().env.push_back({name, "", source});
  };
  add("NAME", {EnvSource::Kind::kField, "", "metadata.name"});
  add("MEM", {EnvSource::Kind::kResourceField, "", "limits.memory"});
  add("KEY", {EnvSource::Kind::kSecretKey, "s", "key"});
  add("NONE", {EnvSource::Kind::kSecretKey, "s", "other", "", true});
  const PlanResult result = Plan(pod);
  ASSERT_TRUE(result.issues.empty()) << result.issues.ToString();
  EXPECT_THAT(result.plan.containers[0].env,
              ElementsAre(Pair("NAME", "web"), Pair("MEM", "1048576"), Pair("KEY", "secret")));

  add("LOST", {EnvSource::Kind::kConfigMapKey, "gone", "key"});
  EXPECT_THAT(Fields(Plan(pod).issues), ElementsAre("spec.containers[0].env[4].valueFrom"));
}

TEST(PlannerTest, RefusesWhatNoProcessCanBeGiven) {
  PodBuilder pod;
  pod.Command({"x", std::string(131072, 'x'), std::string("a\0b", 3)});
  pod.Env("E", std::string(131070, 'x')).Env("OK", std::string(131068, 'x'));
  EXPECT_THAT(Fields(Plan(pod).issues),
              ElementsAre("spec.containers[0].env[0].value", "spec.containers[0].command[1]",
                          "spec.containers[0].command[2]"));

  PodBuilder many;
  Simple(many);
  for (int i = 0; i < 20; ++i) many.Env("V" + std::to_string(i), std::string(100000, 'x'));
  EXPECT_THAT(Fields(Plan(many).issues), ElementsAre("spec.containers[0]"));
}

TEST(PlannerTest, HostnamesFollowTheKubelet) {
  PodBuilder pod(std::string(62, 'a') + "-bc");
  Simple(pod);
  EXPECT_EQ(Plan(pod).plan.hostname, std::string(62, 'a'));

  PodBuilder member("m");
  Simple(member);
  member.spec().hostname = "worker-0";
  member.spec().subdomain = "workers";
  EXPECT_EQ(Plan(member).plan.hostname, "worker-0");
  member.spec().set_hostname_as_fqdn = true;
  EXPECT_EQ(Plan(member).plan.hostname, "worker-0.workers.default.svc.cluster.local");
}

TEST(PlannerTest, DescribesTheJobForItsSubmitter) {
  PodBuilder pod;
  Simple(pod)
      .Request("cpu", "500m")
      .Annotation("slurm-job.vk.io/flags", "-p x")
      .Annotation("a", "b");
  pod.AddInitContainer("side").Shell("true");
  pod.container().restart_policy = "Always";
  pod.spec().active_deadline_seconds = 60;
  pod.spec().termination_grace_period_seconds = 5;
  const JobDescription job = DescribeJob(pod.pod(), {"o", "u"}, "pool-a");
  EXPECT_EQ(job.pool, "pool-a");
  ASSERT_EQ(job.containers.size(), 2);
  EXPECT_TRUE(job.containers[0].sidecar);
  EXPECT_FALSE(job.containers[1].init);
  EXPECT_THAT(job.resources, testing::Contains(Pair("cpu", "500m")));
  EXPECT_THAT(job.annotations, ElementsAre(Pair("slurm-job.vk.io/flags", "-p x")));
  EXPECT_EQ(job.deadline, absl::Seconds(60));
  EXPECT_EQ(job.grace, absl::Seconds(5));
}

TEST(PlannerTest, AScriptOfOursIsNotWrappedAgain) {
  PodBuilder pod;
  Simple(pod);
  const Translation first = Translate(pod.Build(), {"o", "u"}, "pool-a", HostConfig());
  RetrievedPod again = pod.Build();
  again.job_script = first.bundle.script;
  EXPECT_EQ(Translate(again, {"o", "u"}, "pool-a", HostConfig()).bundle.script,
            first.bundle.script);
}

TEST(SupportedFieldsTest, ThePageForUsersSaysTheSame) {
  EXPECT_TRUE(MatchesGolden(SupportedFieldsPage(AvailableRuntimes()), "docs/pods.md"));
}

TEST(SupportedFieldsTest, EveryRefusalHasWords) {
  for (const FieldSupport& field : SupportedFields()) {
    EXPECT_TRUE(field.host == Support::kHonoured || !field.words.empty()) << field.field;
  }
}

}  // namespace
}  // namespace podferry
