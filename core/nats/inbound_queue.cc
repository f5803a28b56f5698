#include "core/nats/inbound_queue.h"

#include <iterator>
#include <utility>

namespace podferry {
namespace {

// So many are handled before other tasks of the loop have their turn.
constexpr size_t kBatch = 256;

// Roughly what a message costs beside its payload.
constexpr size_t kOverhead = 256;

size_t CostOf(const Inbound& inbound) { return inbound.message.payload.size() + kOverhead; }

bool IsMessage(const Inbound& inbound) {
  return inbound.kind == Inbound::Kind::kMessage || inbound.kind == Inbound::Kind::kAnswer;
}

}  // namespace

InboundQueue::InboundQueue(EventLoop& loop, size_t max_messages, size_t max_bytes,
                           absl::AnyInvocable<void(Inbound)> handler)
    : loop_(loop),
      max_messages_(max_messages),
      max_bytes_(max_bytes),
      handler_(std::move(handler)) {}

void InboundQueue::Push(Inbound inbound) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) return;
  const size_t cost = CostOf(inbound);
  if (IsMessage(inbound) &&
      (ready_.size() + waiting_.size() >= max_messages_ || bytes_ + cost > max_bytes_)) {
    ++dropped_;
    return;
  }
  bytes_ += cost;
  (open_ ? ready_ : waiting_).push_back(std::move(inbound));
  if (open_) Schedule();
}

void InboundQueue::Open(Inbound first) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) return;
  open_ = true;
  bytes_ += CostOf(first);
  ready_.push_back(std::move(first));
  ready_.insert(ready_.end(), std::make_move_iterator(waiting_.begin()),
                std::make_move_iterator(waiting_.end()));
  waiting_.clear();
  Schedule();
}

void InboundQueue::Shut(Inbound last) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) return;
  open_ = false;
  bytes_ += CostOf(last);
  ready_.push_back(std::move(last));
  Schedule();
}

void InboundQueue::Close() {
  std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
  ready_.clear();
  waiting_.clear();
}

size_t InboundQueue::size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return ready_.size() + waiting_.size();
}

uint64_t InboundQueue::dropped() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return dropped_;
}

void InboundQueue::Schedule() {
  if (scheduled_) return;
  scheduled_ = true;
  // Holds the queue: a handler may destroy its last owner.
  loop_.Post([self = shared_from_this()] { self->HandleBatch(); });
}

void InboundQueue::HandleBatch() {
  for (size_t i = 0; i < kBatch; ++i) {
    Inbound next;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (closed_ || ready_.empty()) {
        scheduled_ = false;
        return;
      }
      next = std::move(ready_.front());
      ready_.pop_front();
      bytes_ -= CostOf(next);
    }
    handler_(std::move(next));
  }
  std::lock_guard<std::mutex> lock(mutex_);
  scheduled_ = false;
  if (!closed_ && !ready_.empty()) Schedule();
}

}  // namespace podferry
