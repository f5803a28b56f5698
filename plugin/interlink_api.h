// interLink's plugin API, as its daemons really call it (July 2026, after 0.6.1): JSON in, JSON
// out, over JobService. What they send is measured in core/testdata/interlink.
//
//   POST /create              RetrievedPodData, or a list of one -> {"PodUID", "PodJID"}
//   POST /delete              v1.Pod -> 200, known or not
//   GET, POST /status         list of v1.Pod -> list of PodStatus; [] is the ping -> capacity
//   GET, POST /getLogs        LogStruct -> text
//   GET, POST /shutdown/{subject}                   what submitters answer
//   POST /interlink/apptainer-cmd-builder           RetrievedPodData -> the script
//
// Anything but 200 makes interLink fail a pod for good, so an error of a create is only for what
// can never work. Owned by the daemon; event loop's thread only.

#ifndef PODFERRY_PLUGIN_INTERLINK_API_H_
#define PODFERRY_PLUGIN_INTERLINK_API_H_

#include <map>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/base/issues.h"
#include "core/http/http_message.h"
#include "core/http/response_writer.h"
#include "core/http/router.h"
#include "core/job/log_options.h"
#include "core/nats/bus.h"
#include "core/os/event_loop.h"
#include "core/wire/messages.h"
#include "core/wire/subjects.h"
#include "plugin/job_service.h"
#include "plugin/log_relay.h"
#include "plugin/pool_directory.h"
#include "plugin/script_builder.h"

namespace podferry {

class InterLinkApi {
 public:
  InterLinkApi(EventLoop& loop, const Clock& clock, Bus& bus, JobService& service, LogRelay& logs,
               const PoolDirectory& directory, ScriptBuilder& scripts, wire::Subjects subjects,
               PluginStamp stamp);

  void Register(HttpRouter& router);

 private:
  void Create(HttpRequest request, ResponseWriter writer);
  void Delete(HttpRequest request, ResponseWriter writer);
  void Status(HttpRequest request, ResponseWriter writer);
  void GetLogs(HttpRequest request, ResponseWriter writer);
  void Shutdown(HttpRequest request, ResponseWriter writer);
  void BuildScript(HttpRequest request, ResponseWriter writer);

  EventLoop& loop_;
  const Clock& clock_;
  Bus& bus_;
  JobService& service_;
  LogRelay& logs_;
  const PoolDirectory& directory_;
  ScriptBuilder& scripts_;
  const wire::Subjects subjects_;
  const PluginStamp stamp_;
  absl::flat_hash_map<uint64_t, std::unique_ptr<Bus::Handle>> shutdowns_;
  uint64_t next_id_ = 1;
};

// The ping's answer: what the node can offer, {"status", "resources", "taints"}; [] while no pool
// is known, which leaves the node as it is.
std::string RenderPing(const std::map<std::string, std::string>& capacity);

// interLink's LogStruct as options, with the pod's UID. Adds what is wrong to `issues`.
struct LogQuery {
  std::string uid;
  LogOptions options;
};
absl::StatusOr<LogQuery> ParseLogStruct(absl::string_view body, absl::Time now, Issues* issues);

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_INTERLINK_API_H_
