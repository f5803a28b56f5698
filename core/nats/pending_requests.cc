#include "core/nats/pending_requests.h"

#include <utility>
#include <vector>

namespace podferry {

uint64_t PendingRequests::AddOne(absl::Duration timeout, Bus::ReplyHandler handler) {
  const uint64_t id = next_id_++;
  Waiting waiting;
  waiting.one = std::move(handler);
  waiting.timeout = loop_.RunAfter(
      timeout, [this, id] { Fail(id, absl::DeadlineExceededError("no answer in time")); });
  waiting_.emplace(id, std::move(waiting));
  return id;
}

uint64_t PendingRequests::AddMany(absl::Duration timeout,
                                  absl::AnyInvocable<void(std::string)> each,
                                  absl::AnyInvocable<void()> done) {
  const uint64_t id = next_id_++;
  Waiting waiting;
  waiting.many = std::make_shared<Many>(Many{std::move(each), std::move(done)});
  waiting.timeout = loop_.RunAfter(
      timeout, [this, id] { Fail(id, absl::DeadlineExceededError("the time is over")); });
  waiting_.emplace(id, std::move(waiting));
  return id;
}

bool PendingRequests::Answer(uint64_t id, std::string payload) {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return false;
  if (const std::shared_ptr<Many> many = found->second.many) {
    many->each(std::move(payload));
    return true;
  }
  Waiting waiting = std::move(found->second);
  waiting_.erase(found);
  waiting.timeout.Cancel();
  waiting.one(std::move(payload));
  return true;
}

void PendingRequests::Fail(uint64_t id, const absl::Status& why) {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return;
  Waiting waiting = std::move(found->second);
  waiting_.erase(found);
  waiting.timeout.Cancel();
  if (waiting.many != nullptr) {
    waiting.many->done();
  } else {
    waiting.one(why);
  }
}

void PendingRequests::FailOnes(const absl::Status& why) {
  std::vector<Waiting> ones;
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    const auto current = it++;
    if (current->second.many != nullptr) continue;
    ones.push_back(std::move(current->second));
    waiting_.erase(current);
  }
  for (Waiting& waiting : ones) {
    waiting.timeout.Cancel();
    waiting.one(why);
  }
}

void PendingRequests::Forget(uint64_t id) { waiting_.erase(id); }

}  // namespace podferry
