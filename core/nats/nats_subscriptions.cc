#include "core/nats/nats_subscriptions.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "core/nats/nats_dial.h"

namespace podferry {
namespace {

// What may wait between nats.c's reader and OnMessage, which only moves it on into the bounded
// queue: beyond its default of 64 MiB, which is one message of the largest size.
constexpr int kMaxPending = 1 << 18;
constexpr int kMaxPendingBytes = 1 << 28;

absl::string_view OrEmpty(const char* text) { return text != nullptr ? text : ""; }

}  // namespace

struct NatsSubscriptions::Closure {
  std::shared_ptr<InboundQueue> inbound;
  std::shared_ptr<Received> received;
  uint64_t id = 0;
  size_t inbox_prefix_size = 0;
};

NatsSubscriptions::NatsSubscriptions(std::shared_ptr<InboundQueue> inbound,
                                     size_t inbox_prefix_size)
    : inbound_(std::move(inbound)), inbox_prefix_size_(inbox_prefix_size) {}

NatsSubscriptions::~NatsSubscriptions() = default;

absl::Status NatsSubscriptions::Add(natsConnection* connection, uint64_t id,
                                    const std::string& subject, const std::string& group) {
  auto closure = std::make_unique<Closure>(Closure{inbound_, received_, id, inbox_prefix_size_});
  natsSubscription* raw = nullptr;
  const natsStatus status =
      group.empty()
          ? natsConnection_Subscribe(&raw, connection, subject.c_str(), OnMessage, closure.get())
          : natsConnection_QueueSubscribe(&raw, connection, subject.c_str(), group.c_str(),
                                          OnMessage, closure.get());
  if (status != NATS_OK) return NatsError(status, "subscribe");
  subscriptions_[id].reset(raw);
  natsSubscription_SetPendingLimits(raw, kMaxPending, kMaxPendingBytes);
  if (natsSubscription_SetOnCompleteCB(raw, OnComplete, closure.get()) == NATS_OK) {
    static_cast<void>(closure.release());
  } else {
    // Closed meanwhile, perhaps within a callback: nobody will say when that has ended.
    parked_.push_back(std::move(closure));
  }
  return absl::OkStatus();
}

void NatsSubscriptions::Remove(uint64_t id) {
  const auto found = subscriptions_.find(id);
  if (found == subscriptions_.end()) return;
  natsSubscription_Unsubscribe(found->second.get());
  subscriptions_.erase(found);
}

void NatsSubscriptions::Clear() { subscriptions_.clear(); }

uint64_t NatsSubscriptions::received_messages() const {
  return received_->messages.load(std::memory_order_relaxed);
}

uint64_t NatsSubscriptions::received_bytes() const {
  return received_->bytes.load(std::memory_order_relaxed);
}

void NatsSubscriptions::OnMessage(natsConnection*, natsSubscription*, natsMsg* raw, void* closure) {
  const std::unique_ptr<natsMsg, decltype(&natsMsg_Destroy)> message(raw, &natsMsg_Destroy);
  const auto& to = *static_cast<const Closure*>(closure);
  const absl::string_view subject = OrEmpty(natsMsg_GetSubject(raw));
  const auto size = static_cast<size_t>(natsMsg_GetDataLength(raw));
  Inbound inbound;
  inbound.id = to.id;
  if (to.id == kInbox) {
    if (!absl::SimpleAtoi(subject.substr(to.inbox_prefix_size), &inbound.id)) return;
    inbound.kind =
        natsMsg_IsNoResponders(raw) ? Inbound::Kind::kNoResponders : Inbound::Kind::kAnswer;
  } else {
    inbound.kind = Inbound::Kind::kMessage;
    inbound.message.subject = std::string(subject);
    inbound.message.reply_to = std::string(OrEmpty(natsMsg_GetReply(raw)));
  }
  if (size > 0) inbound.message.payload.assign(natsMsg_GetData(raw), size);
  to.received->messages.fetch_add(1, std::memory_order_relaxed);
  to.received->bytes.fetch_add(size, std::memory_order_relaxed);
  to.inbound->Push(std::move(inbound));
}

void NatsSubscriptions::OnComplete(void* closure) {
  const std::unique_ptr<Closure> ended(static_cast<Closure*>(closure));
}

}  // namespace podferry
