#include "plugin/daemon.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/base/ids.h"
#include "core/http/instrumented_handler.h"
#include "core/job/job_key.h"
#include "core/json/writer.h"
#include "core/metrics/metrics.h"
#include "core/translate/translate.h"
#include "core/wire/subjects.h"
#include "glog/logging.h"
#include "plugin/bundle_maker.h"
#include "plugin/bundle_server.h"
#include "plugin/cli_api.h"
#include "plugin/interlink_api.h"
#include "plugin/job_service.h"
#include "plugin/job_table.h"
#include "plugin/log_relay.h"
#include "plugin/plugin_metrics.h"
#include "plugin/pool_directory.h"
#include "plugin/pool_feed.h"
#include "plugin/registry_proxy.h"
#include "plugin/script_builder.h"
#include "plugin/store_keys.h"

namespace podferry {

struct Daemon::Parts {
  Parts(Daemon& daemon, PluginStamp who)
      : stamp(std::move(who)),
        subjects(daemon.options_.subject),
        metrics(registry),
        table(daemon.loop_, daemon.clock_, daemon.store_),
        directory(daemon.options_.grace),
        proxy(daemon.options_.http, daemon.clock_, daemon.options_.registry_proxy),
        bundles(daemon.store_, daemon.workers_, proxy, &Translate),
        dispatcher(daemon.loop_, daemon.clock_, daemon.control_, table, directory, bundles,
                   subjects, stamp, metrics, daemon.options_.dispatch),
        feed(daemon.loop_, daemon.clock_, daemon.control_, daemon.store_, subjects, stamp,
             directory, table, dispatcher),
        janitor(
            daemon.loop_, daemon.clock_, table, dispatcher,
            [this] { return feed.round_trip_works(); }, daemon.options_.janitor),
        service(daemon.clock_, table, dispatcher, janitor, stamp.origin),
        bundle_server(daemon.loop_, daemon.clock_, daemon.bulk_, table, bundles, subjects, stamp),
        logs(daemon.loop_, daemon.clock_, daemon.bulk_, table, subjects, stamp),
        scripts(daemon.workers_, directory, proxy, &Translate, stamp.origin),
        interlink(daemon.loop_, daemon.clock_, daemon.control_, service, logs, directory, scripts,
                  subjects, stamp),
        cli(daemon.loop_, daemon.clock_, daemon.control_, service, logs, directory, feed, bundles,
            subjects, stamp) {
    table.WatchWrites([this](absl::Duration duration) { metrics.OnWrite(duration); });
    service.WatchCreates([this](CreateResult::Kind kind) { metrics.OnCreate(kind); });
  }

  const PluginStamp stamp;
  const wire::Subjects subjects;
  Registry registry;
  PluginMetrics metrics;
  absl::AnyInvocable<void()> before_render;
  JobTable table;
  PoolDirectory directory;
  RegistryProxy proxy;
  BundleMaker bundles;
  Dispatcher dispatcher;
  PoolFeed feed;
  Janitor janitor;
  JobService service;
  BundleServer bundle_server;
  LogRelay logs;
  ScriptBuilder scripts;
  InterLinkApi interlink;
  CliApi cli;
};

Daemon::Daemon(EventLoop& loop, const Clock& clock, Store& store, WorkerPool& workers, Bus& control,
               Bus& bulk, DaemonOptions options)
    : loop_(loop),
      clock_(clock),
      store_(store),
      workers_(workers),
      control_(control),
      bulk_(bulk),
      options_(std::move(options)) {}

Daemon::~Daemon() = default;

const std::string& Daemon::origin() const { return parts_->stamp.origin; }
uint64_t Daemon::epoch() const { return parts_->stamp.epoch; }

Registry& Daemon::registry() { return parts_->registry; }

void Daemon::WatchMetrics(absl::AnyInvocable<void()> before_render) {
  parts_->before_render = std::move(before_render);
}

void Daemon::Start(absl::AnyInvocable<void(absl::Status)> done) {
  store_.Read(kOriginKey, [this, alive = std::weak_ptr<bool>(alive_),
                           done = std::move(done)](absl::StatusOr<std::string> stored) mutable {
    if (alive.expired()) return;
    if (!stored.ok() && !absl::IsNotFound(stored.status())) return done(stored.status());
    std::string origin = stored.ok() ? *stored : NewUuid();
    if (!options_.origin.empty()) {
      if (stored.ok() && *stored != options_.origin) {
        return done(absl::FailedPreconditionError(
            absl::StrCat("the store belongs to origin ", *stored, ", not ", options_.origin)));
      }
      origin = options_.origin;
    }
    if (!IsKeyPart(origin)) {
      return done(absl::DataLossError("the origin is no part of a job's key"));
    }
    TakeEpoch(std::move(origin), std::move(done));
  });
}

// The epoch is durable before anything is said with it: a plugin that comes later has a higher one.
void Daemon::TakeEpoch(std::string origin, absl::AnyInvocable<void(absl::Status)> done) {
  store_.Read(kEpochKey, [this, origin = std::move(origin), alive = std::weak_ptr<bool>(alive_),
                          done = std::move(done)](absl::StatusOr<std::string> stored) mutable {
    if (alive.expired()) return;
    if (!stored.ok() && !absl::IsNotFound(stored.status())) return done(stored.status());
    uint64_t epoch = 0;
    if (stored.ok() && !absl::SimpleAtoi(*stored, &epoch)) {
      return done(absl::DataLossError("the epoch in the store is no number"));
    }
    // A store that was lost must not make us older than we were: epochs follow the clock as well.
    const uint64_t by_clock =
        options_.origin.empty() ? 0 : static_cast<uint64_t>(absl::ToUnixSeconds(clock_.Now()));
    epoch = std::max(epoch + 1, by_clock);
    store_.Write({Mutation::Put(kOriginKey, origin), Mutation::Put(kEpochKey, absl::StrCat(epoch))},
                 [this, origin, epoch, alive, done = std::move(done)](absl::Status status) mutable {
                   if (alive.expired()) return;
                   if (!status.ok()) return done(std::move(status));
                   Build(std::move(origin), epoch, std::move(done));
                 });
  });
}

void Daemon::Build(std::string origin, uint64_t epoch,
                   absl::AnyInvocable<void(absl::Status)> done) {
  parts_ = std::make_unique<Parts>(*this, PluginStamp{std::move(origin), epoch});
  parts_->table.Load([this, done = std::move(done)](absl::Status status) mutable {
    if (!status.ok()) return done(std::move(status));
    parts_->feed.Load([this, done = std::move(done)](absl::Status status) mutable {
      if (status.ok()) status = GoToWork();
      done(std::move(status));
    });
  });
}

absl::Status Daemon::GoToWork() {
  for (const std::string& damage : store_.health().damage) {
    LOG(ERROR) << "the store was damaged: " << damage;
  }
  LOG(INFO) << "origin " << parts_->stamp.origin << ", epoch " << parts_->stamp.epoch << ", "
            << parts_->table.size() << " jobs and " << parts_->directory.pools().size()
            << " pools read from the store";
  const absl::Status status = parts_->bundle_server.Start();
  if (!status.ok()) return status;
  parts_->dispatcher.Start();
  parts_->janitor.Start();
  return parts_->feed.Start();
}

void Daemon::RegisterApi(HttpRouter& router, bool local) {
  parts_->interlink.Register(router);
  parts_->cli.Register(router, local);
}

void Daemon::RegisterHealth(HttpRouter& router) {
  router.Handle("GET", "/healthz",
                [this](HttpRequest, ResponseWriter writer) { writer.Send(Health()); });
  router.Handle("GET", "/metrics", [this](HttpRequest, ResponseWriter writer) {
    if (parts_->before_render) parts_->before_render();
    HttpResponse response = HttpResponse::Text(
        200, parts_->metrics.Render({parts_->table, parts_->dispatcher, parts_->directory,
                                     parts_->logs.streams(), control_.connected(),
                                     store_.health().ready && !parts_->dispatcher.fenced()}));
    response.headers.Set("Content-Type", Registry::kContentType);
    writer.Send(std::move(response));
  });
}

HttpHandler Daemon::Serve(HttpRouter& router) {
  return InstrumentedHandler(router, clock_, parts_->registry);
}

// Ready is who can accept creates. Without NATS jobs wait, but none is lost.
HttpResponse Daemon::Health() const {
  const StoreHealth store = store_.health();
  const bool fenced = parts_->dispatcher.fenced();
  const bool records_lost = !parts_->table.damage().empty() || !parts_->feed.damage().empty();
  const bool ready = store.ready && !fenced && !records_lost;
  std::string body;
  json::Writer out(&body);
  out.BeginObject();
  out.Field("ready", ready);
  out.Field("reason", !store.ready   ? store.reason
                      : fenced       ? "a newer plugin of the same origin is at work"
                      : records_lost ? "records in the store cannot be read"
                                     : "");
  out.Field("nats", control_.connected() ? "connected" : "disconnected");
  out.Field("origin", parts_->stamp.origin);
  out.Field("epoch", parts_->stamp.epoch);
  out.Field("jobs", parts_->table.size());
  out.Key("damage");
  out.BeginArray();
  for (const std::string& damage : store.damage) out.String(damage);
  for (const std::string& damage : parts_->table.damage()) out.String(damage);
  for (const std::string& damage : parts_->feed.damage()) out.String(damage);
  out.EndArray();
  out.EndObject();
  return HttpResponse::Json(ready ? 200 : 503, std::move(body));
}

}  // namespace podferry
