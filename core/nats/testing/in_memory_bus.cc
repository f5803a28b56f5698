#include "core/nats/testing/in_memory_bus.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/nats/subject_match.h"
#include "core/nats/testing/in_memory_core.h"

namespace podferry {
namespace {

using in_memory::Disconnected;
using in_memory::Interest;

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

InMemoryHub::InMemoryHub(EventLoop& loop, uint64_t seed)
    : core_(std::make_shared<Core>(loop, seed)) {}

InMemoryHub::~InMemoryHub() {
  StopServer();
  // A handler that destroys the hub still runs on its core: what would keep that alive ends here.
  core_->timers.clear();
  core_->clients.clear();
}

std::unique_ptr<InMemoryBus> InMemoryHub::Connect(absl::string_view name) {
  auto client = std::make_shared<InMemoryBus::Client>(core_->loop, core_, std::string(name),
                                                      core_->next_client++);
  core_->clients.push_back(client);
  return std::unique_ptr<InMemoryBus>(new InMemoryBus(std::move(client)));
}

void InMemoryHub::AddFault(Fault fault) { core_->faults.push_back(std::move(fault)); }
void InMemoryHub::ClearFaults() { core_->faults.clear(); }

void InMemoryHub::StopServer() {
  core_->held.clear();
  core_->frozen = false;
  core_->Change([this] { core_->up = false; });
}

void InMemoryHub::StartServer() {
  core_->Change([this] { core_->up = true; });
}

void InMemoryHub::Freeze() { core_->frozen = true; }

void InMemoryHub::Thaw() {
  core_->frozen = false;
  for (; !core_->held.empty(); core_->held.pop_front()) core_->held.front()();
}

void InMemoryHub::set_max_payload(int64_t bytes) { core_->max_payload = bytes; }

const std::vector<InMemoryHub::Published>& InMemoryHub::published() const {
  return core_->published;
}

int InMemoryHub::CountPublished(absl::string_view pattern) const {
  return static_cast<int>(std::count_if(
      core_->published.begin(), core_->published.end(),
      [&](const Published& p) { return SubjectMatches(pattern, p.message.subject); }));
}

InMemoryBus::InMemoryBus(std::shared_ptr<Client> client) : client_(std::move(client)) {}

InMemoryBus::~InMemoryBus() {
  for (const auto& interest : client_->interests) interest->active = false;
  if (const auto core = client_->core.lock()) {
    auto& clients = core->clients;
    clients.erase(std::remove(clients.begin(), clients.end(), client_), clients.end());
  }
}

void InMemoryBus::Disconnect() {
  if (const auto core = client_->core.lock()) core->Change([this] { client_->cut = true; });
}

void InMemoryBus::Reconnect() {
  if (const auto core = client_->core.lock()) core->Change([this] { client_->cut = false; });
}

absl::Status InMemoryBus::Publish(absl::string_view subject, std::string payload) {
  const auto core = client_->core.lock();
  if (core == nullptr) return Disconnected();
  PODFERRY_RETURN_IF_ERROR(core->CheckSend(*client_, subject, payload));
  core->Send(*client_, {std::string(subject), "", std::move(payload)});
  return absl::OkStatus();
}

void InMemoryBus::Request(absl::string_view subject, std::string payload, absl::Duration timeout,
                          ReplyHandler handler) {
  const auto core = client_->core.lock();
  const absl::Status checked =
      core == nullptr ? Disconnected() : core->CheckSend(*client_, subject, payload);
  const uint64_t id = client_->pending.AddOne(timeout, std::move(handler));
  if (!checked.ok()) {
    client_->loop.Post([weak = std::weak_ptr<Client>(client_), id, checked] {
      if (const auto client = weak.lock()) client->pending.Fail(id, checked);
    });
    return;
  }
  const std::string inbox = absl::StrCat(client_->inbox, id);
  core->requests[inbox] = std::string(subject);
  core->Send(*client_, {std::string(subject), inbox, std::move(payload)});
}

std::unique_ptr<Bus::Handle> InMemoryBus::RequestMany(absl::string_view subject,
                                                      std::string payload, absl::Duration timeout,
                                                      absl::AnyInvocable<void(std::string)> each,
                                                      absl::AnyInvocable<void()> done) {
  const auto core = client_->core.lock();
  const absl::Status checked =
      core == nullptr ? Disconnected() : core->CheckSend(*client_, subject, payload);
  const uint64_t id = client_->pending.AddMany(timeout, std::move(each), std::move(done));
  const std::weak_ptr<Client> weak = client_;
  if (checked.ok()) {
    const std::string inbox = absl::StrCat(client_->inbox, id);
    core->requests[inbox] = std::string(subject);
    core->Send(*client_, {std::string(subject), inbox, std::move(payload)});
  } else {
    client_->loop.Post([weak, id, checked] {
      if (const auto client = weak.lock()) client->pending.Fail(id, checked);
    });
  }
  return std::make_unique<Ender<Handle>>([weak, id] {
    if (const auto client = weak.lock()) client->pending.Forget(id);
  });
}

absl::Status InMemoryBus::Respond(const BusMessage& request, std::string payload) {
  if (request.reply_to.empty()) return absl::OkStatus();
  return Publish(request.reply_to, std::move(payload));
}

absl::StatusOr<std::unique_ptr<Bus::Subscription>> InMemoryBus::Subscribe(
    absl::string_view subject, absl::string_view queue_group, MessageHandler handler) {
  PODFERRY_RETURN_IF_ERROR(CheckSubscribeSubject(subject));
  PODFERRY_RETURN_IF_ERROR(CheckQueueGroup(queue_group));
  auto interest = std::make_shared<Interest>();
  interest->subject = std::string(subject);
  interest->group = std::string(queue_group);
  interest->handler = std::move(handler);
  client_->interests.push_back(interest);
  return std::make_unique<Ender<Subscription>>([weak = std::weak_ptr<Client>(client_), interest] {
    interest->active = false;
    const auto client = weak.lock();
    if (client == nullptr) return;
    auto& interests = client->interests;
    interests.erase(std::remove(interests.begin(), interests.end(), interest), interests.end());
  });
}

bool InMemoryBus::connected() const {
  const auto core = client_->core.lock();
  return core != nullptr && core->Connected(*client_);
}

std::unique_ptr<Bus::Handle> InMemoryBus::WatchConnection(absl::AnyInvocable<void(bool)> watcher) {
  return client_->watchers.Add(std::move(watcher), connected());
}

void InMemoryBus::Ping(absl::Duration timeout, absl::AnyInvocable<void(bool)> done) {
  const uint64_t id = client_->pending.AddOne(
      timeout,
      [done = std::move(done)](absl::StatusOr<std::string> answer) mutable { done(answer.ok()); });
  const auto answer = [weak = std::weak_ptr<Client>(client_), id, ok = connected()] {
    const auto client = weak.lock();
    if (client == nullptr) return;
    if (ok) {
      client->pending.Answer(id, "");
    } else {
      client->pending.Fail(id, Disconnected());
    }
  };
  const auto core = client_->core.lock();
  if (core != nullptr && core->frozen) {
    core->held.push_back(answer);
  } else {
    client_->loop.Post(answer);
  }
}

int64_t InMemoryBus::MaxPayload() const {
  const auto core = client_->core.lock();
  return core != nullptr ? core->max_payload : 0;
}

}  // namespace podferry
