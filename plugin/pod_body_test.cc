#include "plugin/pod_body.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "core/base/testing/golden.h"
#include "core/base/testing/status_matchers.h"
#include "core/pod/pod.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using testing::HasSubstr;

constexpr char kUid[] = "6ba7b810-9dad-41d1-80b4-00c04fd430c8";

std::string Manifest(const std::string& metadata, const std::string& spec = "") {
  return absl::StrCat(R"({"pod":{"apiVersion":"v1","kind":"Pod","metadata":{)", metadata,
                      R"(},"spec":{"containers":[{"name":"c","image":"busybox"}])", spec, "}}}");
}

TEST(PodBodyTest, CompletesAManifestAsAClusterWould) {
  Issues issues;
  PODFERRY_ASSERT_OK_AND_ASSIGN(
      RetrievedPod pod,
      AdmitManifest(Manifest(R"("generateName":"try-")"), "pool-a", kUid, &issues));
  EXPECT_TRUE(issues.empty()) << issues.ToString();
  EXPECT_EQ(pod.pod.metadata.name, "try-6ba7b");
  EXPECT_EQ(pod.pod.metadata.namespace_name, "default");
  EXPECT_EQ(pod.pod.metadata.uid, kUid);
  EXPECT_EQ(PoolOf(pod.pod), "pool-a");
}

TEST(PodBodyTest, ThePoolThatIsAskedForWins) {
  Issues issues;
  const std::string manifest =
      Manifest(R"("name":"p")",
               R"(,"tolerations":[{"key":"pool.vk.io","operator":"Equal","value":"other"}])");
  PODFERRY_ASSERT_OK_AND_ASSIGN(RetrievedPod pod, AdmitManifest(manifest, "pool-a", kUid, &issues));
  EXPECT_TRUE(issues.empty()) << issues.ToString();
  EXPECT_EQ(PoolOf(pod.pod), "pool-a");
}

TEST(PodBodyTest, NamesEveryMistakeByItsOwnPath) {
  Issues issues;
  const std::string manifest =
      R"({"pod":{"metadata":{"name":"Bad_Name"},"spec":{"containers":[{"image":3}]}}})";
  ASSERT_THAT(AdmitManifest(manifest, "*", kUid, &issues), IsOk());
  const std::string text = issues.ToString();
  EXPECT_THAT(text, HasSubstr("metadata.name: "));
  EXPECT_THAT(text, HasSubstr("spec.containers[0].image: "));
  EXPECT_THAT(text, HasSubstr("spec.containers[0].name: "));
  EXPECT_THAT(text, HasSubstr("pool: "));
  EXPECT_THAT(text, testing::Not(HasSubstr("pod.")));
  EXPECT_THAT(text, testing::Not(HasSubstr("tolerations")));
}

TEST(PodBodyTest, TakesTheDataOfVolumesAlong) {
  Issues issues;
  const std::string manifest =
      R"({"pod":{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i",)"
      R"("volumeMounts":[{"name":"v","mountPath":"/v"}]}],)"
      R"("volumes":[{"name":"v","configMap":{"name":"cm"}}]}},)"
      R"("container":[{"name":"c","configMaps":[{"metadata":{"name":"cm"},"data":{"k":"x"}}]}]})";
  PODFERRY_ASSERT_OK_AND_ASSIGN(RetrievedPod pod, AdmitManifest(manifest, "pool-a", kUid, &issues));
  EXPECT_TRUE(issues.empty()) << issues.ToString();
  ASSERT_NE(FindConfigMap(pod, "cm"), nullptr);
  EXPECT_EQ(FindConfigMap(pod, "cm")->files.at("k"), "x");
}

TEST(PodBodyTest, StoredBodiesAreReadAgainAsTheyWereAdmitted) {
  JobDescription job;
  job.key = {"origin", kUid};
  job.pool = "pool-a";
  PODFERRY_ASSERT_OK_AND_ASSIGN(
      RetrievedPod manifest,
      ReadStoredBody(Manifest(R"("generateName":"try-")"), JobSource::kCli, job));
  EXPECT_EQ(manifest.pod.metadata.name, "try-6ba7b");
  EXPECT_EQ(PoolOf(manifest.pod), "pool-a");
  PODFERRY_ASSERT_OK_AND_ASSIGN(
      RetrievedPod request,
      ReadStoredBody(ReadTestData("core/testdata/interlink/create-simple.json"),
                     JobSource::kInterLink, job));
  EXPECT_EQ(request.pod.metadata.name, "simple");
  EXPECT_THAT(ReadStoredBody("{", JobSource::kInterLink, job),
              StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace podferry
