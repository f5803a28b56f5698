#include "core/nats/nats_bus.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "core/base/ids.h"
#include "core/base/status_macros.h"
#include "core/nats/connection_watchers.h"
#include "core/nats/inbound_queue.h"
#include "core/nats/nats_link.h"
#include "core/nats/pending_requests.h"
#include "core/nats/subject_match.h"

namespace podferry {
namespace {

constexpr int64_t kDefaultMaxPayload = 1024 * 1024;

absl::Status Disconnected() { return absl::UnavailableError("not connected to the NATS server"); }

// Ends something when destroyed, as a Bus::Subscription or a Bus::Handle.
template <typename Base>
class Ender final : public Base {
 public:
  explicit Ender(absl::AnyInvocable<void()> end) : end_(std::move(end)) {}
  ~Ender() override { end_(); }

 private:
  absl::AnyInvocable<void()> end_;
};

}  // namespace

// Loop thread only. Outlives the bus while one of its handlers runs.
struct NatsBus::Core : std::enable_shared_from_this<NatsBus::Core> {
  Core(EventLoop& loop, absl::string_view inbox)
      : loop(loop),
        inbox_prefix(absl::StrCat(inbox, ".", NewUuid(), ".")),
        pending(loop),
        watchers(loop) {}

  void Start(const NatsOptions& options, std::vector<NatsAddress> addresses);
  void Stop();
  void Handle(Inbound inbound);
  absl::Status Send(absl::string_view subject, std::string reply_to, std::string payload);
  // Sends a request that `pending` waits for; its failure is posted.
  void Ask(uint64_t id, absl::string_view subject, std::string payload);
  void PostFailure(uint64_t id, const absl::Status& why);

  EventLoop& loop;
  const std::string inbox_prefix;
  std::shared_ptr<InboundQueue> inbound;
  std::unique_ptr<NatsLink> link;
  bool connected = false;
  int64_t max_payload = kDefaultMaxPayload;
  uint64_t next_subscription = 1;
  absl::flat_hash_map<uint64_t, std::shared_ptr<MessageHandler>> handlers;
  PendingRequests pending;
  ConnectionWatchers watchers;
};

void NatsBus::Core::Start(const NatsOptions& options, std::vector<NatsAddress> addresses) {
  inbound =
      std::make_shared<InboundQueue>(loop, options.max_queued_messages, options.max_queued_bytes,
                                     [weak = weak_from_this()](Inbound inbound) {
                                       // Also holds it for a handler that destroys the bus.
                                       if (const auto core = weak.lock())
                                         core->Handle(std::move(inbound));
                                     });
  link = std::make_unique<NatsLink>(options, std::move(addresses), inbox_prefix, inbound);
}

void NatsBus::Core::Stop() {
  inbound->Close();
  connected = false;
  link.reset();
  handlers.clear();
}

void NatsBus::Core::Handle(Inbound inbound) {
  switch (inbound.kind) {
    case Inbound::Kind::kConnected:
      connected = true;
      max_payload = inbound.number;
      watchers.Tell(true);
      break;
    case Inbound::Kind::kDisconnected:
      connected = false;
      watchers.Tell(false);
      pending.FailOnes(Disconnected());
      break;
    case Inbound::Kind::kMessage:
      if (const auto found = handlers.find(inbound.id); found != handlers.end()) {
        const auto handler = found->second;  // it may end its own subscription
        (*handler)(std::move(inbound.message));
      }
      break;
    case Inbound::Kind::kAnswer:
      pending.Answer(inbound.id, std::move(inbound.message.payload));
      break;
    case Inbound::Kind::kNoResponders:
      pending.Fail(inbound.id, absl::NotFoundError("nobody listens"));
      break;
    case Inbound::Kind::kPong:
      if (inbound.number != 0) {
        pending.Answer(inbound.id, "");
      } else {
        pending.Fail(inbound.id, absl::DeadlineExceededError("no pong"));
      }
      break;
  }
}

absl::Status NatsBus::Core::Send(absl::string_view subject, std::string reply_to,
                                 std::string payload) {
  PODFERRY_RETURN_IF_ERROR(CheckPublishSubject(subject));
  if (!connected) return Disconnected();
  if (static_cast<int64_t>(payload.size()) > max_payload) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "a payload of ", payload.size(), " bytes; the NATS server takes ", max_payload));
  }
  return link->Send(std::string(subject), std::move(reply_to), std::move(payload));
}

void NatsBus::Core::Ask(uint64_t id, absl::string_view subject, std::string payload) {
  const absl::Status sent = Send(subject, absl::StrCat(inbox_prefix, id), std::move(payload));
  if (!sent.ok()) PostFailure(id, sent);
}

void NatsBus::Core::PostFailure(uint64_t id, const absl::Status& why) {
  loop.Post([weak = weak_from_this(), id, why] {
    if (const auto core = weak.lock()) core->pending.Fail(id, why);
  });
}

absl::StatusOr<std::unique_ptr<NatsBus>> NatsBus::Create(EventLoop& loop,
                                                         const NatsOptions& options) {
  PODFERRY_RETURN_IF_ERROR(CheckNatsOptions(options));
  PODFERRY_ASSIGN_OR_RETURN(std::vector<NatsAddress> addresses, ParseNatsUrl(options.url));
  auto core = std::make_shared<Core>(loop, options.inbox_prefix);
  core->Start(options, std::move(addresses));
  return std::unique_ptr<NatsBus>(new NatsBus(std::move(core)));
}

NatsBus::NatsBus(std::shared_ptr<Core> core) : core_(std::move(core)) {}

NatsBus::~NatsBus() { core_->Stop(); }

absl::Status NatsBus::Publish(absl::string_view subject, std::string payload) {
  return core_->Send(subject, "", std::move(payload));
}

void NatsBus::Request(absl::string_view subject, std::string payload, absl::Duration timeout,
                      ReplyHandler handler) {
  core_->Ask(core_->pending.AddOne(timeout, std::move(handler)), subject, std::move(payload));
}

std::unique_ptr<Bus::Handle> NatsBus::RequestMany(absl::string_view subject, std::string payload,
                                                  absl::Duration timeout,
                                                  absl::AnyInvocable<void(std::string)> each,
                                                  absl::AnyInvocable<void()> done) {
  const uint64_t id = core_->pending.AddMany(timeout, std::move(each), std::move(done));
  core_->Ask(id, subject, std::move(payload));
  return std::make_unique<Ender<Handle>>([weak = std::weak_ptr<Core>(core_), id] {
    if (const auto core = weak.lock()) core->pending.Forget(id);
  });
}

absl::Status NatsBus::Respond(const BusMessage& request, std::string payload) {
  if (request.reply_to.empty()) return absl::OkStatus();
  return core_->Send(request.reply_to, "", std::move(payload));
}

absl::StatusOr<std::unique_ptr<Bus::Subscription>> NatsBus::Subscribe(absl::string_view subject,
                                                                      absl::string_view queue_group,
                                                                      MessageHandler handler) {
  PODFERRY_RETURN_IF_ERROR(CheckSubscribeSubject(subject));
  PODFERRY_RETURN_IF_ERROR(CheckQueueGroup(queue_group));
  const uint64_t id = core_->next_subscription++;
  core_->handlers[id] = std::make_shared<MessageHandler>(std::move(handler));
  core_->link->Subscribe(id, std::string(subject), std::string(queue_group));
  return std::make_unique<Ender<Subscription>>([weak = std::weak_ptr<Core>(core_), id] {
    const auto core = weak.lock();
    if (core == nullptr || core->handlers.erase(id) == 0) return;
    core->link->Unsubscribe(id);
  });
}

bool NatsBus::connected() const { return core_->connected; }

std::unique_ptr<Bus::Handle> NatsBus::WatchConnection(absl::AnyInvocable<void(bool)> watcher) {
  return core_->watchers.Add(std::move(watcher), core_->connected);
}

void NatsBus::Ping(absl::Duration timeout, absl::AnyInvocable<void(bool)> done) {
  const uint64_t id = core_->pending.AddOne(
      timeout,
      [done = std::move(done)](absl::StatusOr<std::string> answer) mutable { done(answer.ok()); });
  if (core_->connected) {
    core_->link->Ping(id, timeout);
  } else {
    core_->PostFailure(id, Disconnected());
  }
}

int64_t NatsBus::MaxPayload() const { return core_->max_payload; }

BusStats NatsBus::stats() const { return core_->link->stats(); }

}  // namespace podferry
