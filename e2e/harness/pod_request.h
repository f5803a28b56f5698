#ifndef PODFERRY_E2E_HARNESS_POD_REQUEST_H_
#define PODFERRY_E2E_HARNESS_POD_REQUEST_H_

#include <map>
#include <string>
#include <vector>

namespace podferry::e2e {

struct ContainerRequest {
  std::string name = "main";
  std::vector<std::string> command = {};
  std::vector<std::pair<std::string, std::string>> env = {};
  std::map<std::string, std::string> mounts = {};       // volume -> mountPath
  std::map<std::string, std::string> config_maps = {};  // object name -> JSON of the ConfigMap
  std::map<std::string, std::string> secrets = {};      // object name -> JSON of the Secret
  std::map<std::string, std::string> projected = {};    // volume -> JSON of its ConfigMap
  std::string image = "busybox:1.36";
  std::vector<std::string> args = {};
  std::map<std::string, std::string> more = {};  // further members: name -> JSON
};

// A pod as interLink sends it to /create (facts: RetrievedPodData), with what a test wants to vary.
struct PodRequest {
  PodRequest();  // a fresh UID

  // A pod of one container that runs `script` in a shell.
  static PodRequest Shell(const std::string& name, const std::string& script);

  std::string name = "pod";
  std::string pod_namespace = "default";
  std::string uid;
  std::string pool = "pool-a";
  int grace_seconds = 30;
  std::vector<ContainerRequest> init_containers;
  std::vector<ContainerRequest> containers;
  std::string volumes = "[]";  // spec.volumes as JSON
  std::string restart_policy = "Never";
  std::string annotations = "{}";  // as JSON

  std::string PodJson() const;     // the v1.Pod
  std::string CreateBody() const;  // of POST /create
  std::string StatusBody() const;  // of GET /status: [pod]
  std::string LogBody(const std::string& container, const std::string& options = "{}") const;
};

}  // namespace podferry::e2e

#endif  // PODFERRY_E2E_HARNESS_POD_REQUEST_H_
