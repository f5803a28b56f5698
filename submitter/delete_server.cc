#include "submitter/delete_server.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/failpoint.h"
#include "core/base/status_macros.h"
#include "submitter/job_state.h"

namespace podferry {
namespace {

using Write = Records::Write;

constexpr absl::Duration kWait = absl::Seconds(1);

}  // namespace

struct DeleteServer::Waiting {
  Answer answer;
  Timer timeout;
};

DeleteServer::DeleteServer(std::string pool, std::string backend_id, Records& records, Bus& bus,
                           const Clock& clock, EventLoop& loop,
                           absl::AnyInvocable<void(const JobKey&)> deleted)
    : pool_(std::move(pool)),
      backend_id_(std::move(backend_id)),
      records_(records),
      clock_(clock),
      loop_(loop),
      deleted_(std::move(deleted)),
      listener_(bus) {}

DeleteServer::~DeleteServer() = default;

absl::Status DeleteServer::Listen(const wire::Subjects& subjects) {
  PODFERRY_RETURN_IF_ERROR(
      listener_.On<Delete>(subjects.AllJobs(pool_, records_.self().id, "delete"), "",
                           [this](BusMessage message, const Delete& request) {
                             HandleDelete(std::move(message), request);
                           }));
  return listener_.On<Find>(
      subjects.AllFinds(pool_), "",
      [this](BusMessage message, const Find& find) { HandleFind(std::move(message), find); });
}

void DeleteServer::HandleDelete(BusMessage message, const Delete& request) {
  DeleteReply reply{.by = records_.self()};
  if (!records_.Admit(request.from)) {
    reply.refusal = Refusal::kStaleEpoch;
    return listener_.Respond(message, reply);
  }
  const JobKey key = request.key;
  Bury(key, request.grace, [this, key, reply, message = std::move(message)]() mutable {
    const JobRecord* record = records_.Find(key);
    reply.confirmed = record != nullptr && record->gone;
    if (!reply.confirmed) reply.message = "the job is being ended";
    if (reply.confirmed) Failpoint("submitter.delete.before_confirm");
    listener_.Respond(message, reply);
    if (reply.confirmed) Failpoint("submitter.delete.after_confirm");
  });
}

void DeleteServer::HandleFind(BusMessage message, const Find& find) {
  FindReply reply{.by = records_.self(), .backend_id = backend_id_};
  reply.status.key = find.key;
  Answer answer = [this, key = find.key, reply, message = std::move(message)]() mutable {
    if (const JobRecord* record = records_.Find(key)) {
      reply.known = record->state.HasStarted() && !record->gone;
      reply.forgotten = record->gone;
      if (record->status.phase != JobPhase::kUnspecified) reply.status = record->status;
    }
    listener_.Respond(message, reply);
  };
  if (!find.forget) return answer();
  if (!records_.Admit(find.from)) return;
  // Who forgets a job does not know it any more; its own grace is in the record, if there is one.
  const JobRecord* record = records_.Find(find.key);
  Bury(find.key, record == nullptr ? JobDescription().grace : record->job.grace, std::move(answer));
}

Write DeleteServer::Entomb(JobRecord& record, absl::Duration grace) {
  const bool shorter = record.state.tombstone && !record.gone && grace < record.delete_grace;
  if (record.state.tombstone && !shorter) return {};
  Failpoint("submitter.delete.before_journal");
  // A place that was only promised: nothing was handed to the backend.
  if (record.state.IsReserved()) {
    record.gone = true;
    record.script_here = false;
  }
  OnDelete(record.state);
  record.delete_grace = grace;
  record.Note(clock_.Now(), "deleted");
  return {.kind = Write::Kind::kKeep, .drop_script = record.gone};
}

void DeleteServer::Bury(const JobKey& key, absl::Duration grace, Answer answer) {
  auto fresh = std::make_shared<bool>(false);
  records_.Update(
      key,
      [this, fresh, grace](JobRecord& record) {
        Write write = Entomb(record, grace);
        *fresh = write.kind == Write::Kind::kKeep;
        return write;
      },
      lifetime_.Bind([this, key, fresh, answer = std::move(answer)](absl::Status status) mutable {
        if (!status.ok()) {
          LOG(ERROR) << key.ToString() << ": its delete cannot be journalled: " << status;
          return;
        }
        if (*fresh) Failpoint("submitter.delete.after_journal");
        const JobRecord* record = records_.Find(key);
        if (record == nullptr || record->gone) return answer();
        AnswerWhenGone(key, std::move(answer));
        if (*fresh) deleted_(key);
      }));
}

void DeleteServer::AnswerWhenGone(const JobKey& key, Answer answer) {
  auto waiting = std::make_unique<Waiting>();
  Waiting* raw = waiting.get();
  waiting->answer = std::move(answer);
  waiting->timeout = loop_.RunAfter(kWait, [this, key, raw] {
    const auto [begin, end] = waiting_.equal_range(key);
    const auto found =
        std::find_if(begin, end, [raw](const auto& entry) { return entry.second.get() == raw; });
    if (found == end) return;
    const std::unique_ptr<Waiting> late = std::move(found->second);
    waiting_.erase(found);
    late->answer();
  });
  waiting_.emplace(key, std::move(waiting));
}

void DeleteServer::OnGone(const JobKey& key) {
  const auto [begin, end] = waiting_.equal_range(key);
  std::vector<std::unique_ptr<Waiting>> done;
  for (auto waiting = begin; waiting != end; ++waiting) done.push_back(std::move(waiting->second));
  waiting_.erase(begin, end);
  for (const std::unique_ptr<Waiting>& waiting : done) waiting->answer();
}

}  // namespace podferry
