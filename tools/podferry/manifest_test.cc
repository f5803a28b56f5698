#include "tools/podferry/manifest.h"

#include <string>

#include "core/json/document.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/podferry/yaml_to_json.h"
#include "yaml-cpp/yaml.h"

namespace podferry {
namespace {

using ::testing::HasSubstr;

TEST(YamlToJsonTest, GivesPlainScalarsTheTypesOfKubectl) {
  struct {
    const char* yaml;
    const char* json;
  } const kCases[] = {
      {"a: 1", R"({"a":1})"},
      {"a: -7", R"({"a":-7})"},
      {"a: \"1\"", R"({"a":"1"})"},
      {"a: '1'", R"({"a":"1"})"},
      {"a: 0644", R"({"a":420})"},
      {"a: 0o644", R"({"a":420})"},
      {"a: 0", R"({"a":0})"},
      {"a: 089", R"({"a":89})"},
      {"a: 1.5", R"({"a":1.5})"},
      {"a: 1.36.0", R"({"a":"1.36.0"})"},
      {"a: nan", R"({"a":"nan"})"},
      {"a: true", R"({"a":true})"},
      {"a: ~", R"({"a":null})"},
      {"a:", R"({"a":null})"},
      {"a: [x, {b: c}]", R"({"a":["x",{"b":"c"}]})"},
      {"a: |\n  two\n  lines\n", R"({"a":"two\nlines\n"})"},
      {"a: 500m", R"({"a":"500m"})"},
  };
  for (const auto& c : kCases) EXPECT_EQ(YamlToJson(YAML::Load(c.yaml)), c.json) << c.yaml;
}

constexpr char kPod[] = R"yaml(
apiVersion: v1
kind: Pod
metadata: {name: p, labels: {app: demo}}
spec:
  volumes:
  - {name: settings, configMap: {name: settings}}
  - {name: credentials, secret: {secretName: credentials}}
  - name: all
    projected:
      sources:
      - configMap: {name: settings, items: [{key: mode, path: sub/mode}]}
      - secret: {name: credentials}
      - downwardAPI: {items: [{path: name, fieldRef: {fieldPath: metadata.name}}]}
  containers:
  - name: main
    image: busybox
    command: [sh]
    env:
    - {name: FIRST, value: one}
    - {name: SECOND, value: "$(FIRST) and $(UNKNOWN)"}
    - {name: MODE, valueFrom: {configMapKeyRef: {name: settings, key: mode}}}
    - {name: PASSWORD, valueFrom: {secretKeyRef: {name: credentials, key: password}}}
    - {name: APP, valueFrom: {fieldRef: {fieldPath: "metadata.labels['app']"}}}
    - {name: GONE, valueFrom: {configMapKeyRef: {name: nowhere, key: x, optional: true}}}
    envFrom:
    - {prefix: CM_, configMapRef: {name: settings}}
    volumeMounts:
    - {name: settings, mountPath: /settings}
    - {name: credentials, mountPath: /credentials}
    - {name: all, mountPath: /all}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {mode: "0644"}
---
apiVersion: v1
kind: Secret
metadata: {name: credentials}
stringData: {password: p@ss}
)yaml";

constexpr char kResolvedEnv[] =
    R"json([{"name":"CM_mode","value":"0644"},{"name":"FIRST","value":"one"},)json"
    R"json({"name":"SECOND","value":"one and $(UNKNOWN)"},{"name":"MODE","value":"0644"},)json"
    R"json({"name":"PASSWORD","value":"p@ss"},{"name":"APP","value":"demo"}])json";

TEST(ManifestTest, ResolvesWhatAVirtualNodeWouldResolve) {
  ResolvedManifest resolved = ResolveManifest(kPod, {.pool = "mine", .uid = "u-1"});
  ASSERT_TRUE(resolved.issues.empty()) << resolved.issues.ToString();
  EXPECT_EQ(resolved.uid, "u-1");
  EXPECT_EQ(resolved.pod_namespace, "default");
  auto document = json::Document::Parse(resolved.create_body);
  ASSERT_TRUE(document.ok()) << document.status();
  json::Value root = document->Root(nullptr);
  json::Value pod = root.Get("pod");
  EXPECT_EQ(pod.Get("spec").Get("tolerations").Items()[0].ToJson(),
            R"({"key":"pool.vk.io","operator":"Equal","value":"mine","effect":"NoSchedule"})");
  EXPECT_EQ(pod.Get("spec").Get("containers").Items()[0].Get("env").ToJson(), kResolvedEnv);
  json::Value data = root.Get("container").Items()[0];
  EXPECT_EQ(data.Get("configMaps").Items()[0].Get("data").ToJson(), R"({"mode":"0644"})");
  EXPECT_EQ(data.Get("secrets").Items()[0].Get("data").ToJson(), R"({"password":"cEBzcw=="})");
  EXPECT_EQ(data.Get("projectedvolumemaps").Items()[0].ToJson(),
            R"({"metadata":{"name":"all"},"data":{"sub/mode":"0644","name":"p"},)"
            R"("binaryData":{"password":"cEBzcw=="}})");
}

TEST(ManifestTest, NamesWhatIsMissingAllAtOnce) {
  ResolvedManifest resolved = ResolveManifest(R"(
kind: Pod
metadata: {name: p}
spec:
  containers:
  - name: main
    env:
    - {name: A, valueFrom: {configMapKeyRef: {name: nowhere, key: x}}}
    - {name: B, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}
    envFrom: [{secretRef: {name: gone}}]
)",
                                              {.pool = "mine", .uid = "u-1"});
  std::string issues = resolved.issues.ToString();
  EXPECT_THAT(issues, HasSubstr("spec.containers[0].env[0].valueFrom.configMapKeyRef"));
  EXPECT_THAT(issues, HasSubstr("spec.containers[0].env[1].valueFrom"));
  EXPECT_THAT(issues, HasSubstr("spec.containers[0].envFrom[0]"));
}

TEST(ManifestTest, SaysWhatIsWrongWithAFileThatIsNoPod) {
  for (const char* text :
       {"", "kind: Deployment", "kind: Pod\n---\nkind: Pod", "a: [", "- 1", "kind: Pod", "text",
        "kind: Pod\nmetadata: 5\nspec: {}", "kind: Pod\nmetadata: {name: x}\nspec: [1]",
        "kind: Pod\nmetadata: {name: x}\nspec: {volumes: 5, containers: [5, {env: 7}, {env: [1], "
        "volumeMounts: [2]}]}\n---\nkind: Secret\nmetadata: 1\nstringData: 5"}) {
    ResolvedManifest resolved = ResolveManifest(text, {.pool = "mine", .uid = "u-1"});
    // The last kind of mistake is the plugin's validator's to name; here it must only not crash.
    if (std::string(text).find("volumes") == std::string::npos) {
      EXPECT_FALSE(resolved.issues.empty()) << text;
    }
  }
}

}  // namespace
}  // namespace podferry
