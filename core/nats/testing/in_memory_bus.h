// A NATS server in the test's own process, with faults on request: several Bus clients on one hub.
//
//   FakeClock clock;
//   FakeEventLoop loop(clock);
//   InMemoryHub hub(loop);
//   auto plugin = hub.Connect("plugin"), submitter = hub.Connect("submitter");
//   hub.AddFault({.what = Fault::kDrop, .subject = "p.create.>", .replies = true, .times = 1});
//   ... loop.RunUntilIdle(); loop.Advance(absl::Seconds(5));
//
// Nothing is delivered inside a call, and what one client sends to another stays in order, as with
// NATS, unless a fault says otherwise. Loop thread only. Clients may outlive the hub, as
// disconnected ones, and subscriptions and handles may outlive both.

#ifndef PODFERRY_CORE_NATS_TESTING_IN_MEMORY_BUS_H_
#define PODFERRY_CORE_NATS_TESTING_IN_MEMORY_BUS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/nats/bus.h"
#include "core/os/event_loop.h"

namespace podferry {

// What happens to messages on their way to a subscriber. The first fault that applies wins.
struct Fault {
  enum What {
    kDrop,
    kDuplicate,  // a second copy comes `delay` later
    kDelay,      // it comes `delay` later; what is sent after it may overtake it
    kReorder,    // it comes up to `delay` later, at random
  };
  What what = kDrop;
  std::string subject = ">";  // a pattern; of the request where the message is its answer
  bool replies = false;       // applies to answers, else to everything but answers
  std::string from;           // the sender's name; empty: any
  std::string to;             // the receiver's name; empty: any
  int skip = 0;               // lets so many deliveries pass first
  int times = -1;             // applies to so many deliveries; -1: for ever
  double probability = 1;
  absl::Duration delay = absl::Seconds(1);
};

class InMemoryBus;

class InMemoryHub {
 public:
  // The seed decides which member of a queue group is chosen and what faults by chance do.
  explicit InMemoryHub(EventLoop& loop, uint64_t seed = 1);
  ~InMemoryHub();
  InMemoryHub(const InMemoryHub&) = delete;
  InMemoryHub& operator=(const InMemoryHub&) = delete;

  // A connected client. Names need not be unique; faults are given by name.
  std::unique_ptr<InMemoryBus> Connect(absl::string_view name);

  void AddFault(Fault fault);
  void ClearFaults();

  // The server ends: every client is disconnected until it is started again.
  void StopServer();
  void StartServer();

  // The server hangs, as after SIGSTOP: clients believe they are connected, their messages arrive
  // after Thaw, and pings are not answered until then.
  void Freeze();
  void Thaw();

  void set_max_payload(int64_t bytes);  // 1 MiB, as NATS' default

  // Everything that was published and got to the server, in order.
  struct Published {
    std::string from;
    BusMessage message;
  };
  const std::vector<Published>& published() const;
  // How many of them match a pattern.
  int CountPublished(absl::string_view pattern) const;

 private:
  friend class InMemoryBus;
  struct Core;
  std::shared_ptr<Core> core_;
};

// A client of the hub, for the hub's time only: afterwards it is disconnected. Destroying it ends
// what it has under way without calling handlers.
class InMemoryBus final : public Bus {
 public:
  ~InMemoryBus() override;

  // This client's connection is lost, and comes back; its subscriptions survive. Pending requests
  // fail with Unavailable.
  void Disconnect();
  void Reconnect();

  absl::Status Publish(absl::string_view subject, std::string payload) override;
  void Request(absl::string_view subject, std::string payload, absl::Duration timeout,
               ReplyHandler handler) override;
  [[nodiscard]] std::unique_ptr<Handle> RequestMany(absl::string_view subject, std::string payload,
                                                    absl::Duration timeout,
                                                    absl::AnyInvocable<void(std::string)> each,
                                                    absl::AnyInvocable<void()> done) override;
  absl::Status Respond(const BusMessage& request, std::string payload) override;
  absl::StatusOr<std::unique_ptr<Subscription>> Subscribe(absl::string_view subject,
                                                          absl::string_view queue_group,
                                                          MessageHandler handler) override;
  bool connected() const override;
  [[nodiscard]] std::unique_ptr<Handle> WatchConnection(
      absl::AnyInvocable<void(bool)> watcher) override;
  void Ping(absl::Duration timeout, absl::AnyInvocable<void(bool)> done) override;
  int64_t MaxPayload() const override;

 private:
  friend class InMemoryHub;
  struct Client;
  explicit InMemoryBus(std::shared_ptr<Client> client);
  std::shared_ptr<Client> client_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_NATS_TESTING_IN_MEMORY_BUS_H_
