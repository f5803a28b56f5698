#include "plugin/cli_api.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/http/json_error.h"
#include "core/json/document.h"
#include "core/json/value.h"
#include "core/json/writer.h"
#include "core/wire/codec.h"
#include "plugin/cli_json.h"
#include "plugin/http_log.h"

namespace podferry {
namespace {

constexpr absl::Duration kTimelineTimeout = absl::Seconds(3);

HttpHandler Bind(auto* api, auto method) {
  return [api, method](HttpRequest request, ResponseWriter writer) {
    (api->*method)(std::move(request), std::move(writer));
  };
}

HttpResponse AnswerToSubmit(const CreateResult& result, const std::string& origin) {
  switch (result.kind) {
    case CreateResult::Kind::kRefused:
      return JsonError(result.message, result.issues);
    case CreateResult::Kind::kUnavailable:
      return JsonError(503, result.message);
    case CreateResult::Kind::kDeleted:
      return JsonError(409, absl::StrCat("a pod of the UID ", result.uid, " has been deleted"));
    case CreateResult::Kind::kCreated:
    case CreateResult::Kind::kExists:
      break;
  }
  std::string body;
  json::Writer out(&body);
  out.BeginObject();
  out.Field("uid", result.uid);
  out.Field("key", absl::StrCat(origin, "/", result.uid));
  out.EndObject();
  return HttpResponse::Json(200, std::move(body));
}

bool Flag(const HttpRequest& request, absl::string_view name, Issues& issues) {
  const absl::optional<std::string> text = request.QueryParam(name);
  bool value = false;
  if (text.has_value() && !absl::SimpleAtob(*text, &value)) {
    issues.Add(name, "want true or false");
  }
  return value;
}

int64_t Count(const HttpRequest& request, absl::string_view name, Issues& issues) {
  const absl::optional<std::string> text = request.QueryParam(name);
  int64_t value = -1;
  if (text.has_value() && (!absl::SimpleAtoi(*text, &value) || value < 0)) {
    issues.Add(name, "want a number from 0");
  }
  return value;
}

}  // namespace

CliApi::CliApi(EventLoop& loop, const Clock& clock, Bus& bus, JobService& service, LogRelay& logs,
               const PoolDirectory& directory, PoolFeed& feed, BundleMaker& bundles,
               wire::Subjects subjects, PluginStamp stamp)
    : loop_(loop),
      clock_(clock),
      bus_(bus),
      service_(service),
      logs_(logs),
      directory_(directory),
      feed_(feed),
      bundles_(bundles),
      subjects_(std::move(subjects)),
      stamp_(std::move(stamp)) {}

void CliApi::Register(HttpRouter& router, bool local) {
  router.Handle("GET", "/v1/jobs", Bind(this, &CliApi::ListJobs));
  router.Handle("POST", "/v1/jobs", Bind(this, &CliApi::SubmitJob));
  router.Handle("GET", "/v1/jobs/{job}", Bind(this, &CliApi::ShowJob));
  router.Handle("DELETE", "/v1/jobs/{job}", Bind(this, &CliApi::DeleteJob));
  router.Handle("GET", "/v1/jobs/{job}/timeline", Bind(this, &CliApi::ShowTimeline));
  router.Handle("GET", "/v1/pools", Bind(this, &CliApi::ListPools));
  router.Handle("POST", "/v1/pools/{pool}/forget", Bind(this, &CliApi::ForgetPool));
  router.Handle("GET", "/v1/logs", Bind(this, &CliApi::ShowLog));
  if (local) {
    router.Handle("GET", "/v1/jobs/{job}/bundle", Bind(this, &CliApi::ShowBundle));
    return;
  }
  router.Handle("GET", "/v1/jobs/{job}/bundle", [](HttpRequest, ResponseWriter writer) {
    writer.Send(JsonError(403,
                          "scripts hold secrets: they are shown on loopback addresses and "
                          "unix sockets only"));
  });
}

Job* CliApi::Find(absl::string_view name, ResponseWriter& writer) {
  Job* const job = service_.Lookup(name);
  if (job == nullptr) writer.Send(JsonError(404, absl::StrCat("no job is called ", name)));
  return job;
}

void CliApi::ListJobs(HttpRequest request, ResponseWriter writer) {
  const absl::optional<std::string> pool = request.QueryParam("pool");
  const absl::optional<std::string> phase = request.QueryParam("phase");
  if (phase.has_value() && ParseJobPhase(*phase) == JobPhase::kUnspecified) {
    return writer.Send(JsonError(400,
                                 "phase: want Queued, Reserved, Submitted, Running, "
                                 "Succeeded, Failed or Deleted"));
  }
  std::string body;
  json::Writer out(&body);
  out.BeginObject();
  out.Key("jobs");
  out.BeginArray();
  service_.table().ForEach([&](Job& job) {
    const JobDescription& description = job.record.job;
    if (pool.has_value() && description.pool != *pool) return;
    if (phase.has_value() && ToString(job.record.status.phase) != *phase) return;
    WriteJob(out, job, directory_.FindSubmitter(description.pool, job.record.owner),
             service_.Waiting(job), /*with_containers=*/false);
  });
  out.EndArray();
  out.EndObject();
  writer.Send(HttpResponse::Json(200, std::move(body)));
}

void CliApi::SubmitJob(HttpRequest request, ResponseWriter writer) {
  absl::StatusOr<json::Document> document = json::Document::Parse(request.body);
  if (!document.ok()) return writer.Send(JsonError(document.status()));
  Issues issues;
  const json::Value root = document->Root(&issues).RequireObject();
  const std::string pool(root.Get("pool").RequireString());
  root.Get("pod").RequireObject();
  if (!issues.empty()) return writer.Send(JsonError("want a pool and a pod", issues));
  service_.Submit(
      std::move(request.body), pool,
      [writer = std::move(writer), origin = stamp_.origin](CreateResult result) mutable {
        writer.Send(AnswerToSubmit(result, origin));
      });
}

void CliApi::ShowJob(HttpRequest request, ResponseWriter writer) {
  const Job* const job = Find(request.PathParam("job"), writer);
  if (job == nullptr) return;
  std::string body;
  json::Writer out(&body);
  WriteJob(out, *job, directory_.FindSubmitter(job->record.job.pool, job->record.owner),
           service_.Waiting(*job), /*with_containers=*/true);
  writer.Send(HttpResponse::Json(200, std::move(body)));
}

void CliApi::DeleteJob(HttpRequest request, ResponseWriter writer) {
  const Job* const job = Find(request.PathParam("job"), writer);
  if (job == nullptr) return;
  service_.Delete({.uid = job->uid()}, [writer = std::move(writer)](absl::Status status) mutable {
    writer.Send(status.ok() ? HttpResponse::Json(200, "{}") : JsonError(status));
  });
}

void CliApi::ShowTimeline(HttpRequest request, ResponseWriter writer) {
  const Job* const job = Find(request.PathParam("job"), writer);
  if (job == nullptr) return;
  const JobDescription& description = job->record.job;
  if (job->record.owner.empty()) {
    return writer.Send(HttpResponse::Json(200, RenderTimeline(job->record, {}, "")));
  }
  bus_.Request(
      subjects_.Job(description.pool, job->record.owner, "status", description.SubjectName()),
      wire::Encode(StatusRequest{stamp_, description.key}), kTimelineTimeout,
      [this, uid = job->uid(),
       writer = std::move(writer)](absl::StatusOr<std::string> answer) mutable {
        const Job* const job = service_.table().Find(uid);
        if (job == nullptr) return writer.Send(JsonError(404, "the job is gone"));
        absl::StatusOr<StatusReply> reply = answer.ok()
                                                ? wire::Decode<StatusReply>(*answer)
                                                : absl::StatusOr<StatusReply>(answer.status());
        writer.Send(HttpResponse::Json(
            200, reply.ok() ? RenderTimeline(job->record, reply->timeline,
                                             reply->known ? "" : "it does not know the job")
                            : RenderTimeline(job->record, {}, reply.status().message())));
      });
}

void CliApi::ShowBundle(HttpRequest request, ResponseWriter writer) {
  const Job* const job = Find(request.PathParam("job"), writer);
  if (job == nullptr) return;
  if (job->record.digest.empty()) {
    return writer.Send(JsonError(404,
                                 "its script is not made yet: that happens when it is first "
                                 "offered to its pool"));
  }
  bundles_.Load(job->uid(),
                [writer = std::move(writer)](absl::StatusOr<std::string> script) mutable {
                  writer.Send(script.ok() ? HttpResponse::Text(200, *std::move(script))
                                          : JsonError(script.status()));
                });
}

void CliApi::ListPools(HttpRequest, ResponseWriter writer) {
  std::string body;
  json::Writer out(&body);
  out.BeginObject();
  out.Field("holding", directory_.Holding());
  out.Key("pools");
  out.BeginArray();
  for (const auto& [name, pool] : directory_.pools()) {
    WritePool(out, pool, service_.queued(name));
  }
  out.EndArray();
  out.EndObject();
  writer.Send(HttpResponse::Json(200, std::move(body)));
}

void CliApi::ForgetPool(HttpRequest request, ResponseWriter writer) {
  const std::string pool(request.PathParam("pool"));
  const PoolInfo* const info = directory_.Find(pool);
  if (info != nullptr && info->live()) {
    return writer.Send(JsonError(
        409, absl::StrCat("pool ", pool, " is there: its jobs run on; stop its submitters first")));
  }
  if (!feed_.Forget(pool)) {
    return writer.Send(JsonError(404, absl::StrCat("no pool is called ", pool)));
  }
  writer.Send(HttpResponse::Json(200, "{}"));
}

void CliApi::ShowLog(HttpRequest request, ResponseWriter writer) {
  const Job* const job = Find(request.QueryParam("job").value_or(""), writer);
  if (job == nullptr) return;
  Issues issues;
  LogOptions options;
  options.container = request.QueryParam("container").value_or("");
  options.follow = Flag(request, "follow", issues);
  options.previous = Flag(request, "previous", issues);
  options.timestamps = Flag(request, "timestamps", issues);
  options.tail_lines = Count(request, "tail", issues);
  options.limit_bytes = Count(request, "limit_bytes", issues);
  const int64_t since = Count(request, "since_seconds", issues);
  if (since >= 0) options.since = clock_.Now() - absl::Seconds(since);
  if (!issues.empty()) return writer.Send(JsonError("the log request cannot be read", issues));
  // As kubectl does: the first one that is no init container.
  for (const ContainerSummary& container : job->record.job.containers) {
    if (options.container.empty() && !container.init) options.container = container.name;
  }
  AnswerWithLog(loop_, logs_, job->uid(), std::move(options), std::move(writer));
}

}  // namespace podferry
