#include "core/pod/testing/pod_builder.h"
#include "core/translate/planner.h"
#include "core/translate/runtime_podman.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;

PlanResult Plan(const PodBuilder& pod, const BuildConfig& config) {
  return PlanJob(pod.Build(), {"origin", "uid"}, "pool-a", config);
}

BuildConfig Config(RuntimeKind kind, bool allow_privileged = false) {
  BuildConfig config;
  config.runtime.kind = kind;
  config.runtime.allow_privileged = allow_privileged;
  return config;
}

std::vector<std::string> Fields(const Issues& issues) {
  std::vector<std::string> fields;
  for (const Issue& issue : issues) fields.push_back(issue.field);
  return fields;
}

TEST(SecurityPlannerTest, WhatTheContainerSaysWinsOverThePod) {
  PodBuilder pod;
  pod.Shell("true");
  PodSecurityContext& all = pod.spec().security_context;
  all.run_as_user = 1;
  all.run_as_group = 2;
  all.supplemental_groups = {3};
  all.fs_group = 4;
  all.run_as_non_root = true;
  pod.container().security_context.run_as_user = 5;
  pod.container().security_context.run_as_non_root = false;
  pod.container().security_context.drop_capabilities = {"CAP_NET_RAW"};
  const PlanResult result = Plan(pod, Config(RuntimeKind::kPodman));
  EXPECT_TRUE(result.issues.empty()) << result.issues.ToString();
  const PlannedSecurity& security = result.plan.containers[0].security;
  EXPECT_EQ(security.user, 5);
  EXPECT_EQ(security.group, 2);
  EXPECT_THAT(security.groups, ElementsAre(3, 4));
  EXPECT_FALSE(security.must_not_be_root);
  EXPECT_THAT(security.dropped_capabilities, ElementsAre("NET_RAW"));
}

TEST(SecurityPlannerTest, PrivilegesAreRefusedUnlessThePoolAllowsThemUnderPodman) {
  PodBuilder pod;
  pod.Shell("true");
  pod.container().security_context.privileged = true;
  pod.container().security_context.add_capabilities = {"SYS_ADMIN"};
  const auto refused = ElementsAre("spec.containers[0].securityContext.privileged",
                                   "spec.containers[0].securityContext.capabilities.add");
  EXPECT_THAT(Fields(Plan(pod, Config(RuntimeKind::kPodman)).issues), refused);
  EXPECT_THAT(Fields(Plan(pod, Config(RuntimeKind::kHost, true)).issues), refused);
  EXPECT_THAT(Fields(Plan(pod, Config(RuntimeKind::kPodman, true)).issues), IsEmpty());
}

TEST(SecurityPlannerTest, ADefaultCapabilityIsNoPrivilegeAndOtherWordsAreNone) {
  PodBuilder pod;
  pod.Shell("true");
  pod.container().security_context.drop_capabilities = {"ALL"};
  pod.container().security_context.add_capabilities = {"NET_BIND_SERVICE"};
  EXPECT_THAT(Fields(Plan(pod, Config(RuntimeKind::kHost)).issues), IsEmpty());
  pod.container().security_context.drop_capabilities = {"ALL --privileged"};
  EXPECT_THAT(Fields(Plan(pod, Config(RuntimeKind::kHost)).issues),
              ElementsAre("spec.containers[0].securityContext.capabilities.drop[0]"));
}

TEST(RuntimePodmanTest, NoVariableCanChangeWhatPodmanDoes) {
  EXPECT_EQ(RouteOf("A", "x"), VariableRoute::kFile);
  EXPECT_EQ(RouteOf("LD_PRELOAD", "/x.so"), VariableRoute::kFile);
  EXPECT_EQ(RouteOf("a.b-c", ""), VariableRoute::kFile);
  EXPECT_EQ(RouteOf("A", "x\ny"), VariableRoute::kEnvironment);
  EXPECT_EQ(RouteOf("SSH_PRIVATE_KEY", "x\ny\n"), VariableRoute::kEnvironment);
  EXPECT_EQ(RouteOf("A", std::string(100000, 'x')), VariableRoute::kEnvironment);
  for (const char* name : {"LD_PRELOAD", "PATH", "CONTAINERS_CONF", "DOCKER_HOST", "BASH_ENV",
                           "STORAGE_OPTS", "https_proxy", "_X", "BASH_FUNC_x%%"}) {
    EXPECT_EQ(RouteOf(name, "x\ny"), VariableRoute::kNone) << name;
  }
  EXPECT_EQ(RouteOf("#A", "x"), VariableRoute::kEnvironment);
  EXPECT_EQ(RouteOf("A B", "x"), VariableRoute::kEnvironment);
  EXPECT_EQ(RouteOf(" A", "x"), VariableRoute::kNone);
}

TEST(RuntimePodmanTest, ImagesGetTheirFullName) {
  const struct {
    const char* image;
    const char* full;
  } cases[] = {{"busybox", "docker.io/library/busybox:latest"},
               {"a/b:1", "docker.io/a/b:1"},
               {"docker://quay.example/x", "quay.example/x:latest"},
               {"localhost:5000/x", "localhost:5000/x:latest"},
               {"localhost/x:2", "localhost/x:2"},
               {"x@sha256:abc", "docker.io/library/x@sha256:abc"}};
  for (const auto& c : cases) {
    PodBuilder pod;
    pod.container().image = c.image;
    const PlanResult result = Plan(pod, Config(RuntimeKind::kPodman));
    EXPECT_THAT(result.plan.podman.images, ElementsAre(c.full));
  }
}

TEST(RuntimePodmanTest, TakesOnlyImagesThatThePoolAllows) {
  BuildConfig config = Config(RuntimeKind::kPodman);
  const auto refused = [&config](const std::string& image) {
    PodBuilder pod;
    pod.container().image = image;
    return !Plan(pod, config).issues.empty();
  };
  EXPECT_FALSE(refused("busybox"));
  EXPECT_TRUE(refused("docker-archive:/etc/shadow"));
  config.images.allow = {"quay.example/", "docker-archive:/images/"};
  EXPECT_TRUE(refused("busybox"));
  EXPECT_FALSE(refused("docker://quay.example/x"));
  EXPECT_FALSE(refused("docker-archive:/images/x.tar"));
  EXPECT_TRUE(refused("docker-archive:/images/../x.tar"));
  config.images.deny = {"quay.example/bad"};
  EXPECT_TRUE(refused("quay.example/bad/x"));
}

TEST(RuntimePodmanTest, RefusesWhatPodmanCannotTakeByItsPath) {
  PodBuilder pod;
  pod.Env("PATH", "a\nb").EmptyDir("data", "/a:b");
  pod.container().image = "/images/x.sif";
  EXPECT_THAT(Fields(Plan(pod, Config(RuntimeKind::kPodman)).issues),
              IsSupersetOf({"spec.containers[0].image", "spec.containers[0].env",
                            "spec.containers[0].volumeMounts"}));
}

}  // namespace
}  // namespace podferry
