// Pods for tests, valid from the start: PodBuilder().Args({"-c", "exit 3"}).EmptyDir("tmp",
// "/tmp").Build(). The first container is called "main"; what has no word here is set on pod().

#ifndef PODFERRY_CORE_POD_TESTING_POD_BUILDER_H_
#define PODFERRY_CORE_POD_TESTING_POD_BUILDER_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/pod/retrieved_pod.h"

namespace podferry {

class PodBuilder {
 public:
  explicit PodBuilder(const std::string& name = "simple", const std::string& pool = "pool-a");

  PodBuilder(const PodBuilder&) = delete;
  PodBuilder& operator=(const PodBuilder&) = delete;

  // The whole, to change what no method below changes.
  RetrievedPod& retrieved() { return retrieved_; }
  Pod& pod() { return retrieved_.pod; }
  PodSpec& spec() { return retrieved_.pod.spec; }
  // The container that the methods below change: "main" until AddContainer() adds another.
  Container& container() { return *container_; }

  PodBuilder& Uid(const std::string& uid);
  PodBuilder& Pool(const std::string& pool);  // replaces all tolerations
  PodBuilder& Label(const std::string& key, const std::string& value);
  PodBuilder& Annotation(const std::string& key, const std::string& value);
  PodBuilder& RestartPolicy(const std::string& policy);

  PodBuilder& AddContainer(const std::string& name);
  PodBuilder& AddInitContainer(const std::string& name);
  PodBuilder& Command(std::vector<std::string> command);
  PodBuilder& Args(std::vector<std::string> args);
  // `sh -c script`.
  PodBuilder& Shell(const std::string& script);
  PodBuilder& Env(const std::string& name, const std::string& value);
  PodBuilder& Request(const std::string& resource, const std::string& quantity);
  PodBuilder& Limit(const std::string& resource, const std::string& quantity);

  // Adds the volume if it is new, and mounts it in the current container, with its data.
  PodBuilder& EmptyDir(const std::string& volume, const std::string& mount_path);
  PodBuilder& ConfigMap(const std::string& volume, const std::string& mount_path,
                        const std::map<std::string, std::string>& files);
  PodBuilder& Secret(const std::string& volume, const std::string& mount_path,
                     const std::map<std::string, std::string>& files);
  PodBuilder& Mount(const std::string& volume, const std::string& mount_path,
                    bool read_only = false);

  RetrievedPod Build() const { return retrieved_; }

 private:
  void AddVolume(const std::string& name, VolumeSource source);
  ContainerData& Data();
  PodBuilder& Select(std::vector<Container>& list, const std::string& name);

  RetrievedPod retrieved_;
  Container* container_ = nullptr;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_POD_TESTING_POD_BUILDER_H_
