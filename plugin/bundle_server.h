// Gives out scripts that were too big for their offers, piece by piece (P.bundle.<pool>.<origin>),
// while their jobs exist.
//
// Owned by the daemon, on the connection for bundles and logs; event loop's thread only. A script
// that is being pulled is kept in memory until it has not been asked for a while.

#ifndef PODFERRY_PLUGIN_BUNDLE_SERVER_H_
#define PODFERRY_PLUGIN_BUNDLE_SERVER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/nats/bus.h"
#include "core/os/event_loop.h"
#include "core/wire/messages.h"
#include "core/wire/subjects.h"
#include "plugin/bundle_maker.h"
#include "plugin/job_table.h"

namespace podferry {

class BundleServer {
 public:
  BundleServer(EventLoop& loop, const Clock& clock, Bus& bus, JobTable& table, BundleMaker& bundles,
               wire::Subjects subjects, PluginStamp stamp);

  absl::Status Start();

 private:
  struct Cached {
    std::string uid;
    std::shared_ptr<const std::string> script;  // null while it is being loaded
    absl::Duration used;                        // monotonic
    std::vector<std::pair<BusMessage, BundleRequest>> waiting;
  };

  void OnRequest(BusMessage message);
  void Load(BusMessage message, BundleRequest request);
  void OnLoaded(const std::string& uid, absl::StatusOr<std::string> script);
  void Answer(const BusMessage& message, const BundleRequest& request, const std::string& script);
  void AnswerUnknown(const BusMessage& message);
  void DropUnused();

  EventLoop& loop_;
  const Clock& clock_;
  Bus& bus_;
  JobTable& table_;
  BundleMaker& bundles_;
  const wire::Subjects subjects_;
  const PluginStamp stamp_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::vector<Cached> cache_;
  Timer timer_;
  std::unique_ptr<Bus::Subscription> subscription_;
};

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_BUNDLE_SERVER_H_
