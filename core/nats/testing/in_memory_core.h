// The inside of in_memory_bus.h: its server and its clients. Only for the .cc files beside it.

#ifndef PODFERRY_CORE_NATS_TESTING_IN_MEMORY_CORE_H_
#define PODFERRY_CORE_NATS_TESTING_IN_MEMORY_CORE_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/nats/bus.h"
#include "core/nats/connection_watchers.h"
#include "core/nats/pending_requests.h"
#include "core/nats/testing/in_memory_bus.h"
#include "core/os/event_loop.h"

namespace podferry {
namespace in_memory {

inline constexpr char kInbox[] = "_INBOX.";

inline absl::Status Disconnected() {
  return absl::UnavailableError("not connected to the NATS server");
}

struct Interest {
  std::string subject;
  std::string group;
  Bus::MessageHandler handler;
  bool active = true;
};

}  // namespace in_memory

struct InMemoryBus::Client {
  Client(EventLoop& loop, std::weak_ptr<InMemoryHub::Core> core, std::string name, uint64_t number)
      : loop(loop),
        core(std::move(core)),
        name(std::move(name)),
        inbox(absl::StrCat(in_memory::kInbox, number, ".")),
        pending(loop),
        watchers(loop) {}

  EventLoop& loop;
  const std::weak_ptr<InMemoryHub::Core> core;
  const std::string name;
  const std::string inbox;  // its answers come to this and the request's id
  bool cut = false;
  std::vector<std::shared_ptr<in_memory::Interest>> interests;
  PendingRequests pending;
  ConnectionWatchers watchers;
};

struct InMemoryHub::Core : std::enable_shared_from_this<InMemoryHub::Core> {
  using Client = InMemoryBus::Client;
  using Receivers =
      std::vector<std::pair<std::shared_ptr<Client>, std::shared_ptr<in_memory::Interest>>>;

  Core(EventLoop& loop, uint64_t seed) : loop(loop), random(seed) {}

  bool Connected(const Client& client) const { return up && !client.cut; }
  // Tells clients whose connection came or went by `change`.
  void Change(absl::AnyInvocable<void()> change);
  absl::Status CheckSend(const Client& client, absl::string_view subject,
                         const std::string& payload) const;
  // The message is with the server now, or will be when the server goes on.
  void Send(const Client& client, BusMessage message);
  void Route(const std::string& from, const BusMessage& message);
  Receivers ReceiversOf(absl::string_view subject);
  void RouteAnswer(const std::string& from, const BusMessage& message);
  void Carry(const std::string& from, const std::string& to, absl::string_view subject, bool reply,
             std::function<void()> deliver);
  std::optional<Fault> FaultOf(const std::string& from, const std::string& to,
                               absl::string_view subject, bool reply);
  void After(absl::Duration delay, std::function<void()> task);
  double Random() { return std::uniform_real_distribution<double>(0, 1)(random); }

  EventLoop& loop;
  std::mt19937_64 random;
  bool up = true;
  bool frozen = false;
  int64_t max_payload = 1024 * 1024;
  uint64_t next_client = 1;
  uint64_t next_timer = 1;
  std::vector<std::shared_ptr<Client>> clients;
  std::vector<Fault> faults;
  std::deque<absl::AnyInvocable<void()>> held;  // what the frozen server has not read yet
  std::vector<Published> published;
  absl::flat_hash_map<std::string, std::string> requests;  // inbox subject -> request's subject
  std::map<uint64_t, Timer> timers;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_NATS_TESTING_IN_MEMORY_CORE_H_
