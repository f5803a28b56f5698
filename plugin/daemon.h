// The plugin as one object: everything that plugin/ has, wired together over interfaces, so that
// tests run it on fakes and main on the real ones.
//
// Owned by main; event loop's thread only. What it is given outlives it.

#ifndef PODFERRY_PLUGIN_DAEMON_H_
#define PODFERRY_PLUGIN_DAEMON_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/http/http_client.h"
#include "core/http/router.h"
#include "core/metrics/metrics.h"
#include "core/nats/bus.h"
#include "core/os/event_loop.h"
#include "core/os/worker_pool.h"
#include "core/store/store.h"
#include "plugin/dispatcher.h"
#include "plugin/janitor.h"
#include "plugin/registry_proxy.h"

namespace podferry {

struct DaemonOptions {
  std::string subject = "interlink";  // the prefix of all subjects
  absl::Duration grace = absl::Minutes(15);
  // Instead of the id in the store; for a plugin that has lost its store and is to find its jobs
  // again.
  std::string origin;
  DispatcherOptions dispatch;
  JanitorOptions janitor;
  HttpClient* http = nullptr;  // for the pools' registry proxies; none: they are not asked
  RegistryProxyOptions registry_proxy;
};

class Daemon {
 public:
  Daemon(EventLoop& loop, const Clock& clock, Store& store, WorkerPool& workers, Bus& control,
         Bus& bulk, DaemonOptions options);
  ~Daemon();

  // Takes the next epoch, reads the state and goes to work. `done` on the loop, once: OK, or why it
  // cannot.
  void Start(absl::AnyInvocable<void(absl::Status)> done);

  // The routes, once it is started. `local`: for a listener that only this machine reaches.
  void RegisterApi(HttpRouter& router, bool local);
  void RegisterHealth(HttpRouter& router);
  // A server's handler over the router, counted and timed. The router outlives it.
  HttpHandler Serve(HttpRouter& router);

  // For metrics of what the daemon is given; `before_render` is called before each rendering.
  Registry& registry();
  void WatchMetrics(absl::AnyInvocable<void()> before_render);

  const std::string& origin() const;
  uint64_t epoch() const;

 private:
  struct Parts;  // all that needs to know who we are

  void TakeEpoch(std::string origin, absl::AnyInvocable<void(absl::Status)> done);
  void Build(std::string origin, uint64_t epoch, absl::AnyInvocable<void(absl::Status)> done);
  absl::Status GoToWork();
  HttpResponse Health() const;

  EventLoop& loop_;
  const Clock& clock_;
  Store& store_;
  WorkerPool& workers_;
  Bus& control_;
  Bus& bulk_;
  const DaemonOptions options_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::unique_ptr<Parts> parts_;
};

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_DAEMON_H_
