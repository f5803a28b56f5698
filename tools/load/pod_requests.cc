#include "tools/load/pod_requests.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "core/json/writer.h"

namespace podferry::load {
namespace {

// As long as what takes their place, and nothing else in a request looks like them.
constexpr absl::string_view kName = "load-NNNNNNNN-NNNNNNNN";
constexpr absl::string_view kUid = "UUUUUUUU-UUUU-4UUU-8UUU-UUUUUUUUUUUU";

// What interLink's API server sends for a pod of one container, in the order of its keys.
constexpr absl::string_view kCreate =
    R"json({"pod":{"metadata":{"name":"$NAME","namespace":"default",
"uid":"$UID","resourceVersion":"248","generation":1,"creationTimestamp":"2026-01-01T00:00:00Z",
"labels":{"app":"load"},"annotations":{"podferry.dev/padding":"$PADDING"}},"spec":{"containers":[{"name":"main",
"image":"busybox:1.36","command":["/bin/sh","-c"],"args":["true"],"resources":{"limits":{"cpu":"1m",
"memory":"1Mi"},"requests":{"cpu":"1m","memory":"1Mi"}},"terminationMessagePath":"/dev/termination-log",
"terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}],"restartPolicy":"Never",
"terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","nodeSelector":{"kubernetes.io/hostname":"vk"},
"serviceAccountName":"default","serviceAccount":"default","nodeName":"vk","securityContext":{},
"schedulerName":"default-scheduler","tolerations":[{"key":"virtual-node.interlink/no-schedule",
"operator":"Exists"},{"key":"pool.vk.io","operator":"Equal","value":$POOL,"effect":"NoSchedule"}],
"priority":0,"enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority"},"status":{"phase":"Pending",
"hostIP":"127.0.0.1","podIP":"127.0.0.1","startTime":"2026-01-01T00:00:00Z"}},"container":[{"name":"main",
"configMaps":null,"projectedvolumemaps":null,"secrets":null,"emptyDirs":null}],"jobConfig":{"SingularityHubProxy":
{"server":"","master_token":"","cache_validity_seconds":0},"ApptainerOptions":{"executable":"","fakeroot":false,
"containall":false,"fuseMode":"","noInit":false,"noHome":false,"noPrivs":false,"nvidiaSupport":false,
"cleanenv":false,"unsquash":false},"Volumes":{"scratch_area":"","apptainer_cachedir":"","image_dir":"",
"additional_directories_in_path":null,"fuse_sleep_seconds":0}}})json";

constexpr absl::string_view kStatus = R"json({"metadata":{"name":"$NAME","namespace":"default",
"uid":"$UID","annotations":{"JobID":"$UID"}},"spec":{"containers":[{"name":"main","image":"busybox:1.36"}],
"restartPolicy":"Never","nodeName":"vk"},"status":{"phase":"Pending"}})json";

std::string Fill(absl::string_view text, absl::string_view pool, absl::string_view padding) {
  return absl::StrReplaceAll(text, {{"\n", ""},
                                    {"$NAME", kName},
                                    {"$UID", kUid},
                                    {"$POOL", json::Quote(pool)},
                                    {"$PADDING", padding}});
}

void Put(absl::string_view value, size_t at, std::string* text) {
  std::copy(value.begin(), value.end(), text->begin() + at);
}

}  // namespace

std::string PodName(uint32_t run, uint32_t number) {
  return absl::StrFormat("load-%08x-%08x", run, number);
}

std::string PodUid(uint32_t run, uint32_t number) {
  return absl::StrFormat("%08x-0000-4000-8000-0000%08x", run, number);
}

RequestTemplate RequestTemplate::Create(absl::string_view host, absl::string_view pool,
                                        size_t body_bytes) {
  const size_t bare = Fill(kCreate, pool, "").size();
  const std::string padding(body_bytes > bare ? body_bytes - bare : 0, 'x');
  return RequestTemplate("POST", "/create", host, Fill(kCreate, pool, padding), 1);
}

RequestTemplate RequestTemplate::Status(absl::string_view host, size_t pods) {
  const std::string pod = Fill(kStatus, "", "");
  std::string body = "[";
  for (size_t i = 0; i < pods; ++i) absl::StrAppend(&body, i == 0 ? "" : ",", pod);
  body += "]";
  return RequestTemplate("GET", "/status", host, body, pods);
}

RequestTemplate RequestTemplate::Ping(absl::string_view host) { return Status(host, 0); }

RequestTemplate::RequestTemplate(absl::string_view method, absl::string_view path,
                                 absl::string_view host, absl::string_view body, size_t pods)
    : pods_(pods) {
  text_ = absl::StrCat(method, " ", path, " HTTP/1.1\r\nHost: ", host,
                       "\r\nContent-Type: application/json\r\nContent-Length: ", body.size(),
                       "\r\nUser-Agent: podferry-load\r\n\r\n");
  body_at_ = text_.size();
  text_.append(body.data(), body.size());
  // A pod's name stands ahead of its UIDs, so names count the pods.
  size_t pod = 0;
  for (size_t at = body_at_; at < text_.size();) {
    const absl::string_view rest = absl::string_view(text_).substr(at);
    const size_t name = rest.find(kName);
    const size_t uid = rest.find(kUid);
    if (name < uid) {
      names_.emplace_back(at + name, pod++);
      at += name + kName.size();
    } else if (uid != absl::string_view::npos) {
      uids_.emplace_back(at + uid, pod - 1);
      at += uid + kUid.size();
    } else {
      break;
    }
  }
}

absl::string_view RequestTemplate::For(uint32_t run, uint32_t first) {
  for (const auto& [at, pod] : names_) Put(PodName(run, first + pod), at, &text_);
  for (const auto& [at, pod] : uids_) Put(PodUid(run, first + pod), at, &text_);
  return text_;
}

}  // namespace podferry::load
