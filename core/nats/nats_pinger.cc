#include "core/nats/nats_pinger.h"

#include <algorithm>

namespace podferry {
namespace {

constexpr absl::Duration kLongest = absl::Minutes(10);

}  // namespace

void NatsPinger::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    work_.wait(lock, [this] { return stopping_ || !requests_.empty(); });
    if (stopping_) return;
    const Request request = requests_.front();
    requests_.pop_front();
    natsConnection* const connection = connection_;
    busy_ = true;
    lock.unlock();
    const absl::Duration timeout = std::clamp(request.timeout, absl::Milliseconds(1), kLongest);
    const natsStatus status =
        natsConnection_FlushTimeout(connection, absl::ToInt64Milliseconds(timeout));
    inbound_->Push({.kind = Inbound::Kind::kPong,
                    .id = request.id,
                    .number = status == NATS_OK ? 1 : 0,
                    .message = {}});
    lock.lock();
    busy_ = false;
    idle_.notify_all();
  }
}

void NatsPinger::Stop() {
  std::lock_guard<std::mutex> lock(mutex_);
  stopping_ = true;
  work_.notify_all();
}

void NatsPinger::Attach(natsConnection* connection) {
  std::lock_guard<std::mutex> lock(mutex_);
  connection_ = connection;
}

void NatsPinger::Detach() {
  std::lock_guard<std::mutex> lock(mutex_);
  connection_ = nullptr;
  requests_.clear();
}

void NatsPinger::WaitUntilIdle() {
  std::unique_lock<std::mutex> lock(mutex_);
  idle_.wait(lock, [this] { return !busy_; });
}

void NatsPinger::Ping(uint64_t id, absl::Duration timeout) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (connection_ == nullptr) return;
  requests_.push_back({id, timeout});
  work_.notify_all();
}

}  // namespace podferry
