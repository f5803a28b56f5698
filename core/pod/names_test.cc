#include "core/pod/names.h"

#include <string>

#include "gtest/gtest.h"

namespace podferry {
namespace {

using Check = bool (*)(absl::string_view);

TEST(NamesTest, TakeWhatKubernetesTakes) {
  const struct {
    const char* what;
    Check check;
    std::string name;
    bool valid;
  } kCases[] = {
      {"label", IsDnsLabel, "a", true},
      {"label", IsDnsLabel, "0-a", true},
      {"label", IsDnsLabel, std::string(63, 'a'), true},
      {"label", IsDnsLabel, std::string(64, 'a'), false},
      {"label", IsDnsLabel, "", false},
      {"label", IsDnsLabel, "-a", false},
      {"label", IsDnsLabel, "a-", false},
      {"label", IsDnsLabel, "A", false},
      {"label", IsDnsLabel, "a.b", false},
      {"subdomain", IsDnsSubdomain, "a.b-c.0", true},
      {"subdomain", IsDnsSubdomain, std::string(253, 'a'), true},
      {"subdomain", IsDnsSubdomain, std::string(254, 'a'), false},
      {"subdomain", IsDnsSubdomain, "a..b", false},
      {"subdomain", IsDnsSubdomain, ".a", false},
      {"subdomain", IsDnsSubdomain, "", false},
      {"pool", IsPoolName, "podman-firenze", true},
      {"pool", IsPoolName, "A_b.c-9", true},
      {"pool", IsPoolName, std::string(63, 'p'), true},
      {"pool", IsPoolName, std::string(64, 'p'), false},
      {"pool", IsPoolName, "", false},
      {"pool", IsPoolName, "*", false},
      {"pool", IsPoolName, ">", false},
      {"pool", IsPoolName, "a.", false},
      {"pool", IsPoolName, ".a", false},
      {"pool", IsPoolName, "a b", false},
      {"resource", IsQualifiedName, "cpu", true},
      {"resource", IsQualifiedName, "nvidia.com/gpu", true},
      {"resource", IsQualifiedName, "/gpu", false},
      {"resource", IsQualifiedName, "a/b/c", false},
      {"uid", IsPodUid, "50998ef5-7fc6-4aad-a3d3-4823e81163eb", true},
      {"uid", IsPodUid, "any-ID-9", true},
      {"uid", IsPodUid, "", false},
      {"uid", IsPodUid, "a.b", false},
      {"uid", IsPodUid, "../etc", false},
      {"uid", IsPodUid, std::string(64, 'a'), false},
      {"env", IsEnvName, "CM_settings.ini", true},
      {"env", IsEnvName, "with space and $(x)", true},
      {"env", IsEnvName, "", false},
      {"env", IsEnvName, "a=b", false},
      {"env", IsEnvName, "caf\xc3\xa9", false},
      {"env", IsEnvName, "a\nb", false},
      {"key", IsObjectKey, "run.sh", true},
      {"key", IsObjectKey, ".hidden", true},
      {"key", IsObjectKey, "..data", false},
      {"key", IsObjectKey, ".", false},
      {"key", IsObjectKey, "a/b", false},
      {"path", IsPathBelow, "a/b", true},
      {"path", IsPathBelow, "a..b/..c", true},
      {"path", IsPathBelow, "a/../b", false},
      {"path", IsPathBelow, "..", false},
      {"path", IsPathBelow, "/a", false},
      {"path", IsPathBelow, "", false},
  };
  for (const auto& test : kCases) {
    EXPECT_EQ(test.check(test.name), test.valid) << test.what << " " << test.name;
  }
}

}  // namespace
}  // namespace podferry
