// The Bus over a real NATS server, with nats.c.
//
// Owned by main(), destroyed before the event loop; all on the loop thread. Making one starts
// threads and returns at once: the server may be down. It connects for ever, with growing pauses
// and jitter, reading credential files again each time; a connection that is refused for its
// credentials is an ordinary failure and tried again. Every callback is posted to the loop.
//
// Nothing is kept for later: what waits to be sent when the connection is lost is lost with it. A
// server that hangs is given up after a write deadline or two pings, and never blocks the loop; the
// destructor may wait for it a few seconds. A loop that falls behind by more than
// NatsOptions::max_queued_* loses messages; stats() counts that and everything else.

#ifndef PODFERRY_CORE_NATS_NATS_BUS_H_
#define PODFERRY_CORE_NATS_NATS_BUS_H_

#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/nats/bus.h"
#include "core/nats/bus_stats.h"
#include "core/nats/nats_options.h"
#include "core/os/event_loop.h"

namespace podferry {

class NatsBus final : public Bus {
 public:
  // InvalidArgument or Unimplemented for options that can never work (CheckNatsOptions).
  static absl::StatusOr<std::unique_ptr<NatsBus>> Create(EventLoop& loop,
                                                         const NatsOptions& options);
  ~NatsBus() override;

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
  // NATS' default, 1 MiB, before the first connection; then what the last server said.
  int64_t MaxPayload() const override;

  BusStats stats() const;

 private:
  struct Core;
  explicit NatsBus(std::shared_ptr<Core> core);
  std::shared_ptr<Core> core_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_NATS_NATS_BUS_H_
