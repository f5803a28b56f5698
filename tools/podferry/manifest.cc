#include "tools/podferry/manifest.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/pod/expansion.h"
#include "tools/podferry/yaml_to_json.h"
#include "yaml-cpp/yaml.h"

namespace podferry {
namespace {

using Objects = std::map<std::string, YAML::Node>;

struct Documents {
  std::vector<YAML::Node> pods;
  Objects config_maps;
  Objects secrets;
};

std::string ScalarOr(const YAML::Node& node, const std::string& other) {
  return node && node.IsScalar() ? node.Scalar() : other;
}

YAML::Node Quoted(const std::string& text) {
  YAML::Node node(text);
  node.SetTag("!");
  return node;
}

// stringData is a convenience of the API server's, which merges it into data.
void MergeStringData(YAML::Node secret) {
  for (const auto& member : secret["stringData"]) {
    secret["data"][member.first.Scalar()] = Quoted(absl::Base64Escape(member.second.Scalar()));
  }
  secret.remove("stringData");
}

Documents Sort(const std::vector<YAML::Node>& documents, Issues& issues) {
  Documents sorted;
  for (size_t i = 0; i < documents.size(); ++i) {
    const YAML::Node& document = documents[i];
    if (!document || document.IsNull()) continue;
    std::string kind = document.IsMap() ? ScalarOr(document["kind"], "") : "";
    std::string name = kind.empty() ? "" : ScalarOr(document["metadata"]["name"], "");
    if (kind == "Pod") {
      sorted.pods.push_back(document);
    } else if (kind == "ConfigMap") {
      sorted.config_maps.emplace(name, document);
    } else if (kind == "Secret") {
      MergeStringData(document);
      sorted.secrets.emplace(name, document);
    } else {
      issues.Add(absl::StrCat("document ", i + 1, ".kind"),
                 absl::StrCat("want Pod, ConfigMap or Secret, got \"", kind, "\""));
    }
  }
  if (sorted.pods.size() != 1) {
    issues.Add("kind", absl::StrCat("want exactly one Pod in the file, got ", sorted.pods.size()));
  }
  return sorted;
}

class Resolver {
 public:
  Resolver(const Documents& documents, YAML::Node pod, Issues& issues)
      : documents_(documents), pod_(std::move(pod)), issues_(issues) {}

  void ResolveEnvironments() {
    for (const char* list : {"initContainers", "containers"}) {
      YAML::Node containers = pod_["spec"][list];
      for (size_t i = 0; i < containers.size(); ++i) {
        if (!containers[i].IsMap()) continue;
        ResolveEnvironment(containers[i], absl::StrCat("spec.", list, "[", i, "]"));
      }
    }
  }

  // The "container" list of interLink's request: the data of the volumes that each container
  // mounts.
  YAML::Node ContainerData() {
    YAML::Node out(YAML::NodeType::Sequence);
    for (const char* list : {"initContainers", "containers"}) {
      for (const auto& container : pod_["spec"][list]) {
        if (container.IsMap()) out.push_back(DataOf(container));
      }
    }
    return out;
  }

 private:
  // The text under a key of an object: nothing, with an issue unless optional, where there is none.
  std::optional<std::string> KeyOf(const Objects& objects, const YAML::Node& reference, bool secret,
                                   const std::string& path) {
    std::string name = ScalarOr(reference["name"], "");
    std::string key = ScalarOr(reference["key"], "");
    auto object = objects.find(name);
    if (object != objects.end()) {
      if (YAML::Node value = object->second["data"][key]; value && value.IsScalar()) {
        std::string bytes;
        if (!secret) return value.Scalar();
        if (absl::Base64Unescape(value.Scalar(), &bytes)) return bytes;
        issues_.Add(path, absl::StrCat("Secret ", name, ", key ", key, ": not base64"));
        return std::nullopt;
      }
    }
    if (ScalarOr(reference["optional"], "false") != "true") {
      issues_.Add(path, absl::StrCat(secret ? "Secret \"" : "ConfigMap \"", name, "\" with key \"",
                                     key, "\" is not in the file; add it as a document"));
    }
    return std::nullopt;
  }

  std::optional<std::string> FieldOf(const YAML::Node& reference, const std::string& path) {
    std::string field = ScalarOr(reference["fieldPath"], "");
    for (const char* known : {"name", "namespace", "uid"}) {
      if (field == absl::StrCat("metadata.", known)) return ScalarOr(pod_["metadata"][known], "");
    }
    for (const char* known : {"labels", "annotations"}) {
      std::string prefix = absl::StrCat("metadata.", known, "['");
      if (absl::StartsWith(field, prefix) && absl::EndsWith(field, "']")) {
        std::string key = field.substr(prefix.size(), field.size() - prefix.size() - 2);
        return ScalarOr(pod_["metadata"][known][key], "");
      }
    }
    if (field == "spec.nodeName" || field == "spec.serviceAccountName") return "";
    issues_.Add(absl::StrCat(path, ".fieldPath"), absl::StrCat("unsupported: \"", field, "\""));
    return std::nullopt;
  }

  std::optional<std::string> ValueFrom(const YAML::Node& from, const std::string& path) {
    if (from["configMapKeyRef"]) {
      return KeyOf(documents_.config_maps, from["configMapKeyRef"], false,
                   absl::StrCat(path, ".configMapKeyRef"));
    }
    if (from["secretKeyRef"]) {
      return KeyOf(documents_.secrets, from["secretKeyRef"], true,
                   absl::StrCat(path, ".secretKeyRef"));
    }
    if (from["fieldRef"]) return FieldOf(from["fieldRef"], absl::StrCat(path, ".fieldRef"));
    issues_.Add(path, "want configMapKeyRef, secretKeyRef or fieldRef");
    return std::nullopt;
  }

  void AddEnvFrom(const YAML::Node& source, const std::string& path,
                  std::vector<std::pair<std::string, std::string>>& env) {
    bool secret = static_cast<bool>(source["secretRef"]);
    const YAML::Node reference = secret ? source["secretRef"] : source["configMapRef"];
    std::string prefix = ScalarOr(source["prefix"], "");
    const Objects& objects = secret ? documents_.secrets : documents_.config_maps;
    auto object = reference ? objects.find(ScalarOr(reference["name"], "")) : objects.end();
    if (object == objects.end()) {
      if (!reference || ScalarOr(reference["optional"], "false") != "true") {
        issues_.Add(path, "the ConfigMap or Secret is not in the file; add it as a document");
      }
      return;
    }
    for (const auto& member : object->second["data"]) {
      std::string value = member.second.Scalar();
      if (secret && !absl::Base64Unescape(member.second.Scalar(), &value)) {
        issues_.Add(path, absl::StrCat("key ", member.first.Scalar(), ": not base64"));
      }
      env.emplace_back(prefix + member.first.Scalar(), value);
    }
  }

  void ResolveEnvironment(YAML::Node container, const std::string& path) {
    std::vector<std::pair<std::string, std::string>> env;
    const YAML::Node from = container["envFrom"];
    for (size_t i = 0; i < from.size(); ++i) {
      AddEnvFrom(from[i], absl::StrCat(path, ".envFrom[", i, "]"), env);
    }
    std::map<std::string, std::string> known(env.begin(), env.end());
    auto lookup = [&](absl::string_view name) -> std::optional<std::string> {
      auto found = known.find(std::string(name));
      return found == known.end() ? std::nullopt : std::optional(found->second);
    };
    const YAML::Node list = container["env"];
    for (size_t i = 0; i < list.size(); ++i) {
      std::string name = ScalarOr(list[i]["name"], "");
      std::optional<std::string> value = ExpandVariables(ScalarOr(list[i]["value"], ""), lookup);
      if (list[i]["valueFrom"]) {
        value = ValueFrom(list[i]["valueFrom"], absl::StrCat(path, ".env[", i, "].valueFrom"));
      }
      if (!value) continue;
      known[name] = *value;
      env.emplace_back(name, *value);
    }
    YAML::Node resolved(YAML::NodeType::Sequence);
    for (const auto& [name, value] : env) {
      YAML::Node entry;
      entry["name"] = Quoted(name);
      entry["value"] = Quoted(value);
      resolved.push_back(entry);
    }
    container.remove("envFrom");
    container["env"] = resolved;
  }

  void AddObject(const Objects& objects, const std::string& name, YAML::Node out) {
    // What is not in the file is left out: the plugin's validator names the volume, and knows
    // "optional".
    if (auto object = objects.find(name); object != objects.end()) out.push_back(object->second);
  }

  YAML::Node Projected(const YAML::Node& volume, const std::string& path) {
    YAML::Node map;
    map["metadata"]["name"] = ScalarOr(volume["name"], "");
    const YAML::Node sources = volume["projected"]["sources"];
    for (size_t i = 0; i < sources.size(); ++i) {
      std::string source_path = absl::StrCat(path, ".projected.sources[", i, "]");
      if (sources[i]["configMap"]) {
        Project(documents_.config_maps, sources[i]["configMap"], false, source_path, map);
      } else if (sources[i]["secret"]) {
        Project(documents_.secrets, sources[i]["secret"], true, source_path, map);
      } else if (sources[i]["downwardAPI"]) {
        for (const auto& item : sources[i]["downwardAPI"]["items"]) {
          auto value = FieldOf(item["fieldRef"], source_path);
          if (value) map["data"][ScalarOr(item["path"], "")] = Quoted(*value);
        }
      } else {
        issues_.Add(source_path,
                    "want configMap, secret or downwardAPI: there is no cluster here "
                    "that could give a token");
      }
    }
    return map;
  }

  void Project(const Objects& objects, const YAML::Node& source, bool secret,
               const std::string& path, YAML::Node map) {
    auto object = objects.find(ScalarOr(source["name"], ""));
    if (object == objects.end()) {
      if (ScalarOr(source["optional"], "false") != "true") {
        issues_.Add(path, "the ConfigMap or Secret is not in the file; add it as a document");
      }
      return;
    }
    std::map<std::string, std::string> paths;  // key -> path in the volume
    for (const auto& item : source["items"]) {
      paths[ScalarOr(item["key"], "")] = ScalarOr(item["path"], "");
    }
    auto copy = [&](const char* from, const char* to) {
      for (const auto& member : object->second[from]) {
        auto item = paths.find(member.first.Scalar());
        if (source["items"] && item == paths.end()) continue;
        const std::string& target = source["items"] ? item->second : member.first.Scalar();
        map[to][target] = Quoted(member.second.Scalar());
      }
    };
    copy("data", secret ? "binaryData" : "data");
    copy("binaryData", "binaryData");
  }

  YAML::Node DataOf(const YAML::Node& container) {
    YAML::Node config_maps(YAML::NodeType::Sequence);
    YAML::Node secrets(YAML::NodeType::Sequence);
    YAML::Node projected(YAML::NodeType::Sequence);
    const YAML::Node volumes = pod_["spec"]["volumes"];
    for (const auto& mount : container["volumeMounts"]) {
      for (size_t i = 0; i < volumes.size(); ++i) {
        const YAML::Node volume = volumes[i];
        if (ScalarOr(volume["name"], "") != ScalarOr(mount["name"], "")) continue;
        if (volume["configMap"]) {
          AddObject(documents_.config_maps, ScalarOr(volume["configMap"]["name"], ""), config_maps);
        } else if (volume["secret"]) {
          AddObject(documents_.secrets, ScalarOr(volume["secret"]["secretName"], ""), secrets);
        } else if (volume["projected"]) {
          projected.push_back(Projected(volume, absl::StrCat("spec.volumes[", i, "]")));
        }
      }
    }
    YAML::Node out;
    out["name"] = Quoted(ScalarOr(container["name"], ""));
    out["configMaps"] = config_maps;
    out["secrets"] = secrets;
    out["projectedvolumemaps"] = projected;
    return out;
  }

  const Documents& documents_;
  YAML::Node pod_;
  Issues& issues_;
};

// The pool that the pod tolerates, where the user did not say one.
std::string ToleratedPool(const YAML::Node& spec) {
  for (const auto& toleration : spec["tolerations"]) {
    if (ScalarOr(toleration["key"], "") == "pool.vk.io") return ScalarOr(toleration["value"], "");
  }
  return "";
}

void AddToleration(YAML::Node spec, const std::string& pool) {
  for (const auto& toleration : spec["tolerations"]) {
    if (ScalarOr(toleration["key"], "") == "pool.vk.io" &&
        ScalarOr(toleration["value"], "") == pool) {
      return;
    }
  }
  YAML::Node toleration;
  toleration["key"] = "pool.vk.io";
  toleration["operator"] = "Equal";
  toleration["value"] = Quoted(pool);
  toleration["effect"] = "NoSchedule";
  spec["tolerations"].push_back(toleration);
}

ResolvedManifest Resolve(absl::string_view yaml, const ManifestOptions& options) {
  ResolvedManifest out;
  Documents documents = Sort(YAML::LoadAll(std::string(yaml)), out.issues);
  if (!out.issues.empty()) return out;
  YAML::Node pod = documents.pods.front();
  YAML::Node metadata = pod["metadata"];
  if (!metadata["namespace"]) metadata["namespace"] = "default";
  if (!metadata["uid"]) metadata["uid"] = Quoted(options.uid);
  out.uid = ScalarOr(metadata["uid"], "");
  out.pod_namespace = ScalarOr(metadata["namespace"], "");
  if (!metadata["name"] && metadata["generateName"]) {
    metadata["name"] = Quoted(metadata["generateName"].Scalar() + out.uid.substr(0, 5));
  }
  out.name = ScalarOr(metadata["name"], "");
  YAML::Node spec = pod["spec"];
  if (!spec.IsMap()) {
    out.issues.Add("spec", "missing");
    return out;
  }
  const std::string pool = options.pool.empty() ? ToleratedPool(spec) : options.pool;
  if (pool.empty()) {
    out.issues.Add("pool", "say which with --pool, or by a toleration for pool.vk.io in the pod");
    return out;
  }
  AddToleration(spec, pool);
  Resolver resolver(documents, pod, out.issues);
  resolver.ResolveEnvironments();
  YAML::Node body;
  body["pool"] = Quoted(pool);
  body["pod"] = pod;
  body["container"] = resolver.ContainerData();
  out.create_body = YamlToJson(body);
  return out;
}

}  // namespace

ResolvedManifest ResolveManifest(absl::string_view yaml, const ManifestOptions& options) {
  // yaml-cpp throws where the text is no YAML, and where a value is used as what it is not.
  try {
    return Resolve(yaml, options);
  } catch (const YAML::Exception& error) {
    ResolvedManifest out;
    out.issues.Add(absl::StrCat("line ", error.mark.line + 1, ", column ", error.mark.column + 1),
                   error.msg);
    return out;
  }
}

}  // namespace podferry
