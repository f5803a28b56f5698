#include "e2e/harness/pod_request.h"

#include "core/base/ids.h"
#include "core/json/writer.h"

namespace podferry::e2e {
namespace {

using json::Writer;

void WriteContainer(Writer& json, const ContainerRequest& container) {
  json.BeginObject();
  json.Field("name", container.name);
  json.Field("image", "busybox:1.36");
  json.Key("command");
  json.BeginArray();
  for (const std::string& word : container.command) json.String(word);
  json.EndArray();
  json.Key("env");
  json.BeginArray();
  for (const auto& [name, value] : container.env) {
    json.BeginObject();
    json.Field("name", name);
    if (!value.empty()) json.Field("value", value);  // interLink leaves an empty value out
    json.EndObject();
  }
  json.EndArray();
  json.Key("volumeMounts");
  json.BeginArray();
  for (const auto& [volume, path] : container.mounts) {
    json.BeginObject();
    json.Field("name", volume);
    json.Field("mountPath", path);
    json.EndObject();
  }
  json.EndArray();
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

void WriteRetrieved(Writer& json, const ContainerRequest& container) {
  json.BeginObject();
  json.Field("name", container.name);
  json.Key("configMaps");
  json.BeginArray();
  for (const auto& [name, object] : container.config_maps) json.Raw(object);
  json.EndArray();
  json.Key("projectedvolumemaps");
  json.Null();
  json.Key("secrets");
  json.Null();
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
  json.EndObject();
  json.Key("spec");
  json.BeginObject();
  json.Field("restartPolicy", "Never");
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
