#include "core/nats/nats_link.h"

#include <nats/nats.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/nats/nats_dial.h"
#include "core/nats/nats_pinger.h"
#include "core/nats/nats_subscriptions.h"
#include "core/nats/outbound_queue.h"
#include "glog/logging.h"

namespace podferry {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;
SteadyTime Now() { return std::chrono::steady_clock::now(); }

// After a connection that held for so long the next attempt comes at once.
constexpr auto kGoodConnection = std::chrono::seconds(10);

// The same failure is logged again after so long.
constexpr auto kLogAgain = std::chrono::minutes(5);

// Threads that a hanging server still holds after so long are left behind.
constexpr auto kPatience = std::chrono::seconds(15);

natsStatus Publish(natsConnection* connection, const Outbound& command) {
  const char* const data = command.payload.data();
  const int size = static_cast<int>(command.payload.size());
  if (command.reply_to.empty()) {
    return natsConnection_Publish(connection, command.subject.c_str(), data, size);
  }
  return natsConnection_PublishRequest(connection, command.subject.c_str(),
                                       command.reply_to.c_str(), data, size);
}

}  // namespace

// Shared by the threads, so that one that hangs can be left behind. Fields below `mutex` are
// guarded by it; of those above, what is not constant or a queue is the connecting thread's own.
struct NatsLink::State : std::enable_shared_from_this<NatsLink::State> {
  State(NatsOptions options, std::vector<NatsAddress> addresses, std::string inbox_prefix,
        std::shared_ptr<InboundQueue> inbound)
      : options(std::move(options)),
        inbox_prefix(std::move(inbox_prefix)),
        inbound(std::move(inbound)),
        outbound(this->options.max_queued_messages, this->options.max_queued_bytes),
        pinger(this->inbound),
        subscriptions(this->inbound, this->inbox_prefix.size()),
        addresses(std::move(addresses)) {}

  void Run();
  bool Pause(bool was_good);  // false: stopping
  absl::StatusOr<NatsConnection> Dial();
  NatsEvents EventsOf(uint64_t number);
  absl::Status SetUp(natsConnection* connection);
  bool SendBatch(natsConnection* connection, const std::deque<Outbound>& batch);
  natsStatus Execute(natsConnection* connection, const Outbound& command);
  void TearDown(NatsConnection connection);
  void Note(const absl::Status& error);  // with `mutex` held

  const NatsOptions options;
  const std::string inbox_prefix;
  const std::shared_ptr<InboundQueue> inbound;
  OutboundQueue outbound;
  NatsPinger pinger;
  NatsSubscriptions subscriptions;
  std::vector<NatsAddress> addresses;
  std::minstd_rand random{std::random_device{}()};
  absl::Duration pause;

  std::mutex mutex;
  std::condition_variable stop;   // stopping
  std::condition_variable ended;  // a thread has ended
  bool stopping = false;
  int running = 2;       // threads
  uint64_t attempt = 0;  // number of the present connection
  BusStats stats;
  SteadyTime logged_at;
};

void NatsLink::State::Note(const absl::Status& error) {
  const std::string text(error.message());
  if (text != stats.last_error || Now() - logged_at > kLogAgain) {
    LOG(WARNING) << "NATS: " << text;
    logged_at = Now();
  }
  stats.last_error = text;
}

void NatsLink::State::Run() {
  bool was_good = true;
  do {
    absl::StatusOr<NatsConnection> connection = Dial();
    absl::Status status = connection.status();
    const SteadyTime since = Now();
    if (status.ok()) {
      status = SetUp(connection->get());
      std::deque<Outbound> batch;
      while (status.ok() && outbound.Take(batch) && SendBatch(connection->get(), batch)) {
      }
      TearDown(*std::move(connection));
    }
    was_good = status.ok() && Now() - since > kGoodConnection;
    if (!status.ok()) {
      std::lock_guard<std::mutex> lock(mutex);
      ++stats.failed_connects;
      if (!stopping) Note(status);
    }
  } while (Pause(was_good));
}

bool NatsLink::State::Pause(bool was_good) {
  if (was_good) pause = absl::ZeroDuration();
  pause = std::clamp(2 * pause, options.reconnect_min, options.reconnect_max);
  const absl::Duration jittered = pause * std::uniform_real_distribution<double>(0.5, 1)(random);
  std::unique_lock<std::mutex> lock(mutex);
  return !stop.wait_for(lock, absl::ToChronoNanoseconds(jittered), [this] { return stopping; });
}

NatsEvents NatsLink::State::EventsOf(uint64_t number) {
  const std::weak_ptr<State> weak = weak_from_this();
  NatsEvents events;
  events.closed = [weak, number] {
    const auto state = weak.lock();
    if (state == nullptr) return;
    std::lock_guard<std::mutex> lock(state->mutex);
    // That of an earlier connection may come late.
    if (state->attempt == number) state->outbound.Interrupt();
  };
  events.error = [weak](const absl::Status& error) {
    const auto state = weak.lock();
    if (state == nullptr) return;
    std::lock_guard<std::mutex> lock(state->mutex);
    ++state->stats.server_errors;
    state->Note(error);
  };
  return events;
}

absl::StatusOr<NatsConnection> NatsLink::State::Dial() {
  std::shuffle(addresses.begin(), addresses.end(), random);
  absl::Status status = absl::CancelledError("stopping");
  for (const NatsAddress& address : addresses) {
    uint64_t number = 0;
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (stopping) break;
      number = ++attempt;
      // Before the connection is there, so that the news of its end, or ours, is not forgotten.
      outbound.ClearInterrupt();
    }
    absl::StatusOr<NatsConnection> connection = DialNats(options, address, EventsOf(number));
    if (connection.ok()) {
      std::lock_guard<std::mutex> lock(mutex);
      stats.server = address.ToString();
      return connection;
    }
    status = connection.status();
  }
  return status;
}

absl::Status NatsLink::State::SetUp(natsConnection* connection) {
  const std::map<uint64_t, Outbound> present = outbound.Open();
  PODFERRY_RETURN_IF_ERROR(subscriptions.Add(connection, NatsSubscriptions::kInbox,
                                             absl::StrCat(inbox_prefix, "*"), ""));
  for (const auto& [id, subscription] : present) {
    PODFERRY_RETURN_IF_ERROR(
        subscriptions.Add(connection, id, subscription.subject, subscription.group));
  }
  const natsStatus flushed =
      natsConnection_FlushTimeout(connection, absl::ToInt64Milliseconds(options.connect_timeout));
  if (flushed != NATS_OK) return NatsError(flushed, "first round trip");
  pinger.Attach(connection);
  {
    std::lock_guard<std::mutex> lock(mutex);
    ++stats.connections;
    stats.connected = true;
    LOG(INFO) << "NATS: connected to " << stats.server;
  }
  inbound->Open({.kind = Inbound::Kind::kConnected,
                 .number = natsConnection_GetMaxPayload(connection),
                 .message = {}});
  return absl::OkStatus();
}

bool NatsLink::State::SendBatch(natsConnection* connection, const std::deque<Outbound>& batch) {
  uint64_t lost = 0;
  uint64_t sent = 0;
  uint64_t sent_bytes = 0;
  absl::Status failure;
  natsStatus status = NATS_OK;
  // A server that has lowered its largest payload is no reason to give up the connection.
  const auto usable = [&status] { return status == NATS_OK || status == NATS_MAX_PAYLOAD; };
  for (const Outbound& command : batch) {
    if (usable()) {
      status = Execute(connection, command);
      if (status != NATS_OK) failure = NatsError(status, "send");
    }
    if (command.kind != Outbound::Kind::kPublish) continue;
    if (status == NATS_OK) {
      ++sent;
      sent_bytes += command.payload.size();
    } else {
      ++lost;
    }
  }
  outbound.Done(batch);
  std::lock_guard<std::mutex> lock(mutex);
  stats.sent_messages += sent;
  stats.sent_bytes += sent_bytes;
  stats.lost_unsent += lost;
  if (!failure.ok()) Note(failure);
  return usable();
}

natsStatus NatsLink::State::Execute(natsConnection* connection, const Outbound& command) {
  switch (command.kind) {
    case Outbound::Kind::kPublish:
      return Publish(connection, command);
    case Outbound::Kind::kSubscribe:
      return subscriptions.Add(connection, command.id, command.subject, command.group).ok()
                 ? NATS_OK
                 : NATS_ERR;
    case Outbound::Kind::kUnsubscribe:
      subscriptions.Remove(command.id);
      return NATS_OK;
    case Outbound::Kind::kPing:
      pinger.Ping(command.id, command.timeout);
      return NATS_OK;
  }
  return NATS_OK;
}

void NatsLink::State::TearDown(NatsConnection connection) {
  const uint64_t lost = outbound.Shut();
  pinger.Detach();
  bool was_connected = false;
  {
    std::lock_guard<std::mutex> lock(mutex);
    was_connected = std::exchange(stats.connected, false);
    stats.lost_unsent += lost;
    if (was_connected && !stopping) {
      ++stats.losses;
      const char* ignored = nullptr;
      const natsStatus why = natsConnection_GetLastError(connection.get(), &ignored);
      Note(absl::UnavailableError(
          absl::StrCat("lost the connection to ", stats.server, ": ", natsStatus_GetText(why))));
    }
  }
  if (was_connected) inbound->Shut({.kind = Inbound::Kind::kDisconnected, .message = {}});
  natsConnection_Close(connection.get());
  pinger.WaitUntilIdle();
  subscriptions.Clear();
}

NatsLink::NatsLink(NatsOptions options, std::vector<NatsAddress> addresses,
                   std::string inbox_prefix, std::shared_ptr<InboundQueue> inbound)
    : state_(std::make_shared<State>(std::move(options), std::move(addresses),
                                     std::move(inbox_prefix), std::move(inbound))) {
  const auto start = [state = state_](auto run) {
    std::thread([state, run] {
      run(*state);
      std::lock_guard<std::mutex> lock(state->mutex);
      --state->running;
      state->ended.notify_all();
    }).detach();
  };
  start([](State& state) { state.Run(); });
  start([](State& state) { state.pinger.Run(); });
}

NatsLink::~NatsLink() {
  std::unique_lock<std::mutex> lock(state_->mutex);
  state_->stopping = true;
  state_->stop.notify_all();
  state_->outbound.Interrupt();
  state_->pinger.Stop();
  if (!state_->ended.wait_for(lock, kPatience, [this] { return state_->running == 0; })) {
    LOG(WARNING) << "NATS: leaving threads behind that the server holds";
  }
}

absl::Status NatsLink::Send(std::string subject, std::string reply_to, std::string payload) {
  return state_->outbound.Publish(std::move(subject), std::move(reply_to), std::move(payload));
}

void NatsLink::Subscribe(uint64_t id, std::string subject, std::string group) {
  state_->outbound.Subscribe(id, std::move(subject), std::move(group));
}

void NatsLink::Unsubscribe(uint64_t id) { state_->outbound.Unsubscribe(id); }

void NatsLink::Ping(uint64_t id, absl::Duration timeout) { state_->outbound.Ping(id, timeout); }

BusStats NatsLink::stats() const {
  BusStats stats;
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    stats = state_->stats;
  }
  stats.queued = state_->outbound.queued();
  stats.refused_full = state_->outbound.refused();
  stats.received_messages = state_->subscriptions.received_messages();
  stats.received_bytes = state_->subscriptions.received_bytes();
  stats.dropped_slow = state_->inbound->dropped();
  return stats;
}

}  // namespace podferry
