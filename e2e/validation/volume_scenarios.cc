// 030, 040, 120: what containers share, and what they read.

#include "e2e/validation/scenario.h"

namespace podferry::e2e {
namespace {

// The containers wait for one another, so they must run at the same time; and what is mounted
// readOnly must not be written.
Scenario SharedVolume() {
  Scenario scenario{.name = "030_shared_volume",
                    .logs = {{"reader", "Dumped contents: from the writer\nRO mount ok"}}};
  scenario.pod.volumes = R"([{"name":"shared","emptyDir":{}},{"name":"signals","emptyDir":{}}])";
  ContainerRequest writer = Bash("writer", R"(set -e
for i in {1..300}; do [ -e /signals/reader ] && break; sleep 0.1; done
[ -e /signals/reader ]
echo 'from the writer' > /shared/part; mv /shared/part /shared/file)");
  writer.mounts = {{"shared", "/shared"}, {"signals", "/signals"}};
  ContainerRequest reader = Python("reader", R"(import os, time
open('/signals/reader', 'w').close()
for i in range(300):
    if os.path.exists('/shared/file'): break
    time.sleep(0.1)
print('Dumped contents:', open('/shared/file').read().strip())
try:
    os.remove('/shared/file')
    print('the read-only mount was written')
except OSError:
    print('RO mount ok')
)");
  reader.more["volumeMounts"] = R"([{"name":"shared","mountPath":"/shared","readOnly":true},
                                    {"name":"signals","mountPath":"/signals"}])";
  scenario.pod.containers = {reader, writer};
  return scenario;
}

constexpr char kConfigMap[] = R"({"metadata":{"name":"scripts"},
  "data":{"script.py":"print('hello configurable world')\n","unused":"x"}})";
constexpr char kSecret[] = R"({"metadata":{"name":"hidden"},"type":"Opaque",
  "data":{"script":"cHJpbnQoJ2hlbGxvIHNlY3JldCB3b3JsZCcpCg==","unused":"eA=="}})";

// Items with paths of their own, and two folders that both containers write, mounted in another
// order in each.
Scenario ConfigVolumes() {
  Scenario scenario{.name = "040_config_volumes",
                    .logs = {{"config", "^config-map-script.py\nhello configurable world\n$"},
                             {"secret", "^secret-script.py\nhello secret world\n$"}}};
  scenario.pod.volumes = R"([{"name":"one","emptyDir":{}},
    {"name":"config","configMap":{"name":"scripts",
      "items":[{"key":"script.py","path":"config-map-script.py"}]}},
    {"name":"two","emptyDir":{}},
    {"name":"secret","secret":{"secretName":"hidden",
      "items":[{"key":"script","path":"secret-script.py"}]}}])";
  ContainerRequest config = Bash("config", R"(set -e; ls /config-map
python3 /config-map/config-map-script.py; echo c > /one/config; echo c > /two/config)");
  config.config_maps["scripts"] = kConfigMap;
  config.more["volumeMounts"] = R"([{"name":"one","mountPath":"/one"},
    {"name":"config","mountPath":"/config-map"},{"name":"two","mountPath":"/two"}])";
  ContainerRequest secret = Bash("secret", R"(set -e; ls /secrets
python3 /secrets/secret-script.py; echo s > /one/secret; echo s > /two/secret)");
  secret.secrets["hidden"] = kSecret;
  secret.more["volumeMounts"] = R"([{"name":"two","mountPath":"/two"},
    {"name":"secret","mountPath":"/secrets"},{"name":"one","mountPath":"/one"}])";
  scenario.pod.containers = {config, secret};
  return scenario;
}

// A whole ConfigMap, and the service account's token, as the API server mounts it in every pod.
Scenario Projected() {
  Scenario scenario{
      .name = "120_projected",
      .logs = {{"main", "one\ntwo lines\nlast\n2 lines of certificate\ntoken 5\ndefault"}}};
  scenario.pod.volumes = R"([{"name":"proj","projected":{"sources":[{"configMap":{"name":"c"}}]}},
    {"name":"kube-api-access-x7k2p","projected":{"defaultMode":420,"sources":[
      {"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},
      {"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}},
      {"downwardAPI":{"items":[{"path":"namespace",
        "fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"}}]}}]}}])";
  ContainerRequest main = Bash("main", R"J(set -e
account=/var/run/secrets/kubernetes.io/serviceaccount
cat /proj/single /proj/multi
echo "$(wc -l < $account/ca.crt) lines of certificate"
echo "token $(wc -c < $account/token)"; cat $account/namespace)J");
  main.more["volumeMounts"] = R"([{"name":"proj","mountPath":"/proj"},
    {"name":"kube-api-access-x7k2p","readOnly":true,
     "mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}])";
  main.projected["proj"] =
      R"({"metadata":{"name":"proj"},"data":{"single":"one\n","multi":"two lines\nlast\n"}})";
  main.projected["kube-api-access-x7k2p"] = R"({"metadata":{"name":"kube-api-access-x7k2p"},
    "data":{"token":"abcde","ca.crt":"begin\nend\n","namespace":"default"}})";
  scenario.pod.containers = {main};
  return scenario;
}

}  // namespace

std::vector<Scenario> VolumeScenarios() { return {SharedVolume(), ConfigVolumes(), Projected()}; }

}  // namespace podferry::e2e
