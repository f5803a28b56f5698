// Uses podferry's core from outside of its repository.

#include "core/base/issues.h"
#include "core/json/document.h"
#include "core/pod/pod_validator.h"
#include "core/pool/build_config_toml.h"
#include "core/pool/pool_matcher.h"
#include "core/quantity/quantity.h"
#include "core/translate/translate.h"
#include "gtest/gtest.h"

namespace {

TEST(ImportTest, ReadsAQuantityFromJson) {
  podferry::Issues issues;
  const auto document = podferry::json::Document::Parse("{\"memory\": \"1.5Gi\"}");
  ASSERT_TRUE(document.ok()) << document.status();
  const auto memory = document->Root(&issues).Get("memory").RequireString();
  const auto quantity = podferry::Quantity::Parse(memory);
  ASSERT_TRUE(quantity.ok()) << quantity.status();
  EXPECT_EQ(quantity->ToString(), "1536Mi");
  EXPECT_TRUE(issues.empty());
}

TEST(ImportTest, TranslatesAPodForAPoolThatAnExpressionFinds) {
  const auto matcher = podferry::PoolMatcher::Create({}, "(?i)^POOL-[a-z]$");
  ASSERT_TRUE(matcher.ok()) << matcher.status();
  ASSERT_TRUE(matcher->Matches("pool-a").value_or(false));
  podferry::Issues issues;
  const auto pod = podferry::AdmitPod(R"({"pod": {
      "metadata": {"name": "p", "namespace": "default", "uid": "u-1"},
      "spec": {"restartPolicy": "Never",
               "tolerations": [{"key": "pool.vk.io", "operator": "Equal", "value": "pool-a"}],
               "containers": [{"name": "main", "image": "x", "command": ["echo", "hello"]}]}},
      "container": [{"name": "main"}]})",
                                      &issues);
  ASSERT_TRUE(pod.ok()) << pod.status();
  ASSERT_TRUE(issues.empty()) << issues.ToString();
  const auto config = podferry::ReadBuildConfig("[runtime]\nkind = \"host\"\n");
  const podferry::Translation translation =
      podferry::Translate(*pod, {.origin = "importer", .uid = "u-1"}, "pool-a", config.config);
  ASSERT_TRUE(translation.issues.empty()) << translation.issues.ToString();
  EXPECT_NE(translation.bundle.script.find("hello"), std::string::npos);
}

}  // namespace
