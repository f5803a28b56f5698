#include "core/nats/outbound_queue.h"

#include <utility>

namespace podferry {

absl::Status OutboundQueue::Publish(std::string subject, std::string reply_to,
                                    std::string payload) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!open_) return absl::UnavailableError("not connected to the NATS server");
  if (messages_ >= max_messages_ || bytes_ + payload.size() > max_bytes_) {
    ++refused_;
    return absl::ResourceExhaustedError("too much waits to be sent to the NATS server");
  }
  ++messages_;
  bytes_ += payload.size();
  Outbound command;
  command.subject = std::move(subject);
  command.reply_to = std::move(reply_to);
  command.payload = std::move(payload);
  Add(std::move(command));
  return absl::OkStatus();
}

void OutboundQueue::Subscribe(uint64_t id, std::string subject, std::string group) {
  Outbound command;
  command.kind = Outbound::Kind::kSubscribe;
  command.id = id;
  command.subject = std::move(subject);
  command.group = std::move(group);
  std::lock_guard<std::mutex> lock(mutex_);
  subscriptions_[id] = command;
  Add(std::move(command));
}

void OutboundQueue::Unsubscribe(uint64_t id) {
  Outbound command;
  command.kind = Outbound::Kind::kUnsubscribe;
  command.id = id;
  std::lock_guard<std::mutex> lock(mutex_);
  subscriptions_.erase(id);
  Add(std::move(command));
}

void OutboundQueue::Ping(uint64_t id, absl::Duration timeout) {
  Outbound command;
  command.kind = Outbound::Kind::kPing;
  command.id = id;
  command.timeout = timeout;
  std::lock_guard<std::mutex> lock(mutex_);
  Add(std::move(command));
}

void OutboundQueue::Add(Outbound command) {
  if (!open_) return;
  commands_.push_back(std::move(command));
  if (commands_.size() == 1) wake_.notify_all();
}

std::map<uint64_t, Outbound> OutboundQueue::Open() {
  std::lock_guard<std::mutex> lock(mutex_);
  open_ = true;
  return subscriptions_;
}

bool OutboundQueue::Take(std::deque<Outbound>& batch) {
  batch.clear();
  std::unique_lock<std::mutex> lock(mutex_);
  wake_.wait(lock, [this] { return interrupted_ || !commands_.empty(); });
  if (interrupted_) return false;
  batch.swap(commands_);
  return true;
}

void OutboundQueue::Done(const std::deque<Outbound>& batch) {
  size_t messages = 0;
  size_t bytes = 0;
  for (const Outbound& command : batch) {
    messages += command.kind == Outbound::Kind::kPublish ? 1 : 0;
    bytes += command.payload.size();
  }
  std::lock_guard<std::mutex> lock(mutex_);
  messages_ -= messages;
  bytes_ -= bytes;
}

uint64_t OutboundQueue::Shut() {
  std::lock_guard<std::mutex> lock(mutex_);
  open_ = false;
  commands_.clear();
  bytes_ = 0;
  return std::exchange(messages_, 0);
}

void OutboundQueue::Interrupt() {
  std::lock_guard<std::mutex> lock(mutex_);
  interrupted_ = true;
  wake_.notify_all();
}

void OutboundQueue::ClearInterrupt() {
  std::lock_guard<std::mutex> lock(mutex_);
  interrupted_ = false;
}

uint64_t OutboundQueue::queued() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return messages_;
}

uint64_t OutboundQueue::refused() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return refused_;
}

}  // namespace podferry
