#include "core/resources/effective_requests.h"

#include "core/pod/testing/pod_builder.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

std::string Requests(PodBuilder& builder) {
  return ToString(EffectiveRequests(builder.Build().pod.spec));
}

TEST(EffectiveRequestsTest, AddsUpTheContainers) {
  PodBuilder pod;
  pod.Request("cpu", "500m").Request("memory", "1Gi");
  pod.AddContainer("other").Request("cpu", "1");
  EXPECT_EQ(Requests(pod), "cpu=1500m, memory=1Gi");
}

TEST(EffectiveRequestsTest, TakesALimitForARequestThatIsNotMade) {
  PodBuilder pod;
  pod.Request("cpu", "1").Limit("cpu", "4").Limit("memory", "2Gi").Limit("nvidia.com/gpu", "1");
  EXPECT_EQ(Requests(pod), "cpu=1, memory=2Gi, nvidia.com/gpu=1");
}

TEST(EffectiveRequestsTest, TakesTheLargestInitContainerIfThatIsMore) {
  PodBuilder pod;
  pod.Request("cpu", "1").Request("memory", "4Gi");
  pod.AddInitContainer("a").Request("cpu", "3").Request("memory", "1Gi");
  pod.AddInitContainer("b").Request("cpu", "2");
  EXPECT_EQ(Requests(pod), "cpu=3, memory=4Gi");
}

TEST(EffectiveRequestsTest, CountsASidecarFromItsStartToTheEnd) {
  PodBuilder pod;
  pod.Request("cpu", "1");
  // 4 runs before the sidecar, 3 beside it: the peak is 5 with the sidecar's 2.
  pod.AddInitContainer("before").Request("cpu", "4");
  pod.AddInitContainer("sidecar").Request("cpu", "2").container().restart_policy = "Always";
  pod.AddInitContainer("beside").Request("cpu", "3");
  EXPECT_EQ(Requests(pod), "cpu=5");
  // Without the init steps the sidecar and the container are 3.
  pod.spec().init_containers.erase(pod.spec().init_containers.begin());
  pod.spec().init_containers.pop_back();
  EXPECT_EQ(Requests(pod), "cpu=3");
}

TEST(EffectiveRequestsTest, PutsOverheadOnTop) {
  PodBuilder pod;
  pod.Request("cpu", "1").spec().overhead = {{"cpu", "250m"}, {"memory", "120Mi"}};
  EXPECT_EQ(Requests(pod), "cpu=1250m, memory=120Mi");
}

TEST(EffectiveRequestsTest, LetsThePodsOwnResourcesReplaceTheSum) {
  PodBuilder pod;
  pod.Request("cpu", "1").Request("example.com/x", "2");
  pod.spec().resources.requests = {{"cpu", "6"}, {"example.com/x", "9"}};
  pod.spec().resources.limits = {{"cpu", "8"}, {"memory", "1Gi"}};
  EXPECT_EQ(Requests(pod), "cpu=6, example.com/x=2, memory=1Gi");
}

TEST(EffectiveRequestsTest, CountsThePodItselfAgainstThePool) {
  EXPECT_EQ(ToString(PoolDemand(PodBuilder().Request("cpu", "1").Build().pod.spec)),
            "cpu=1, pods=1");
}

}  // namespace
}  // namespace podferry
