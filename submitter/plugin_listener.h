// How a submitter hears and answers plugins: what all that serve them share. Messages that cannot
// be read are dropped, and so are those whose key is of another origin than their sender: a plugin
// speaks for its own jobs only. Nobody is told: whoever needs an answer asks again.
//
// Owned by those who serve, with their life; loop thread only.

#ifndef PODFERRY_SUBMITTER_PLUGIN_LISTENER_H_
#define PODFERRY_SUBMITTER_PLUGIN_LISTENER_H_

#include <glog/logging.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/status_macros.h"
#include "core/nats/bus.h"
#include "core/wire/codec.h"
#include "core/wire/messages.h"

namespace podferry {

class PluginListener {
 public:
  explicit PluginListener(Bus& bus) : bus_(bus) {}

  // Calls `handler(BusMessage, Message)` for every good message until Stop().
  template <typename Message, typename Handler>
  absl::Status On(const std::string& subject, const std::string& group, Handler handler) {
    PODFERRY_ASSIGN_OR_RETURN(
        std::unique_ptr<Bus::Subscription> subscription,
        bus_.Subscribe(subject, group, [handler](BusMessage message) mutable {
          absl::StatusOr<Message> decoded = wire::Decode<Message>(message.payload);
          if (!decoded.ok()) {
            LOG(WARNING) << message.subject << ": cannot be read: " << decoded.status();
          } else if (OriginOf(*decoded) != decoded->from.origin) {
            LOG(WARNING) << message.subject << ": the plugin of " << decoded->from.origin
                         << " speaks for a job that is not its own";
          } else {
            std::string().swap(message.payload);  // it may be big, and has been read
            handler(std::move(message), *std::move(decoded));
          }
        }));
    subscriptions_.push_back(std::move(subscription));
    return absl::OkStatus();
  }

  template <typename Reply>
  void Respond(const BusMessage& message, const Reply& reply) {
    if (message.reply_to.empty()) return;
    const absl::Status sent = bus_.Respond(message, wire::Encode(reply));
    if (!sent.ok()) VLOG(1) << message.subject << ": the answer is lost: " << sent;
  }

  void Stop() { subscriptions_.clear(); }

 private:
  static const std::string& OriginOf(const Offer& offer) { return offer.job.key.origin; }
  static const std::string& OriginOf(const SyncRequest& request) { return request.from.origin; }
  template <typename Message>
  static const std::string& OriginOf(const Message& message) {
    return message.key.origin;
  }

  Bus& bus_;
  std::vector<std::unique_ptr<Bus::Subscription>> subscriptions_;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_PLUGIN_LISTENER_H_
