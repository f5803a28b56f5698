#include "plugin/interlink_api.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/excerpt.h"
#include "core/base/failpoint.h"
#include "core/http/json_error.h"
#include "core/json/document.h"
#include "core/json/value.h"
#include "core/json/writer.h"
#include "core/pod/pod.h"
#include "core/pod/pod_parser.h"
#include "core/wire/codec.h"
#include "plugin/http_log.h"
#include "plugin/status_mapper.h"

namespace podferry {
namespace {

constexpr absl::Duration kShutdownAnswers = absl::Seconds(2);

// A header has no more room than this with others' servers in between.
constexpr size_t kLongestWarnings = 2000;

// Go's zero time.Time.
constexpr char kNoTime[] = "0001-01-01T00:00:00Z";

// What `kubectl describe node` shows by names of their own; all else is an accelerator.
bool IsPlainResource(absl::string_view name) {
  return name == "cpu" || name == "memory" || name == "pods";
}

HttpResponse AnswerToCreate(const CreateResult& result) {
  switch (result.kind) {
    case CreateResult::Kind::kRefused:
      return JsonError(result.message, result.issues);
    case CreateResult::Kind::kUnavailable:
      return JsonError(503, result.message);
    case CreateResult::Kind::kCreated:
    case CreateResult::Kind::kExists:
    case CreateResult::Kind::kDeleted:
      break;
  }
  std::string body;
  json::Writer out(&body);
  out.BeginObject();
  out.Field("PodUID", result.uid);
  out.Field("PodJID", result.uid);
  out.EndObject();
  return HttpResponse::Json(200, std::move(body));
}

HttpHandler Bind(auto* api, auto method) {
  return [api, method](HttpRequest request, ResponseWriter writer) {
    (api->*method)(std::move(request), std::move(writer));
  };
}

// The pod as it stands in the request, whole: only for those that nobody knows.
std::string LostPod(const json::Value& value, absl::Time now) {
  Issues ignored;
  absl::StatusOr<Pod> pod = ParsePod(value.ToJson(), &ignored);
  return pod.ok() ? RenderLostPod(*pod, now) : "";
}

// interLink puts the states of several init containers in the wrong places the first time it hears
// of them, unless all of them wait. Once is enough: it asks again five seconds later.
bool SeesInitContainersFirst(const json::Value& pod) {
  return pod.Get("spec").Get("initContainers").Items().size() > 1 &&
         pod.Get("status").Get("initContainerStatuses").Items().empty();
}

}  // namespace

InterLinkApi::InterLinkApi(EventLoop& loop, const Clock& clock, Bus& bus, JobService& service,
                           LogRelay& logs, const PoolDirectory& directory, ScriptBuilder& scripts,
                           wire::Subjects subjects, PluginStamp stamp)
    : loop_(loop),
      clock_(clock),
      bus_(bus),
      service_(service),
      logs_(logs),
      directory_(directory),
      scripts_(scripts),
      subjects_(std::move(subjects)),
      stamp_(std::move(stamp)) {}

void InterLinkApi::Register(HttpRouter& router) {
  router.Handle("POST", "/create", Bind(this, &InterLinkApi::Create));
  router.Handle("POST", "/delete", Bind(this, &InterLinkApi::Delete));
  router.Handle("POST", "/interlink/apptainer-cmd-builder", Bind(this, &InterLinkApi::BuildScript));
  for (const char* method : {"GET", "POST"}) {
    router.Handle(method, "/status", Bind(this, &InterLinkApi::Status));
    router.Handle(method, "/getLogs", Bind(this, &InterLinkApi::GetLogs));
    router.Handle(method, "/shutdown/{subject}", Bind(this, &InterLinkApi::Shutdown));
  }
}

void InterLinkApi::Create(HttpRequest request, ResponseWriter writer) {
  service_.Create(std::move(request.body),
                  [writer = std::move(writer)](CreateResult result) mutable {
                    Failpoint("plugin.create.before_reply");
                    writer.Send(AnswerToCreate(result));
                    Failpoint("plugin.create.after_reply");
                  });
}

void InterLinkApi::Delete(HttpRequest request, ResponseWriter writer) {
  Issues ignored;  // of what is deleted, only the name matters
  absl::StatusOr<std::vector<Pod>> pods = ParsePodList(request.body, &ignored);
  if (!pods.ok()) return writer.Send(JsonError(pods.status()));
  if (pods->size() != 1) return writer.Send(JsonError(400, "want one pod"));
  const Pod& pod = pods->front();
  JobService::DeleteRequest deletion{.uid = pod.metadata.uid,
                                     .pod_namespace = pod.metadata.namespace_name,
                                     .pod_name = pod.metadata.name,
                                     .pool = PoolOf(pod)};
  if (pod.metadata.deletion_grace_period_seconds.has_value()) {
    deletion.grace = absl::Seconds(*pod.metadata.deletion_grace_period_seconds);
  }
  service_.Delete(std::move(deletion), [writer = std::move(writer)](absl::Status status) mutable {
    writer.Send(status.ok() ? HttpResponse::Json(200, "{}") : JsonError(status));
  });
}

void InterLinkApi::Status(HttpRequest request, ResponseWriter writer) {
  absl::StatusOr<json::Document> document = json::Document::Parse(request.body);
  if (!document.ok()) return writer.Send(JsonError(document.status()));
  Issues issues;
  const json::Value root = document->Root(&issues);
  std::string answer = "[";
  const auto add = [&](const json::Value& pod) {
    const json::Value metadata = pod.Get("metadata");
    const absl::string_view uid = metadata.Get("uid").StringOr("");
    absl::string_view status = service_.Poll(uid);
    std::string lost;
    if (status.empty() && !metadata.Get("annotations").Get("JobID").StringOr("").empty() &&
        service_.PollUnknown(uid)) {
      lost = LostPod(pod, clock_.Now());
      status = lost;
    }
    if (status.empty()) return;
    std::string first;
    Job* const job = service_.table().Find(uid);
    if (job != nullptr && SeesInitContainersFirst(pod) && !std::exchange(job->was_shown, true)) {
      first = RenderNothingStarted(job->record.job);
      status = first;
    }
    if (answer.size() > 1) answer.push_back(',');
    absl::StrAppend(&answer, status);
  };
  if (root.kind() == json::Kind::kObject) {
    add(root);
  } else {
    const auto pods = root.Items();
    if (issues.empty() && pods.empty()) {
      return writer.Send(HttpResponse::Json(200, RenderPing(directory_.TotalCapacity())));
    }
    for (const json::Value pod : pods) add(pod.RequireObject());
  }
  if (!issues.empty()) return writer.Send(JsonError("want a list of pods", issues));
  answer.push_back(']');
  writer.Send(HttpResponse::Json(200, std::move(answer)));
}

std::string RenderPing(const std::map<std::string, std::string>& capacity) {
  if (capacity.empty()) return "[]";
  std::string text;
  json::Writer out(&text);
  out.BeginObject();
  out.Field("status", "ok");
  out.Key("resources");
  out.BeginObject();
  for (const auto& [resource, quantity] : capacity) {
    if (IsPlainResource(resource)) out.Field(resource, quantity);
  }
  out.Key("accelerators");
  out.BeginArray();
  for (const auto& [resource, quantity] : capacity) {
    if (IsPlainResource(resource)) continue;
    out.BeginObject();
    out.Field("resourceType", resource);
    out.Field("available", quantity);
    out.EndObject();
  }
  out.EndArray();
  out.EndObject();
  out.Key("taints");
  out.BeginArray();
  out.EndArray();
  out.EndObject();
  return text;
}

absl::StatusOr<LogQuery> ParseLogStruct(absl::string_view body, absl::Time now, Issues* issues) {
  absl::StatusOr<json::Document> document = json::Document::Parse(body);
  if (!document.ok()) return document.status();
  LogQuery query;
  const json::Value root = document->Root(issues).RequireObject();
  query.uid = std::string(root.Get("PodUID").RequireString());
  query.options.container = std::string(root.Get("ContainerName").RequireString());
  const json::Value opts = root.Get("Opts");
  const auto count = [&](absl::string_view key) {
    const json::Value value = opts.Get(key);
    const int64_t number = value.Int64Or(0);
    if (number < 0) value.AddIssue("want a number from 0");
    return number;
  };
  LogOptions& options = query.options;
  options.follow = opts.Get("Follow").BoolOr(false);
  options.previous = opts.Get("Previous").BoolOr(false);
  options.timestamps = opts.Get("Timestamps").BoolOr(false);
  // In interLink's form zero is "not said".
  if (const int64_t tail = count("Tail"); tail > 0) options.tail_lines = tail;
  if (const int64_t bytes = count("Bytes"); bytes > 0) options.limit_bytes = bytes;
  if (const int64_t seconds = count("SinceSeconds"); seconds > 0) {
    options.since = now - absl::Seconds(seconds);
  }
  const json::Value since = opts.Get("SinceTime");
  const absl::string_view text = since.StringOr("");
  if (!text.empty() && text != kNoTime) {
    std::string error;
    if (!absl::ParseTime(absl::RFC3339_full, text, &options.since, &error)) {
      since.AddIssue("want a time as in RFC 3339");
    }
  }
  return query;
}

void InterLinkApi::GetLogs(HttpRequest request, ResponseWriter writer) {
  Issues issues;
  absl::StatusOr<LogQuery> query = ParseLogStruct(request.body, clock_.Now(), &issues);
  if (!query.ok()) return writer.Send(JsonError(query.status()));
  if (!issues.empty()) return writer.Send(JsonError("the log request cannot be read", issues));
  AnswerWithLog(loop_, logs_, query->uid, std::move(query->options), std::move(writer));
}

void InterLinkApi::Shutdown(HttpRequest request, ResponseWriter writer) {
  const std::string subject = subjects_.Shutdown(request.PathParam("subject"));
  const uint64_t id = next_id_++;
  auto answers = std::make_shared<std::map<std::string, std::string>>();  // submitter -> message
  shutdowns_[id] = nullptr;
  std::unique_ptr<Bus::Handle> handle = bus_.RequestMany(
      subject, wire::Encode(podferry::Shutdown{stamp_, "asked for at the plugin's API"}),
      kShutdownAnswers,
      [answers](std::string payload) {
        absl::StatusOr<ShutdownReply> reply = wire::Decode<ShutdownReply>(payload);
        if (reply.ok()) (*answers)[reply->by.id] = reply->message;
      },
      [this, id, answers, writer = std::move(writer)]() mutable {
        auto ended = shutdowns_.extract(id);  // with it goes this very function, at the end
        std::string body;
        json::Writer out(&body);
        out.BeginObject();
        out.Key("submitters");
        out.BeginObject();
        for (const auto& [submitter, message] : *answers) out.Field(submitter, message);
        out.EndObject();
        out.EndObject();
        writer.Send(HttpResponse::Json(answers->empty() ? 404 : 200, std::move(body)));
      });
  shutdowns_[id] = std::move(handle);
}

void InterLinkApi::BuildScript(HttpRequest request, ResponseWriter writer) {
  scripts_.Build(std::move(request.body), [writer = std::move(writer)](BuiltScript built) mutable {
    if (!built.status.ok()) return writer.Send(JsonError(built.status));
    if (!built.issues.empty()) {
      return writer.Send(JsonError("the pod cannot be translated", built.issues));
    }
    HttpResponse response = HttpResponse::Text(200, std::move(built.script));
    if (!built.warnings.empty()) {
      response.headers.Set("Podferry-Warnings",
                           QuotedExcerpt(absl::StrJoin(built.warnings, "; "), kLongestWarnings));
    }
    writer.Send(std::move(response));
  });
}

}  // namespace podferry
