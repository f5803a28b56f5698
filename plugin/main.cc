// The plugin's process: reads the flags, builds the real things, runs the loop.

#include <malloc.h>
#include <signal.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/base/clock.h"
#include "core/base/redact.h"
#include "core/base/version.h"
#include "core/http/http_client.h"
#include "core/http/http_server.h"
#include "core/http/router.h"
#include "core/nats/bus_metrics.h"
#include "core/nats/nats_bus.h"
#include "core/os/asio_event_loop.h"
#include "core/os/posix_file_system.h"
#include "core/os/worker_pool.h"
#include "core/store/open_store.h"
#include "glog/logging.h"
#include "plugin/daemon.h"
#include "plugin/plugin_options.h"

namespace podferry {
namespace {

// Blocks from this size on go back to the kernel when they are freed: a pod of 20 MiB passes
// through here in several copies, and nothing of it should stay.
constexpr int kBigBlock = 1 << 20;

// How long requests in flight may take once we were told to end.
constexpr absl::Duration kStopGrace = absl::Seconds(5);
constexpr int kWorkers = 2;

std::optional<std::string> FromEnvironment(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

int Fail(const absl::Status& status) {
  LOG(ERROR) << RedactUrls(std::string(status.message()));
  return 1;
}

// What listens: the API where the flags say, health and metrics beside it or on their own.
class Servers {
 public:
  Servers(AsioEventLoop& loop, Daemon& daemon, const PluginOptions& options)
      : loop_(loop), daemon_(daemon), options_(options) {}

  absl::Status Start() {
    daemon_.RegisterApi(local_, /*local=*/true);
    daemon_.RegisterApi(remote_, /*local=*/false);
    if (!options_.metrics_listen.has_value()) {
      daemon_.RegisterHealth(local_);
      daemon_.RegisterHealth(remote_);
    } else {
      daemon_.RegisterHealth(health_);
      const absl::Status status = Listen(*options_.metrics_listen, std::nullopt, health_);
      if (!status.ok()) return status;
    }
    for (const ListenAddress& address : options_.listen) {
      HttpRouter& router = address.IsLoopback() ? local_ : remote_;
      const absl::Status status = Listen(address, options_.tls, router);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  void Stop(std::function<void()> done) {
    auto left = std::make_shared<size_t>(servers_.size());
    if (servers_.empty()) return done();
    for (const std::unique_ptr<HttpServer>& server : servers_) {
      server->Stop(kStopGrace, [left, done] {
        if (--*left == 0) done();
      });
    }
  }

 private:
  absl::Status Listen(const ListenAddress& address, const std::optional<HttpServerTls>& tls,
                      HttpRouter& router) {
    HttpServerOptions options;
    options.address = address;
    if (tls.has_value() && address.kind == ListenAddress::Kind::kTcp) options.tls = *tls;
    absl::StatusOr<std::unique_ptr<HttpServer>> server =
        HttpServer::Start(loop_, std::move(options), daemon_.Serve(router));
    if (!server.ok()) return server.status();
    LOG(INFO) << "listening on " << (*server)->url();
    servers_.push_back(*std::move(server));
    return absl::OkStatus();
  }

  AsioEventLoop& loop_;
  Daemon& daemon_;
  const PluginOptions& options_;
  HttpRouter local_;
  HttpRouter remote_;
  HttpRouter health_;
  std::vector<std::unique_ptr<HttpServer>> servers_;
};

// The registry proxies' master token: of its file, or what the environment said.
absl::Status TakeMasterToken(FileSystem& files, const PluginOptions& options,
                             RegistryProxyOptions& proxy) {
  proxy.server = options.shub_proxy;
  proxy.master_token = options.shub_proxy_token;
  if (!options.shub_proxy_token_file.empty()) {
    absl::StatusOr<std::string> text = files.ReadFile(options.shub_proxy_token_file);
    if (!text.ok()) return text.status();
    proxy.master_token = std::string(absl::StripAsciiWhitespace(*text));
  }
  if (!proxy.master_token.empty() && proxy.server.empty()) {
    LOG(WARNING) << "every registry proxy that a pool's BuildConfig names is shown the master "
                    "token; --shub-proxy HOST:PORT names the one that it is for";
  }
  return absl::OkStatus();
}

DaemonOptions OptionsOf(const PluginOptions& options) {
  DaemonOptions daemon;
  daemon.subject = options.subject;
  daemon.grace = options.grace;
  daemon.origin = options.origin;
  daemon.dispatch.paused = options.pause_dispatch;
  daemon.janitor.lost_after = options.grace;
  return daemon;
}

absl::StatusOr<std::unique_ptr<NatsBus>> Connect(AsioEventLoop& loop, NatsOptions options,
                                                 const char* name) {
  options.name = name;
  return NatsBus::Create(loop, options);
}

absl::StatusOr<std::unique_ptr<Store>> OpenState(const PluginOptions& options, FileSystem& files,
                                                 EventLoop& loop, WorkerPool& workers) {
  absl::StatusOr<std::unique_ptr<Store>> store = OpenStore(options.state, files, loop, workers);
  const bool folder = options.state.find(':') == std::string::npos;  // else a server's URL
  if (!folder || !absl::IsUnavailable(store.status())) return store;
  return absl::UnavailableError(
      absl::StrCat("another plugin uses this --state: ", store.status().message(),
                   "; each plugin needs a folder of its own"));
}

int Run(const PluginOptions& options) {
  RealClock clock;
  AsioEventLoop loop;
  PosixFileSystem files;
  ThreadWorkerPool workers(loop, kWorkers);
  absl::StatusOr<std::unique_ptr<Store>> store = OpenState(options, files, loop, workers);
  if (!store.ok()) return Fail(store.status());
  // Bundles and logs have a connection of their own, so that they do not hold up starts.
  absl::StatusOr<std::unique_ptr<NatsBus>> control = Connect(loop, options.nats, "podferry plugin");
  if (!control.ok()) return Fail(control.status());
  absl::StatusOr<std::unique_ptr<NatsBus>> bulk =
      Connect(loop, options.nats, "podferry plugin, bundles and logs");
  if (!bulk.ok()) return Fail(bulk.status());
  LOG(INFO) << "podferry plugin " << kPodferryVersion << ", NATS at "
            << RedactUrls(options.nats.url) << ", subjects below " << options.subject;

  absl::StatusOr<std::unique_ptr<HttpClient>> http = HttpClient::Create(loop, {});
  if (!http.ok()) return Fail(http.status());
  DaemonOptions daemon_options = OptionsOf(options);
  daemon_options.http = http->get();
  const absl::Status token = TakeMasterToken(files, options, daemon_options.registry_proxy);
  if (!token.ok()) return Fail(token);
  Daemon daemon(loop, clock, **store, workers, **control, **bulk, std::move(daemon_options));
  Servers servers(loop, daemon, options);
  std::optional<BusMetrics> control_metrics;
  std::optional<BusMetrics> bulk_metrics;
  int exit_code = 0;
  daemon.Start([&](absl::Status status) {
    if (status.ok()) status = servers.Start();
    if (!status.ok()) {
      exit_code = Fail(status);
      return loop.Stop();
    }
    control_metrics.emplace(daemon.registry(), "control");
    bulk_metrics.emplace(daemon.registry(), "bulk");
    daemon.WatchMetrics([&] {
      control_metrics->Update((*control)->stats());
      bulk_metrics->Update((*bulk)->stats());
    });
  });
  const Subscription signals = loop.OnSignals({SIGTERM, SIGINT}, [&](int signal) {
    LOG(INFO) << "ending after signal " << signal;
    servers.Stop([&loop] { loop.Stop(); });
  });
  loop.Run();
  return exit_code;
}

}  // namespace
}  // namespace podferry

int main(int argc, char** argv) {
  const podferry::CommandLine line =
      podferry::ParseCommandLine(argc, argv, podferry::FromEnvironment);
  if (!line.options.has_value()) {
    (line.exit_code == 0 ? std::cout : std::cerr) << line.text;
    return line.exit_code;
  }
  mallopt(M_MMAP_THRESHOLD, podferry::kBigBlock);
  FLAGS_logtostderr = true;
  if (line.options->verbose) FLAGS_v = 1;
  google::InitGoogleLogging(argv[0]);
  return podferry::Run(*line.options);
}
