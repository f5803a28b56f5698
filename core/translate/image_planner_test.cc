#include "core/translate/image_planner.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using testing::HasSubstr;

struct Planned {
  PlannedImage image;
  std::string refused;  // "" if it is not
};

Planned Plan(const std::string& name, const BuildConfig& config = {},
             const std::string& policy = "") {
  Container container;
  container.image = name;
  container.image_pull_policy = policy;
  const FieldPath path("spec");
  FieldReport report(RuntimeKind::kApptainer);
  Planned planned;
  planned.image = PlanImage(config, container, path, &report);
  for (const Issue& issue : report.issues()) planned.refused += issue.ToString();
  return planned;
}

TEST(ImagePlannerTest, TakesNamesApart) {
  const std::string digest =
      "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
  const struct {
    std::string name;
    std::string source;
    std::string file;
  } cases[] = {
      {"busybox", "docker://busybox:latest", "busybox_latest"},
      {"busybox:1.36", "docker://busybox:1.36", "busybox_1.36"},
      {"docker://library/busybox:1", "docker://library/busybox:1", "library/busybox_1"},
      {"host:5000/a/b", "docker://host:5000/a/b:latest", "host_5000/a/b_latest"},
      {"host:5000/a/b:c", "docker://host:5000/a/b:c", "host_5000/a/b_c"},
      {"a:1@" + digest, "docker://a@" + digest, "a@sha256_" + digest.substr(7)},
      {"oras://reg/a:1", "oras://reg/a:1", "reg/a_1"},
      {"library://u/c/a:1", "library://u/c/a:1", "u/c/a_1"},
  };
  for (const auto& c : cases) {
    const Planned planned = Plan(c.name);
    EXPECT_EQ(planned.refused, "") << c.name;
    EXPECT_EQ(planned.image.source, c.source);
    EXPECT_EQ(planned.image.file, c.file);
    EXPECT_EQ(planned.image.place, "");
  }
  EXPECT_EQ(Plan("a:1@" + digest).image.digest, digest);
  EXPECT_EQ(Plan("a/b:1").image.site_file, "a/b_1");
  EXPECT_EQ(Plan("a").image.site_file, "a");
}

TEST(ImagePlannerTest, RefusesWhatIsNoName) {
  for (const char* name : {"", "a b", "../x", "a/../b", "a//b", "-x", "a:b;id", "$(id)", "a\nb",
                           "@sha256:1", "./a", "docker:///etc", "oras:///x", "a@b@c", "a@../b"}) {
    EXPECT_THAT(Plan(name).refused, HasSubstr("spec.image")) << name;
  }
}

TEST(ImagePlannerTest, FilesOfThePoolAreImagesWhereItSaysSo) {
  BuildConfig config;
  config.volumes.image_dir = "/images/";
  config.volumes.cvmfs_unpacked_path = "/cvmfs/unpacked";
  const struct {
    const char* name;
    bool is_refused;
  } cases[] = {
      {"/images/a.sif", false},
      {"/cvmfs/unpacked/debian:12", false},
      {"/", true},
      {"/etc", true},
      {"/images/../etc", true},
      {"/imagesx/a.sif", true},
      {"/images", true},
      {"oci-archive:/images/a.tar", false},
      {"oci-archive:/tmp/a.tar", true},
      {"docker-archive:relative.tar", true},
  };
  for (const auto& c : cases) EXPECT_EQ(Plan(c.name, config).refused != "", c.is_refused) << c.name;
  EXPECT_EQ(Plan("/images/a.sif", config).image.place, "/images/a.sif");
  EXPECT_EQ(Plan("oci-archive:/images/a:1.tar", config).image.file, "archives/images/a_1.tar");
  config.images.allow = {"/opt/images/"};
  EXPECT_EQ(Plan("/opt/images/x.sif", config).refused, "");
  EXPECT_NE(Plan("/opt/other/x.sif", config).refused, "");
}

TEST(ImagePlannerTest, ThePoolSaysWhichImagesMayRun) {
  BuildConfig config;
  config.images.allow = {"registry.example/", "busybox"};
  config.images.deny = {"registry.example/bad/"};
  EXPECT_EQ(Plan("registry.example/a:1", config).refused, "");
  EXPECT_EQ(Plan("docker://busybox:1", config).refused, "");
  EXPECT_THAT(Plan("registry.example/bad/a:1", config).refused, HasSubstr("images.deny"));
  EXPECT_THAT(Plan("debian:12", config).refused, HasSubstr("images.allow"));
}

TEST(ImagePlannerTest, AMovingTagIsAskedForEachTime) {
  const struct {
    const char* name;
    const char* policy;
    PullPolicy want;
  } cases[] = {
      {"a", "", PullPolicy::kAlways},         {"a:latest", "", PullPolicy::kAlways},
      {"a:1", "", PullPolicy::kIfNotPresent}, {"a@sha256:00", "", PullPolicy::kIfNotPresent},
      {"a:1", "Always", PullPolicy::kAlways}, {"a", "IfNotPresent", PullPolicy::kIfNotPresent},
      {"a", "Never", PullPolicy::kNever},
  };
  for (const auto& c : cases) EXPECT_EQ(Plan(c.name, {}, c.policy).image.policy, c.want) << c.name;
  BuildConfig config;
  config.images.pull_policy = PullPolicy::kNever;
  EXPECT_EQ(Plan("a", config, "Always").image.policy, PullPolicy::kNever);
}

TEST(ImagePlannerTest, AProxyIsAskedOnlyWithAToken) {
  BuildConfig config;
  config.shub_proxy.server = "proxy:1";
  config.images.platform = "linux/arm64";
  EXPECT_EQ(PlanImagePlaces(config, "").proxy, "");
  const ImagePlaces places = PlanImagePlaces(config, "token");
  EXPECT_EQ(places.proxy, "proxy:1");
  EXPECT_EQ(places.proxy_token, "token");
  EXPECT_EQ(places.architecture, "arm64");
  EXPECT_EQ(PlanImagePlaces({}, "token").proxy_token, "");
}

}  // namespace
}  // namespace podferry
