#include "core/pod/testing/fuzz_pods.h"

#include <algorithm>
#include <string>

#include "core/json/testing/json_mutator.h"

namespace podferry {

const std::vector<absl::string_view>& PodMembers() {
  static const auto& members = *new std::vector<absl::string_view>{
      // The pod.
      R"J("annotations":{"fuse.vk.io/data":"#!/bin/sh\nmount $1 $2\n","cvmfs.vk.io/conf":"/cvmfs"})J",
      R"J("annotations":{"slurm-job.vk.io/pre-exec":"module load x","slurm-job.vk.io/flags":"-p q"})J",
      R"J("annotations":{"interlink.eu/wstunnel-client-commands":"wstunnel client"})J",
      R"J("labels":{"user":"alice","kueue.x-k8s.io/queue-name":"q"})J",
      R"J("restartPolicy":"OnFailure")J",
      R"J("restartPolicy":"Always")J",
      R"J("activeDeadlineSeconds":5)J",
      R"J("terminationGracePeriodSeconds":0)J",
      R"J("hostname":"h")J",
      R"J("subdomain":"sub")J",
      R"J("setHostnameAsFQDN":true)J",
      R"J("hostAliases":[{"ip":"10.0.0.1","hostnames":["a","b.c"]}])J",
      R"J("hostNetwork":true)J",
      R"J("shareProcessNamespace":true)J",
      R"J("overhead":{"cpu":"1","memory":"1Mi"})J",
      R"J("imagePullSecrets":[{"name":"pull"}])J",
      R"J("initContainers":[{"name":"init","image":"busybox","command":["true"]}])J",
      // A container.
      R"J("command":["sh","-c","echo $(A)"])J",
      R"J("args":["$(B)","$$(B)",""])J",
      R"J("workingDir":"/w/./x")J",
      R"J("stdin":true)J",
      R"J("tty":true)J",
      R"J("imagePullPolicy":"Never")J",
      R"J("image":"docker.io/library/debian@sha256:0000000000000000000000000000000000000000000000000000000000000000")J",
      R"J("env":[{"name":"A","value":"1"},{"name":"B","value":"$(A)"},{"name":"C"}])J",
      R"J("env":[{"name":"N","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}])J",
      R"J("env":[{"name":"M","valueFrom":{"resourceFieldRef":{"resource":"limits.memory","divisor":"1Mi"}}}])J",
      R"J("resources":{"limits":{"memory":"64Mi","nvidia.com/gpu":"1"},"requests":{"cpu":"1.5"}})J",
      R"J("livenessProbe":{"exec":{"command":["true"]},"periodSeconds":1})J",
      R"J("readinessProbe":{"httpGet":{"path":"/ready","port":8080,"httpHeaders":[{"name":"X","value":"y"}]}})J",
      R"J("startupProbe":{"tcpSocket":{"port":"web"},"failureThreshold":30})J",
      R"J("livenessProbe":{"grpc":{"port":9000,"service":"s"}})J",
      R"J("ports":[{"name":"web","containerPort":8080,"protocol":"TCP"}])J",
      R"J("lifecycle":{"postStart":{"exec":{"command":["true"]}},"preStop":{"sleep":{"seconds":1}}})J",
      R"J("lifecycle":{"preStop":{"httpGet":{"port":80}},"stopSignal":"SIGUSR1"})J",
      R"J("securityContext":{"runAsUser":1000,"runAsGroup":1000,"runAsNonRoot":true})J",
      R"J("securityContext":{"privileged":true})J",
      R"J("securityContext":{"readOnlyRootFilesystem":true,"capabilities":{"drop":["ALL"],"add":["NET_ADMIN"]}})J",
      R"J("terminationMessagePath":"/dev/log")J",
      R"J("terminationMessagePolicy":"FallbackToLogsOnError")J",
      // Volumes and mounts.
      R"J("volumeMounts":[{"name":"data","mountPath":"/data","subPath":"a/b"},{"name":"conf","mountPath":"/data/conf"}])J",
      R"J("volumeMounts":[{"name":"data","mountPath":"/d","subPathExpr":"$(A)/x","readOnly":true}])J",
      R"J("mountPropagation":"HostToContainer")J",
      R"J("recursiveReadOnly":"Enabled")J",
      R"J("volumes":[{"name":"data","emptyDir":{}},{"name":"conf","configMap":{"name":"c","optional":true}}])J",
      R"J("volumes":[{"name":"data","hostPath":{"path":"/data","type":"Directory"}}])J",
      R"J("volumes":[{"name":"data","persistentVolumeClaim":{"claimName":"claim"}}])J",
      R"J("volumes":[{"name":"data","nfs":{"server":"s","path":"/export"}}])J",
      R"J("volumes":[{"name":"data","emptyDir":{"medium":"Memory","sizeLimit":"1Gi"}}])J",
      R"J("volumes":[{"name":"data","projected":{"sources":[{"downwardAPI":{"items":[{"path":"n","fieldRef":{"fieldPath":"metadata.labels['user']"}}]}}]}}])J",
      R"J("items":[{"key":"k","path":"p/q","mode":256}])J",
      R"J("defaultMode":511)J",
      R"J("optional":true)J",
      // Beside the pod.
      R"J("configMaps":[{"metadata":{"name":"c"},"data":{"k":"text"},"binaryData":{"b":"AAEC/w=="}}])J",
      R"J("secrets":[{"metadata":{"name":"s"},"data":{"k":"cEBzcw=="},"type":"Opaque"}])J",
      R"J("projectedvolumemaps":[{"metadata":{"name":"data"},"data":{"n":"alice"}}])J",
      R"J("jobScript":"#!/bin/bash\nexit 3\n")J",
      R"J("jobConfig":{"Volumes":{"scratch_area":"/s"},"ApptainerOptions":{"executable":"/a b","fakeroot":true}})J",
  };
  return members;
}

size_t MutatePodJson(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string changed = json::MutateJson(text, PodMembers(), seed);
  if (changed.size() > max_size) return 0;
  std::copy(changed.begin(), changed.end(), data);
  return changed.size();
}

}  // namespace podferry
