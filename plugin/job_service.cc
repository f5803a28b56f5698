#include "plugin/job_service.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/excerpt.h"
#include "core/base/failpoint.h"
#include "core/base/ids.h"
#include "core/base/redact.h"
#include "core/json/document.h"
#include "core/pod/names.h"
#include "core/pod/pod_validator.h"
#include "core/translate/translate.h"
#include "glog/logging.h"
#include "plugin/pod_body.h"
#include "plugin/status_mapper.h"
#include "plugin/store_keys.h"

namespace podferry {
namespace {

using Kind = CreateResult::Kind;

CreateResult Refused(const RetrievedPod& pod, Issues issues) {
  return {.kind = Kind::kRefused,
          .uid = pod.pod.metadata.uid,
          .issues = std::move(issues),
          .message = "the pod cannot be accepted"};
}

CreateResult Unreadable(const absl::Status& status) {
  return {.kind = Kind::kRefused, .message = std::string(status.message())};
}

CreateResult Unavailable(const std::string& uid, const absl::Status& status) {
  return {.kind = Kind::kUnavailable,
          .uid = uid,
          .message = absl::StrCat("the job cannot be stored now: ", status.message())};
}

constexpr size_t kLongestLogged = 1000;

// What is shown does not depend on the directory once somebody has the job.
constexpr uint64_t kAlways = ~uint64_t{0};

}  // namespace

JobService::JobService(const Clock& clock, JobTable& table, Dispatcher& dispatcher,
                       Janitor& janitor, std::string origin)
    : clock_(clock),
      table_(table),
      dispatcher_(dispatcher),
      janitor_(janitor),
      origin_(std::move(origin)) {}

void JobService::Answer(CreateDone& done, CreateResult result) {
  if (watcher_) watcher_(result.kind);
  if (result.kind == Kind::kRefused) {
    // Paths and words about them; nothing of the pod's values that is secret stands in an issue.
    const std::string why = result.issues.empty() ? "" : ": " + result.issues.ToString();
    LOG(WARNING) << "refused a create" << (result.uid.empty() ? "" : " of pod ") << result.uid
                 << ": " << Excerpt(RedactUrls(result.message + why), kLongestLogged);
  }
  done(std::move(result));
}

void JobService::Create(std::string body, CreateDone done) {
  Issues issues;
  absl::StatusOr<RetrievedPod> pod = AdmitPod(body, &issues);
  if (!pod.ok()) return Answer(done, Unreadable(pod.status()));
  if (!issues.empty()) return Answer(done, Refused(*pod, std::move(issues)));
  Admit(*std::move(pod), std::move(body), JobSource::kInterLink, std::move(done));
}

void JobService::Submit(std::string body, absl::string_view pool, CreateDone done) {
  Issues issues;
  std::string uid;
  absl::StatusOr<json::Document> document = json::Document::Parse(body);
  if (document.ok() && document->Root(nullptr).kind() == json::Kind::kObject) {
    uid = std::string(document->Root(nullptr).Get("pod").Get("metadata").Get("uid").StringOr(""));
  }
  if (uid.empty()) uid = NewUuid();
  absl::StatusOr<RetrievedPod> pod = AdmitManifest(body, pool, uid, &issues);
  if (!pod.ok()) return Answer(done, Unreadable(pod.status()));
  if (!issues.empty()) return Answer(done, Refused(*pod, std::move(issues)));
  Admit(*std::move(pod), std::move(body), JobSource::kCli, std::move(done));
}

void JobService::Admit(RetrievedPod pod, std::string body, JobSource source, CreateDone done) {
  std::string uid = pod.pod.metadata.uid;
  if (table_.Find(uid) != nullptr) {
    // Behind whatever is being written of it: its own create, or its delete.
    table_.Post(uid, [this, uid, done = std::move(done)](Job* job) mutable {
      if (job == nullptr) {
        return Answer(done, Unavailable(uid, absl::UnavailableError("its first request failed")));
      }
      OnExisting(*job, std::move(done));
    });
    return;
  }
  JobRecord record;
  record.job = DescribeJob(pod.pod, JobKey{origin_, uid}, PoolOf(pod.pod));
  record.source = source;
  record.created_at = clock_.Now();
  record.status.key = record.job.key;
  record.status.phase = JobPhase::kQueued;
  record.status.changed_at = record.created_at;
  record.Note(record.created_at, absl::StrCat("accepted for pool ", record.job.pool));
  Failpoint("plugin.create.before_journal");
  std::vector<Mutation> extra;
  extra.push_back(Mutation::Put(BodyStoreKey(uid), std::move(body)));
  table_.Create(std::move(record), std::move(extra),
                [this, uid, done = std::move(done)](absl::Status status) mutable {
                  if (!status.ok()) {
                    LOG_EVERY_N(ERROR, 100) << "a create was not stored: " << status;
                    return Answer(done, Unavailable(uid, status));
                  }
                  Failpoint("plugin.create.after_journal");
                  Job* const job = table_.Find(uid);
                  janitor_.OnWanted(*job);
                  Answer(done, {.kind = Kind::kCreated, .uid = uid});
                  dispatcher_.Advance(*job);
                });
}

void JobService::OnExisting(Job& job, CreateDone done) {
  const Kind kind = job.record.tombstone.has_value() ? Kind::kDeleted : Kind::kExists;
  const std::string uid = job.uid();
  janitor_.OnWanted(job);
  Answer(done, {.kind = kind, .uid = uid});
}

void JobService::Delete(DeleteRequest request, absl::AnyInvocable<void(absl::Status)> done) {
  if (!IsPodUid(request.uid)) {
    return done(absl::InvalidArgumentError("metadata.uid: want a pod's UID"));
  }
  Failpoint("plugin.delete.before_journal");
  if (table_.Find(request.uid) != nullptr) {
    table_.Post(request.uid,
                [this, grace = request.grace, done = std::move(done)](Job* job) mutable {
                  if (job == nullptr) return done(absl::OkStatus());  // its create has failed
                  dispatcher_.Delete(*job, grace.value_or(job->record.job.grace), "deleted",
                                     [done = std::move(done)]() mutable {
                                       Failpoint("plugin.delete.after_journal");
                                       done(absl::OkStatus());
                                     });
                });
    return;
  }
  // Its create may be on its way, or we have lost what we knew of it.
  JobRecord record;
  record.job.key = {origin_, request.uid};
  record.job.pod_namespace = std::move(request.pod_namespace);
  record.job.pod_name = std::move(request.pod_name);
  record.job.pool = std::move(request.pool);
  record.created_at = clock_.Now();
  record.status.key = record.job.key;
  record.status.phase = JobPhase::kDeleted;
  record.status.changed_at = record.created_at;
  record.tombstone = Tombstone{.requested_at = record.created_at, .why = "deleted, not known here"};
  if (request.grace.has_value()) record.tombstone->grace = *request.grace;
  if (!IsPoolName(record.job.pool)) record.tombstone->confirmed_at = record.created_at;
  record.Note(record.created_at, "delete requested for a job that is not known here");
  const std::string uid = request.uid;
  table_.Create(std::move(record), {},
                [this, uid, done = std::move(done)](absl::Status status) mutable {
                  Failpoint("plugin.delete.after_journal");
                  if (!status.ok()) {
                    return done(absl::UnavailableError(
                        absl::StrCat("the delete cannot be stored now: ", status.message())));
                  }
                  done(absl::OkStatus());
                  dispatcher_.Advance(*table_.Find(uid));
                });
}

absl::string_view JobService::Poll(absl::string_view uid) {
  Job* const job = table_.Find(uid);
  if (job == nullptr) return {};
  janitor_.OnPoll(*job);
  const JobRecord& record = job->record;
  // A tombstone for a pod that was never known: there are no containers to speak of.
  if (record.job.containers.empty()) return {};
  const bool queued = record.status.phase <= JobPhase::kQueued;
  const uint64_t version = queued ? dispatcher_.wait_version() : kAlways;
  if (job->rendered_for != version) {
    PoolDirectory::WaitReason reason;
    if (queued) {
      reason = dispatcher_.Waiting(*job);
    } else {
      reason = {std::string(ToString(record.status.phase)), record.status.message};
    }
    job->rendered =
        RenderPodStatus(record.job, record.status, reason.reason, reason.message, record.warnings);
    job->rendered_for = version;
  }
  return job->rendered;
}

Job* JobService::Lookup(absl::string_view name) {
  if (Job* job = table_.Find(name)) return job;
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(name, absl::MaxSplits('/', 1));
  if (parts.second.empty()) return nullptr;
  if (parts.first == origin_) {
    if (Job* job = table_.Find(parts.second)) return job;
  }
  Job* newest = nullptr;
  table_.ForEach([&](Job& job) {
    const JobDescription& description = job.record.job;
    if (description.pod_namespace != parts.first || description.pod_name != parts.second) return;
    if (newest == nullptr || job.record.created_at > newest->record.created_at) newest = &job;
  });
  return newest;
}

}  // namespace podferry
