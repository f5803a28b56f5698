#include "core/nats/testing/in_memory_core.h"

#include <cstddef>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "core/base/status_macros.h"
#include "core/nats/subject_match.h"

namespace podferry {

using in_memory::Disconnected;
using in_memory::kInbox;

void InMemoryHub::Core::Change(absl::AnyInvocable<void()> change) {
  std::vector<std::pair<std::shared_ptr<Client>, bool>> before;
  for (const auto& client : clients) before.emplace_back(client, Connected(*client));
  change();
  for (const auto& [client, was] : before) {
    const bool is = Connected(*client);
    if (was == is) continue;
    client->watchers.Tell(is);
    if (is) continue;
    loop.Post([weak = std::weak_ptr<Client>(client)] {
      if (const auto lost = weak.lock()) lost->pending.FailOnes(Disconnected());
    });
  }
}

absl::Status InMemoryHub::Core::CheckSend(const Client& client, absl::string_view subject,
                                          const std::string& payload) const {
  PODFERRY_RETURN_IF_ERROR(CheckPublishSubject(subject));
  if (!Connected(client)) return Disconnected();
  if (static_cast<int64_t>(payload.size()) > max_payload) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "a payload of ", payload.size(), " bytes; the NATS server takes ", max_payload));
  }
  return absl::OkStatus();
}

void InMemoryHub::Core::Send(const Client& client, BusMessage message) {
  if (frozen) {
    held.push_back(
        [this, from = client.name, message = std::move(message)] { Route(from, message); });
  } else {
    Route(client.name, message);
  }
}

void InMemoryHub::Core::Route(const std::string& from, const BusMessage& message) {
  published.push_back({from, message});
  if (absl::StartsWith(message.subject, kInbox)) return RouteAnswer(from, message);
  const Receivers receivers = ReceiversOf(message.subject);
  for (const auto& [client, interest] : receivers) {
    Carry(from, client->name, message.subject, false,
          [this, weak = std::weak_ptr<Client>(client), interest = interest, message] {
            const auto receiver = weak.lock();
            if (receiver != nullptr && interest->active && Connected(*receiver)) {
              interest->handler(message);
            }
          });
  }
  if (!receivers.empty() || message.reply_to.empty()) return;
  for (const auto& client : clients) {
    uint64_t id = 0;
    if (!absl::StartsWith(message.reply_to, client->inbox) ||
        !absl::SimpleAtoi(message.reply_to.substr(client->inbox.size()), &id)) {
      continue;
    }
    loop.Post([weak = std::weak_ptr<Client>(client), id, subject = message.subject] {
      if (const auto asker = weak.lock()) {
        asker->pending.Fail(id, absl::NotFoundError(absl::StrCat("nobody listens to ", subject)));
      }
    });
  }
}

InMemoryHub::Core::Receivers InMemoryHub::Core::ReceiversOf(absl::string_view subject) {
  Receivers receivers;
  std::map<std::string, Receivers> groups;  // as in NATS, one member whatever its pattern
  for (const auto& client : clients) {
    if (!Connected(*client)) continue;
    for (const auto& interest : client->interests) {
      if (!SubjectMatches(interest->subject, subject)) continue;
      Receivers& to = interest->group.empty() ? receivers : groups[interest->group];
      to.emplace_back(client, interest);
    }
  }
  for (const auto& [name, members] : groups) {
    receivers.push_back(
        members[std::uniform_int_distribution<size_t>(0, members.size() - 1)(random)]);
  }
  return receivers;
}

void InMemoryHub::Core::RouteAnswer(const std::string& from, const BusMessage& message) {
  const auto request = requests.find(message.subject);
  if (request == requests.end()) return;
  for (const auto& client : clients) {
    uint64_t id = 0;
    if (!absl::StartsWith(message.subject, client->inbox) ||
        !absl::SimpleAtoi(message.subject.substr(client->inbox.size()), &id)) {
      continue;
    }
    if (!Connected(*client)) return;
    Carry(from, client->name, request->second, true,
          [this, weak = std::weak_ptr<Client>(client), id, payload = message.payload] {
            const auto asker = weak.lock();
            if (asker != nullptr && Connected(*asker)) asker->pending.Answer(id, payload);
          });
  }
}

void InMemoryHub::Core::Carry(const std::string& from, const std::string& to,
                              absl::string_view subject, bool reply,
                              std::function<void()> deliver) {
  const std::optional<Fault> fault = FaultOf(from, to, subject, reply);
  if (!fault.has_value()) return After(absl::ZeroDuration(), std::move(deliver));
  switch (fault->what) {
    case Fault::kDrop:
      return;
    case Fault::kDuplicate:
      After(absl::ZeroDuration(), deliver);
      return After(fault->delay, std::move(deliver));
    case Fault::kDelay:
      return After(fault->delay, std::move(deliver));
    case Fault::kReorder:
      return After(Random() * fault->delay, std::move(deliver));
  }
}

std::optional<Fault> InMemoryHub::Core::FaultOf(const std::string& from, const std::string& to,
                                                absl::string_view subject, bool reply) {
  for (Fault& fault : faults) {
    if (fault.times == 0 || fault.replies != reply || !SubjectMatches(fault.subject, subject) ||
        (!fault.from.empty() && fault.from != from) || (!fault.to.empty() && fault.to != to)) {
      continue;
    }
    if (fault.skip > 0) {
      --fault.skip;
      continue;
    }
    if (fault.probability < 1 && Random() >= fault.probability) continue;
    if (fault.times > 0) --fault.times;
    return fault;
  }
  return std::nullopt;
}

void InMemoryHub::Core::After(absl::Duration delay, std::function<void()> task) {
  auto weak = weak_from_this();
  auto run = [weak, task = std::move(task)] {
    // Also keeps the hub's state for a handler that destroys the hub.
    if (const auto core = weak.lock()) task();
  };
  if (delay <= absl::ZeroDuration()) return loop.Post(std::move(run));
  const uint64_t id = next_timer++;
  timers[id] = loop.RunAfter(delay, [weak, id, run = std::move(run)]() mutable {
    auto task = std::move(run);  // the timer's own storage ends here
    if (const auto core = weak.lock()) core->timers.erase(id);
    task();
  });
}

}  // namespace podferry
