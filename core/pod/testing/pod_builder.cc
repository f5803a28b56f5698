#include "core/pod/testing/pod_builder.h"

namespace podferry {

PodBuilder::PodBuilder(const std::string& name, const std::string& pool) {
  ObjectMeta& metadata = pod().metadata;
  metadata.name = name;
  metadata.namespace_name = "default";
  metadata.uid = "50998ef5-7fc6-4aad-a3d3-4823e81163eb";
  spec().restart_policy = "Never";
  Pool(pool);
  AddContainer("main");
}

PodBuilder& PodBuilder::Uid(const std::string& uid) {
  pod().metadata.uid = uid;
  return *this;
}

PodBuilder& PodBuilder::Pool(const std::string& pool) {
  Toleration toleration;
  toleration.key = kPoolTolerationKey;
  toleration.value = pool;
  toleration.effect = "NoSchedule";
  spec().tolerations = {toleration};
  return *this;
}

PodBuilder& PodBuilder::Label(const std::string& key, const std::string& value) {
  pod().metadata.labels[key] = value;
  return *this;
}

PodBuilder& PodBuilder::Annotation(const std::string& key, const std::string& value) {
  pod().metadata.annotations[key] = value;
  return *this;
}

PodBuilder& PodBuilder::RestartPolicy(const std::string& policy) {
  spec().restart_policy = policy;
  return *this;
}

PodBuilder& PodBuilder::Select(std::vector<Container>& list, const std::string& name) {
  container_ = &list.emplace_back();
  container_->name = name;
  container_->image = "busybox:1.36";
  return *this;
}

PodBuilder& PodBuilder::AddContainer(const std::string& name) {
  return Select(spec().containers, name);
}

PodBuilder& PodBuilder::AddInitContainer(const std::string& name) {
  return Select(spec().init_containers, name);
}

PodBuilder& PodBuilder::Command(std::vector<std::string> command) {
  container_->command = std::move(command);
  return *this;
}

PodBuilder& PodBuilder::Args(std::vector<std::string> args) {
  container_->args = std::move(args);
  return *this;
}

PodBuilder& PodBuilder::Shell(const std::string& script) {
  return Command({"/bin/sh", "-c", script});
}

PodBuilder& PodBuilder::Env(const std::string& name, const std::string& value) {
  container_->env.push_back({name, value, {}});
  return *this;
}

PodBuilder& PodBuilder::Request(const std::string& resource, const std::string& quantity) {
  container_->resources.requests[resource] = quantity;
  return *this;
}

PodBuilder& PodBuilder::Limit(const std::string& resource, const std::string& quantity) {
  container_->resources.limits[resource] = quantity;
  return *this;
}

void PodBuilder::AddVolume(const std::string& name, VolumeSource source) {
  if (FindVolume(spec(), name) != nullptr) return;
  spec().volumes.push_back({name, std::move(source)});
}

ContainerData& PodBuilder::Data() {
  for (ContainerData& data : retrieved_.containers) {
    if (data.name == container_->name) return data;
  }
  ContainerData& data = retrieved_.containers.emplace_back();
  data.name = container_->name;
  return data;
}

PodBuilder& PodBuilder::Mount(const std::string& volume, const std::string& mount_path,
                              bool read_only) {
  VolumeMount& mount = container_->volume_mounts.emplace_back();
  mount.name = volume;
  mount.mount_path = mount_path;
  mount.read_only = read_only;
  return *this;
}

PodBuilder& PodBuilder::EmptyDir(const std::string& volume, const std::string& mount_path) {
  AddVolume(volume, EmptyDirVolume{});
  return Mount(volume, mount_path);
}

PodBuilder& PodBuilder::ConfigMap(const std::string& volume, const std::string& mount_path,
                                  const std::map<std::string, std::string>& files) {
  ConfigMapVolume source;
  source.name = volume;
  AddVolume(volume, std::move(source));
  Data().config_maps.push_back({volume, files});
  return Mount(volume, mount_path);
}

PodBuilder& PodBuilder::Secret(const std::string& volume, const std::string& mount_path,
                               const std::map<std::string, std::string>& files) {
  SecretVolume source;
  source.secret_name = volume;
  AddVolume(volume, std::move(source));
  Data().secrets.push_back({volume, files});
  return Mount(volume, mount_path);
}

}  // namespace podferry
