#include "e2e/harness/pod_request.h"

#include "core/base/ids.h"
#include "core/json/writer.h"

namespace podferry::e2e {
namespace {

using json::Writer;

void WriteWords(Writer& json, const char* key, const std::vector<std::string>& words) {
  if (words.empty()) return;
  json.Key(key);
  json.BeginArray();
  for (const std::string& word : words) json.String(word);
  json.EndArray();
}

void WriteMounts(Writer& json, const std::map<std::string, std::string>& mounts) {
  if (mounts.empty()) return;
  json.Key("volumeMounts");
  json.BeginArray();
  for (const auto& [volume, path] : mounts) {
    json.BeginObject();
    json.Field("name", volume);
    json.Field("mountPath", path);
    json.EndObject();
  }
  json.EndArray();
}

void WriteContainer(Writer& json, const ContainerRequest& container) {
  json.BeginObject();
  json.Field("name", container.name);
  json.Field("image", container.image);
  WriteWords(json, "command", container.command);
  WriteWords(json, "args", container.args);
  json.Key("env");
  json.BeginArray();
  for (const auto& [name, value] : container.env) {
    json.BeginObject();
    json.Field("name", name);
    if (!value.empty()) json.Field("value", value);  // interLink leaves an empty value out
    json.EndObject();
  }
  json.EndArray();
  WriteMounts(json, container.mounts);
  for (const auto& [key, value] : container.more) {
    json.Key(key);
    json.Raw(value);
  }
  json.EndObject();
}

void WriteContainers(Writer& json, const char* key,
                     const std::vector<ContainerRequest>& containers) {
  if (containers.empty()) return;
  json.Key(key);
  json.BeginArray();
  for (const ContainerRequest& container : containers) WriteContainer(json, container);
  json.EndArray();
}

// Null where there is none, as interLink writes it.
void WriteObjects(Writer& json, const char* key,
                  const std::map<std::string, std::string>& objects) {
  json.Key(key);
  if (objects.empty()) return json.Null();
  json.BeginArray();
  for (const auto& [name, object] : objects) json.Raw(object);
  json.EndArray();
}

void WriteRetrieved(Writer& json, const ContainerRequest& container) {
  json.BeginObject();
  json.Field("name", container.name);
  WriteObjects(json, "configMaps", container.config_maps);
  WriteObjects(json, "projectedvolumemaps", container.projected);
  WriteObjects(json, "secrets", container.secrets);
  json.Key("emptyDirs");
  json.Null();
  json.EndObject();
}

}  // namespace

PodRequest::PodRequest() : uid(NewUuid()) {}

PodRequest PodRequest::Shell(const std::string& name, const std::string& script) {
  PodRequest pod;
  pod.name = name;
  pod.containers.push_back({.command = {"/bin/sh", "-c", script}});
  return pod;
}

std::string PodRequest::PodJson() const {
  std::string out;
  Writer json(&out);
  json.BeginObject();
  json.Key("metadata");
  json.BeginObject();
  json.Field("name", name);
  json.Field("namespace", pod_namespace);
  json.Field("uid", uid);
  json.Key("annotations");
  json.Raw(annotations);
  json.EndObject();
  json.Key("spec");
  json.BeginObject();
  json.Field("restartPolicy", restart_policy);
  json.Field("terminationGracePeriodSeconds", grace_seconds);
  json.Key("tolerations");
  json.Raw(R"([{"key":"virtual-node.interlink/no-schedule","operator":"Exists"},)"
           R"({"key":"pool.vk.io","operator":"Equal","effect":"NoSchedule","value":)" +
           json::Quote(pool) + "}]");
  json.Key("volumes");
  json.Raw(volumes);
  WriteContainers(json, "initContainers", init_containers);
  WriteContainers(json, "containers", containers);
  json.EndObject();
  json.Key("status");
  json.Raw(R"({"phase":"Pending"})");
  json.EndObject();
  return out;
}

std::string PodRequest::CreateBody() const {
  std::string out;
  Writer json(&out);
  json.BeginObject();
  json.Key("pod");
  json.Raw(PodJson());
  json.Key("container");
  json.BeginArray();
  for (const ContainerRequest& container : init_containers) WriteRetrieved(json, container);
  for (const ContainerRequest& container : containers) WriteRetrieved(json, container);
  json.EndArray();
  json.EndObject();
  return out;
}

std::string PodRequest::StatusBody() const { return "[" + PodJson() + "]"; }

std::string PodRequest::LogBody(const std::string& container, const std::string& options) const {
  std::string out;
  Writer json(&out);
  json.BeginObject();
  json.Field("Namespace", pod_namespace);
  json.Field("PodUID", uid);
  json.Field("PodName", name);
  json.Field("ContainerName", container);
  json.Key("Opts");
  json.Raw(options);
  json.EndObject();
  return out;
}

}  // namespace podferry::e2e
