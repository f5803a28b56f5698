#ifndef PODFERRY_CORE_NATS_BUS_H_
#define PODFERRY_CORE_NATS_BUS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace podferry {

// A message as it came off the bus.
struct BusMessage {
  std::string subject;
  std::string reply_to;  // empty: nobody waits for an answer
  std::string payload;
};

// A message bus with NATS' semantics: subjects with wildcards (* and >), queue groups,
// request-reply; it loses, repeats and reorders, and nothing built on it may believe otherwise.
//
// Owned by main, one for control and one for bundles and logs. Every method is called, and every
// callback runs, on the event loop's thread; no method blocks. While disconnected, Publish and
// Request fail with Unavailable at once: nothing is buffered for later, because what is worth
// saying again is said again by who needs it. Subscriptions survive reconnections.
class Bus {
 public:
  // Ends the subscription when destroyed; no callback runs after that.
  class Subscription {
   public:
    virtual ~Subscription() = default;
  };
  // Ends the watch or the collecting when destroyed.
  class Handle {
   public:
    virtual ~Handle() = default;
  };

  using MessageHandler = absl::AnyInvocable<void(BusMessage)>;
  using ReplyHandler = absl::AnyInvocable<void(absl::StatusOr<std::string>)>;

  virtual ~Bus() = default;

  // Unavailable when disconnected; ResourceExhausted when the payload is over MaxPayload() or the
  // sender's queue is full; InvalidArgument for a subject that NATS would refuse.
  virtual absl::Status Publish(absl::string_view subject, std::string payload) = 0;

  // One answer. The handler gets DeadlineExceeded after `timeout`, NotFound at once when nobody
  // listens (NATS' "no responders"), Unavailable when disconnected or when the connection is lost
  // while it waits, otherwise what Publish would say. It always runs exactly once, never inside the
  // call; only destroying the bus drops it unrun.
  virtual void Request(absl::string_view subject, std::string payload, absl::Duration timeout,
                       ReplyHandler handler) = 0;

  // Every answer that comes within `timeout`, one call each; then once `done`, soon when the
  // request could not be sent or nobody listens: no answer proves nothing. Dropping the handle ends
  // it without `done`.
  [[nodiscard]] virtual std::unique_ptr<Handle> RequestMany(
      absl::string_view subject, std::string payload, absl::Duration timeout,
      absl::AnyInvocable<void(std::string)> each, absl::AnyInvocable<void()> done) = 0;

  // Answers a request; nothing happens when nobody waits for it.
  virtual absl::Status Respond(const BusMessage& request, std::string payload) = 0;

  // Each message goes to every plain subscription that matches and to one member of each queue
  // group. An empty group is a plain subscription. InvalidArgument for a subject that NATS would
  // refuse.
  virtual absl::StatusOr<std::unique_ptr<Subscription>> Subscribe(absl::string_view subject,
                                                                  absl::string_view queue_group,
                                                                  MessageHandler handler) = 0;

  virtual bool connected() const = 0;

  // Called with true after each (re)connection, once subscriptions are in place, and with false
  // after each loss; also with true, soon, when the bus is connected as the watch begins. It is
  // never called twice in a row with the same value, nor inside a call of this class.
  [[nodiscard]] virtual std::unique_ptr<Handle> WatchConnection(
      absl::AnyInvocable<void(bool connected)> watcher) = 0;

  // A round trip to the server (PING/PONG): true when it answered in time. Tells "we are cut off"
  // from "they are silent".
  virtual void Ping(absl::Duration timeout, absl::AnyInvocable<void(bool answered)> done) = 0;

  // Largest payload, in bytes, that the server takes now.
  virtual int64_t MaxPayload() const = 0;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_NATS_BUS_H_
