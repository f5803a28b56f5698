// The way from nats.c's threads to the event loop: what they push is handled on the loop, in order,
// a batch at a time. Bounded: a loop that does not keep up loses messages, as NATS itself would
// let it, and they are counted. Shared between a connection and the callbacks it gave to nats.c,
// which may come late; after Close they lead nowhere.

#ifndef PODFERRY_CORE_NATS_INBOUND_QUEUE_H_
#define PODFERRY_CORE_NATS_INBOUND_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "absl/functional/any_invocable.h"
#include "core/nats/bus.h"
#include "core/os/event_loop.h"

namespace podferry {

struct Inbound {
  enum class Kind {
    kConnected,     // number: the largest payload
    kDisconnected,  //
    kMessage,       // id: of the subscription
    kAnswer,        // id: of the request; only the payload is set
    kNoResponders,  // id: of the request
    kPong,          // id: of the ping; number: 1 when it was answered
  };
  Kind kind = Kind::kMessage;
  uint64_t id = 0;
  int64_t number = 0;
  BusMessage message;
};

class InboundQueue : public std::enable_shared_from_this<InboundQueue> {
 public:
  // `handler` runs on the loop, until Close.
  InboundQueue(EventLoop& loop, size_t max_messages, size_t max_bytes,
               absl::AnyInvocable<void(Inbound)> handler);

  // Any thread. What comes before Open waits for it: messages that arrive while a connection is
  // still being set up are handled after the news that it is there.
  void Push(Inbound inbound);
  // Any thread. Handles `first`, then what has been pushed.
  void Open(Inbound first);
  // Any thread. Handles what has been pushed, then `last`; what comes later waits for Open.
  void Shut(Inbound last);

  // Loop thread. Nothing is handled any more.
  void Close();

  // Any thread.
  size_t size() const;
  uint64_t dropped() const;

 private:
  void Schedule();  // with mutex_ held
  void HandleBatch();

  EventLoop& loop_;
  const size_t max_messages_;
  const size_t max_bytes_;
  absl::AnyInvocable<void(Inbound)> handler_;  // loop thread

  mutable std::mutex mutex_;
  bool open_ = false;
  bool closed_ = false;
  bool scheduled_ = false;
  size_t bytes_ = 0;
  uint64_t dropped_ = 0;
  std::deque<Inbound> ready_;    // to be handled
  std::deque<Inbound> waiting_;  // until Open
};

}  // namespace podferry

#endif  // PODFERRY_CORE_NATS_INBOUND_QUEUE_H_
