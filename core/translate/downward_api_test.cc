#include "core/translate/downward_api.h"

#include "core/pod/testing/pod_builder.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

TEST(DownwardApiTest, TellsWhatThePodSaysOfItself) {
  PodBuilder builder("web");
  builder.Label("app", "demo").Label("note", "a\"b\nc").Annotation("k/x", "v");
  builder.pod().status.pod_ip = "10.0.0.7";
  builder.spec().node_name = "vk";
  const Pod& pod = builder.pod();
  const struct {
    const char* path;
    std::optional<std::string> value;
  } cases[] = {
      {"metadata.name", "web"},
      {"metadata.namespace", "default"},
      {"metadata.labels", "app=\"demo\"\nnote=\"a\\\"b\\nc\""},
      {"metadata.labels['app']", "demo"},
      {"metadata.labels['none']", ""},
      {"metadata.annotations['k/x']", "v"},
      {"metadata.labelsapp", std::nullopt},
      {"status.podIP", "10.0.0.7"},
      {"spec.nodeName", "vk"},
      {"spec.somethingElse", std::nullopt},
  };
  for (const auto& c : cases) EXPECT_EQ(PodFieldValue(pod, c.path), c.value) << c.path;
}

TEST(DownwardApiTest, CountsResourcesInUnitsOfTheDivisorRoundedUp) {
  PodBuilder builder;
  builder.Limit("cpu", "1500m").Limit("memory", "65Mi").Request("cpu", "250m");
  const struct {
    const char* resource;
    const char* divisor;
    std::optional<std::string> value;
  } cases[] = {
      {"limits.cpu", "", "2"},           {"limits.cpu", "0", "2"},
      {"limits.cpu", "1m", "1500"},      {"limits.memory", "1Mi", "65"},
      {"limits.memory", "", "68157440"}, {"limits.memory", "10Mi", "7"},
      {"requests.cpu", "1m", "250"},     {"requests.memory", "", std::nullopt},
      {"limits.cpu", "x", std::nullopt}, {"cpu", "", std::nullopt},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(ContainerResourceValue(builder.container(), c.resource, c.divisor), c.value)
        << c.resource << " / " << c.divisor;
  }
}

}  // namespace
}  // namespace podferry
