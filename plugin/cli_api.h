// What `podferry` asks the plugin, in JSON under /v1. A job is named by its UID, "origin/uid" or
// "namespace/name", percent-encoded into one segment.
//
//   GET    /v1/jobs?pool=&phase=      {"jobs": [...]}
//   POST   /v1/jobs                   {"pool", "pod": a v1.Pod, "container": its volumes' data, as
//                                    interLink's /create} -> {"uid", "key"}
//   GET    /v1/jobs/{job}             one of them, with its containers
//   DELETE /v1/jobs/{job}             200 once the delete is durable
//   GET    /v1/jobs/{job}/timeline    {"timeline": [{"time", "at", "event"}]}: both journals
//   GET    /v1/jobs/{job}/bundle      the exact script; it holds secrets: local listeners only
//   GET    /v1/pools                  {"pools": [...]}
//   POST   /v1/pools/{pool}/forget    ends every job and delete of a pool that is gone
//   GET    /v1/logs?job=&container=&follow=&previous=&timestamps=&tail=&since_seconds=&limit_bytes=
//
// Owned by the daemon; event loop's thread only.

#ifndef PODFERRY_PLUGIN_CLI_API_H_
#define PODFERRY_PLUGIN_CLI_API_H_

#include "core/base/clock.h"
#include "core/http/http_message.h"
#include "core/http/response_writer.h"
#include "core/http/router.h"
#include "core/nats/bus.h"
#include "core/os/event_loop.h"
#include "core/wire/messages.h"
#include "core/wire/subjects.h"
#include "plugin/bundle_maker.h"
#include "plugin/job_service.h"
#include "plugin/log_relay.h"
#include "plugin/pool_directory.h"
#include "plugin/pool_feed.h"

namespace podferry {

class CliApi {
 public:
  CliApi(EventLoop& loop, const Clock& clock, Bus& bus, JobService& service, LogRelay& logs,
         const PoolDirectory& directory, PoolFeed& feed, BundleMaker& bundles,
         wire::Subjects subjects, PluginStamp stamp);

  // `local`: whoever can connect may see secrets.
  void Register(HttpRouter& router, bool local);

 private:
  void ListJobs(HttpRequest request, ResponseWriter writer);
  void SubmitJob(HttpRequest request, ResponseWriter writer);
  void ShowJob(HttpRequest request, ResponseWriter writer);
  void DeleteJob(HttpRequest request, ResponseWriter writer);
  void ShowTimeline(HttpRequest request, ResponseWriter writer);
  void ShowBundle(HttpRequest request, ResponseWriter writer);
  void ListPools(HttpRequest request, ResponseWriter writer);
  void ForgetPool(HttpRequest request, ResponseWriter writer);
  void ShowLog(HttpRequest request, ResponseWriter writer);

  // The job named in the path, or null, with the error answered.
  Job* Find(absl::string_view name, ResponseWriter& writer);

  EventLoop& loop_;
  const Clock& clock_;
  Bus& bus_;
  JobService& service_;
  LogRelay& logs_;
  const PoolDirectory& directory_;
  PoolFeed& feed_;
  BundleMaker& bundles_;
  const wire::Subjects subjects_;
  const PluginStamp stamp_;
};

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_CLI_API_H_
